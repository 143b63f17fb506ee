#include "cli/output.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "bench/analyse/growth.hpp"
#include "bench/model/comparison_json.hpp"
#include "bench/report/comparison_markdown.hpp"
#include "bench/report/comparison_report.hpp"
#include "bench/report/csv.hpp"
#include "bench/report/growth_report.hpp"
#include "bench/report/json_report.hpp"
#include "bench/report/markdown.hpp"
#include "bench/report/text_report.hpp"
#include "bench/support/text.hpp"
#include "cli/terminal.hpp"

namespace tare::cli {
namespace {

Error cannot_write(const std::string& path) {
  const int problem = errno;
  const char* advice = problem == ENOENT                         ? "; make its directory first"
                       : problem == EACCES || problem == EROFS   ? "; choose a place that you may write to"
                       : problem == EISDIR || problem == ENOTDIR ? "; name a file"
                                                                 : "";
  return fail(fmt::format("cannot write {}: {}{}", printable(path), std::strerror(problem), advice));
}

}  // namespace

void OutputOptions::add_to(CLI::App& app) {
  app.add_option("--format", format, "How to print the result: " + join(formats, ", "))
      ->check(CLI::IsMember(formats))
      ->capture_default_str();
  app.add_option("--out", path, "Write the result to this file instead of standard output")
      ->type_name("FILE");
}

std::string OutputOptions::render(const Run& run) const {
  if (format == "json") return json_report(run);
  if (format == "csv") return csv_report(run);
  if (format == "samples") return csv_samples(run);
  if (format == "markdown") return markdown_report(run);
  const auto options = path.empty() ? report_options() : ReportOptions{};
  const auto growth = growth_report(find_growth(run.results), options);
  return run_header(run, options) + text_report(run, options) + (growth.empty() ? "" : "\n" + growth);
}

std::string OutputOptions::render(const Comparison& comparison) const {
  if (format == "json") return to_text(to_json(comparison), 2) + "\n";
  if (format == "markdown") return comparison_markdown(comparison);
  return comparison_report(comparison, path.empty() ? report_options() : ReportOptions{});
}

Status OutputOptions::write(const std::string& text) const {
  if (!path.empty()) return write_file(path, text);
  print(text);
  return ok();
}

Status OutputOptions::ready() const {
  if (path.empty()) return ok();
  const std::string trial = fmt::format("{}.{}.tmp", path, ::getpid());
  const int file = ::open(trial.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0) return cannot_write(path);
  ::close(file);
  ::unlink(trial.c_str());
  return ok();
}

Status write_file(const std::string& path, const std::string& text) {
  const std::string fresh = fmt::format("{}.{}.tmp", path, ::getpid());
  const int file = ::open(fresh.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0) return cannot_write(path);
  bool good = true;
  for (std::size_t sent = 0; good && sent < text.size();) {
    const auto n = ::write(file, text.data() + sent, text.size() - sent);
    if (n >= 0) sent += static_cast<std::size_t>(n);
    good = n >= 0 || errno == EINTR;
  }
  good = good && ::fsync(file) == 0;
  good = ::close(file) == 0 && good;
  if (good && std::rename(fresh.c_str(), path.c_str()) == 0) return ok();
  const auto error = cannot_write(path);
  ::unlink(fresh.c_str());
  return error;
}

}  // namespace tare::cli
