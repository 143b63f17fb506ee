// Where and with what it was measured, and what the doctor says about the machine.
#include <algorithm>
#include <fmt/format.h>

#include "bench/report/html_escape.hpp"
#include "bench/report/html_pages.hpp"
#include "bench/report/html_table.hpp"
#include "bench/support/text.hpp"

namespace tare {
namespace {

std::string machine_html(const Machine& m) {
  return html_facts({{"cpu", m.cpu},
                     {"cores", m.cores > 0 ? fmt::format("{} ({} threads)", m.cores, m.threads) : ""},
                     {"memory", m.memory_bytes > 0 ? format_bytes(static_cast<double>(m.memory_bytes)) : ""},
                     {"caches", m.caches},
                     {"kernel", m.kernel},
                     {"system", m.os},
                     {"hypervisor", m.hypervisor},
                     {"governor", m.governor},
                     {"turbo", m.turbo},
                     {"smt", m.smt},
                     {"address randomisation", m.aslr},
                     {"clock source", m.clock_source},
                     {"C library", m.libc},
                     {"fingerprint", m.fingerprint()}});
}

std::string run_html(const Run& run) {
  std::string notes;
  for (const auto& [key, value] : run.tags)
    notes += fmt::format("{}{}={}", notes.empty() ? "" : ", ", key, value);
  auto all = fmt::format("<h3>Run {}</h3>\n", run.id);
  all += html_facts({{"started", format_time_utc(run.started_unix_ms) + " UTC"},
                     {"commit", run.commit},
                     {"directory", run.directory},
                     {"seed", std::to_string(run.seed)},
                     {"notes", notes}});
  if (!run.command.empty())
    all += fmt::format("<pre class=command><code>{}</code></pre>\n", html_escape(run.command));
  HtmlTable table(
      fmt::format("binaries of run {}", run.id),
      {{"binary", false}, {"hash", false}, {"compiler", false}, {"flags", false}, {"build", false}});
  for (const auto& b : run.binaries) {
    table.row({HtmlCell::text(b.path), HtmlCell::text(b.hash.substr(0, 16)), HtmlCell::text(b.build.compiler),
               HtmlCell::text(b.build.flags), HtmlCell::text(b.build.type)});
  }
  return table.empty() ? all : all + table.str();
}

std::string findings_html(const Run& run) {
  HtmlTable table("doctor", {{"topic", false}, {"health", false}, {"observed", false}, {"advice", false}});
  for (const auto& f : run.findings) {
    const char* look = f.health == Health::good      ? "good"
                       : f.health == Health::bad     ? "bad"
                       : f.health == Health::caution ? "caution"
                                                     : "plain";
    const char* sign = f.health == Health::good      ? "✓"
                       : f.health == Health::bad     ? "×"
                       : f.health == Health::caution ? "!"
                                                     : "?";
    table.row({HtmlCell::text(f.topic),
               {fmt::format("<span class={}>{} {}</span>", look, sign, name_of(f.health)), {}, ""},
               HtmlCell::text(f.observed),
               HtmlCell::text(f.advice)});
  }
  return fmt::format(
      "<h3>The doctor's findings</h3>\n<p class=quiet>On the machine when run {} began.</p>\n{}", run.id,
      table.str());
}

}  // namespace

std::string environment_page(const ReportContent& content) {
  std::string all;
  // One machine is described once, however many runs it made.
  std::vector<std::string> seen;
  for (const auto& run : content.runs) {
    const auto print = run.machine.fingerprint();
    if (std::find(seen.begin(), seen.end(), print) != seen.end()) continue;
    seen.push_back(print);
    all += (content.runs.size() > 1 ? fmt::format("<h3>Machine of run {}</h3>\n", run.id)
                                    : "<h3>Machine</h3>\n") +
           machine_html(run.machine);
  }
  for (const auto& run : content.runs) all += run_html(run);
  for (const auto& run : content.runs)
    if (!run.findings.empty()) all += findings_html(run);
  return all;
}

}  // namespace tare
