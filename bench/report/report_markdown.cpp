#include "bench/report/report_markdown.hpp"

#include <fmt/format.h>

#include "bench/report/comparison_markdown.hpp"
#include "bench/report/layout.hpp"
#include "bench/report/markdown.hpp"
#include "bench/report/pareto_report.hpp"
#include "bench/report/run_view.hpp"
#include "bench/support/text.hpp"

namespace tare {
namespace {

// GitHub cuts a comment at 65536 characters.
constexpr std::size_t longest = 60'000;
constexpr std::size_t most_failures = 20;

std::string short_name(const std::string& name) {
  return markdown_escape(shorten_middle(printable(name), 80));
}

std::string run_markdown(const Run& run, std::size_t room) {
  std::string all = fmt::format("### Run {}\n\n{}\n", run.id, markdown_escape(count_sentence(run)));
  std::size_t failures = 0;
  for (const auto& result : run.results) {
    if (result.outcome == Outcome::ok || result.outcome == Outcome::skipped) continue;
    if (++failures > most_failures) continue;
    all += fmt::format(
        "{}- **{}** {}{}\n", failures == 1 ? "\n" : "", words_of(result.outcome),
        short_name(result.id.full()),
        result.message.empty() ? "" : ": " + markdown_escape(shorten_end(printable(result.message), 300)));
  }
  if (failures > most_failures) all += fmt::format("- … and {} more\n", failures - most_failures);
  const auto table = markdown_report(run);
  if (all.size() + table.size() > room)
    return all + fmt::format("\nThe table of {} is too long for a comment: see the HTML report.\n",
                             plural(run.results.size(), "benchmark"));
  return all + fmt::format("\n<details><summary>All benchmarks</summary>\n\n{}\n</details>\n", table);
}

}  // namespace

std::string report_markdown(const ReportContent& content) {
  std::string all = fmt::format("## {}\n\n", markdown_escape(shorten_end(printable(content.title), 200)));
  if (content.comparison) return all + comparison_markdown(*content.comparison);
  for (const auto& run : content.runs) {
    const auto room = all.size() < longest ? longest - all.size() : 0;
    all += run_markdown(run, room) + "\n";
    if (all.size() > longest) break;
  }
  if (content.pareto && all.size() < longest) {
    all += fmt::format("### Pareto\n\n{}\n\n", markdown_escape(pareto_sentence(*content.pareto)));
    for (const auto& r : content.pareto->recommendations)
      all += fmt::format("- **{}**: {}, {} ({})\n", r.purpose, short_name(r.point), markdown_escape(r.reason),
                         markdown_escape(r.figures));
  }
  return all;
}

}  // namespace tare
