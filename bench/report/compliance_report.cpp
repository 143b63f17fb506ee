#include "bench/report/compliance_report.hpp"

#include <fmt/format.h>

#include "bench/model/json_parts.hpp"
#include "bench/report/markdown.hpp"
#include "bench/support/text.hpp"

namespace tare {

std::string compliance_json(const Compliance& c) {
  Json tasks = Json::array(), names = Json::array();
  for (const auto& f : c.findings) {
    if (f.compliant()) names.push_back(f.target.name);
    tasks.push_back({{"name", f.target.name},
                     {"benchmark", f.target.benchmark},
                     {"problem", f.problem},
                     {"accuracy", to_json(f.accuracy)},
                     {"latency", to_json(f.latency)},
                     {"mean_ns", to_json(f.mean_ns)},
                     {"deviation_ns", to_json(f.deviation_ns)},
                     {"p50_ns", to_json(f.p50_ns)},
                     {"p90_ns", to_json(f.p90_ns)},
                     {"p99_ns", to_json(f.p99_ns)},
                     {"longest_ns", to_json(f.longest_ns)},
                     {"items_per_second", to_json(f.items_per_second)},
                     {"accuracy_target", f.target.accuracy},
                     {"latency_target_ns", f.target.latency_ns},
                     {"accuracy_met", f.accuracy_met},
                     {"latency_met", f.latency_met},
                     {"compliant", f.compliant()}});
  }
  const auto total = c.findings.size();
  return to_text(
             {{"schema", 1},
              {"version", c.version},
              {"run", c.run},
              {"started_unix_ms", c.started_unix_ms},
              {"seed", c.seed},
              {"latency", c.quantile},
              {"tasks", tasks},
              {"summary",
               {{"total", total},
                {"compliant", c.compliant()},
                {"rate", total == 0 ? Json(nullptr)
                                    : Json(static_cast<double>(c.compliant()) / static_cast<double>(total))},
                {"whole", c.whole()},
                {"names", names}}}},
             2) +
         "\n";
}

std::string compliance_markdown(const Compliance& c) {
  auto text = fmt::format(
      "{} of {} tasks meet their targets: accuracy on held-out data, latency by its {}.\n\n"
      "| task | meets | accuracy | at least | latency {} | at most | benchmark "
      "|\n|---|---|---:|---:|---:|---:|---|\n",
      c.compliant(), c.findings.size(), c.quantile, c.quantile);
  for (const auto& f : c.findings) {
    const auto mark = [](bool met) { return met ? "" : " ✗"; };
    std::string accuracy = "–", latency = "–";
    if (f.accuracy) accuracy = format_number(f.accuracy->point, 4) + mark(f.accuracy_met);
    if (f.latency) latency = format_duration(f.latency->point) + mark(f.latency_met);
    text += fmt::format("| {} | {} | {} | {} | {} | {} | {} |\n", markdown_escape(f.target.name),
                        f.compliant() ? "yes" : "**no**", accuracy, format_number(f.target.accuracy), latency,
                        format_duration(f.target.latency_ns),
                        markdown_escape(f.problem.empty() ? f.target.benchmark : "failed: " + f.problem));
  }
  return text + fmt::format("\nRun {} of {}, seed {}, tare {}.\n", c.run, format_time_utc(c.started_unix_ms),
                            c.seed, markdown_escape(c.version));
}

}  // namespace tare
