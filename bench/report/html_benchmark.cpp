// Everything about one benchmark: its figures, its doubts, its workload, and how to measure it again.
#include <fmt/format.h>

#include "bench/report/html_escape.hpp"
#include "bench/report/html_pages.hpp"
#include "bench/report/html_table.hpp"
#include "bench/report/layout.hpp"
#include "bench/report/run_view.hpp"
#include "bench/support/text.hpp"

namespace tare {
namespace {

std::string value_text(const Metric& metric, const std::optional<double>& value) {
  return value ? metric_value(*value, metric.unit) : "";
}

std::string interval_text(const Metric& metric, const Estimate& estimate) {
  if (!estimate.low || !estimate.high || metric.nature == Nature::exact) return "";
  const int digits = digits_for(estimate.relative_half_width());
  return fmt::format("{} … {}", metric_value(*estimate.low, metric.unit, digits),
                     metric_value(*estimate.high, metric.unit, digits));
}

std::string metrics_table(const BenchmarkResult& result) {
  HtmlTable table("metrics", {{"metric", false},
                              {"value", true},
                              {"interval", true},
                              {"min", true},
                              {"p50", true},
                              {"p99", true},
                              {"max", true},
                              {"n", true},
                              {"", false}});
  for (const auto& metric : result.metrics) {
    const auto& s = metric.summary;
    const auto* shown = headline(s);
    // Quantiles of a handful of values would say no more than the values.
    const bool noisy = metric.nature == Nature::noisy && s.n >= 10;
    std::string remark = metric.nature == Nature::exact ? "exact" : "";
    if (metric.origin != "measured") remark = metric.origin;
    table.row({HtmlCell::text(metric.name),
               HtmlCell::text(shown != nullptr ? metric_value(shown->point, metric.unit)
                              : metric.name.starts_with("time") && metric.available() ? time_text(metric)
                                                                                      : "–"),
               HtmlCell::text(shown != nullptr ? interval_text(metric, *shown) : ""),
               HtmlCell::text(noisy ? value_text(metric, s.minimum) : ""),
               HtmlCell::text(noisy ? value_text(metric, s.p50) : ""),
               HtmlCell::text(noisy ? value_text(metric, s.p99) : ""),
               HtmlCell::text(noisy ? value_text(metric, s.maximum) : ""),
               HtmlCell::text(s.n > 0 ? std::to_string(s.n) : ""), HtmlCell::text(remark)});
  }
  return table.empty() ? "" : table.str();
}

std::string shape_text(const Workload& workload) {
  return workload.shape.empty() ? "" : fmt::format("{}", fmt::join(workload.shape, " × "));
}

std::string facts(const BenchmarkResult& result) {
  const auto& w = result.workload;
  const auto* time = result.metric("time");
  std::string tags;
  for (const auto& [key, value] : result.tags)
    tags += fmt::format("{}{}={}", tags.empty() ? "" : ", ", key, value);
  std::vector<std::pair<std::string, std::string>> all{
      {"check", result.outcome == Outcome::ok ? (result.checked ? "✓ before and after timing" : "none") : ""},
      {"cold call", result.cold_ns ? format_duration(*result.cold_ns) : ""}};
  if (time != nullptr && time->summary.n > 0) {
    const auto& s = time->summary;
    all.insert(
        all.end(),
        {{"samples", fmt::format("{} in {}", s.n,
                                 s.processes == 1 ? "1 process" : fmt::format("{} processes", s.processes))},
         {"warm-up", s.warm_up > 0 ? fmt::format("{} left out", plural(s.warm_up, "sample")) : ""},
         {"steadiness", std::string(name_of(s.steadiness)) == "no_steady_state" ? "no steady state"
                                                                                : name_of(s.steadiness)},
         {"outliers",
          s.outliers.all() > 0
              ? fmt::format("{} mild, {} severe", s.outliers.all() - s.outliers.severe(), s.outliers.severe())
              : ""},
         {"variance between processes",
          s.between_share ? fmt::format("{:.0f} %", 100 * *s.between_share) : ""},
         {"effective n", s.effective_n ? fmt::format("{:.0f}", *s.effective_n) : ""}});
  }
  all.insert(all.end(), {{"shape", shape_text(w)},
                         {"dtype", w.dtype},
                         {"device", w.device == "cpu" ? "" : w.device},
                         {"batch", w.batch == 1 ? "" : std::to_string(w.batch)},
                         {"threads", w.threads == 1 ? "" : std::to_string(w.threads)},
                         {"precision", w.precision},
                         {"seed", w.seed == 0 ? "" : std::to_string(w.seed)},
                         {"data hash", w.data_hash.substr(0, 16)},
                         {"tags", tags},
                         {"binary", result.binary}});
  return html_facts(all);
}

std::string warnings_html(const BenchmarkResult& result) {
  std::string list;
  const auto add = [&](const std::vector<Warning>& warnings, const std::string& metric) {
    for (const auto& w : warnings) {
      list += fmt::format("<li><b>{}</b>{}: {}</li>", name_of(w.doubt),
                          metric.empty() || metric == "time" ? "" : " of " + html_escape(metric),
                          html_escape(w.text));
    }
  };
  add(result.warnings, "");
  for (const auto& metric : result.metrics) add(metric.summary.warnings, metric.name);
  return list.empty() ? "" : fmt::format("<ul class=cautions>{}</ul>\n", list);
}

std::string headline_html(const BenchmarkResult& result) {
  if (result.outcome != Outcome::ok) {
    return fmt::format(
        "<p class=\"headline bad\">{}{}</p>\n", words_of(result.outcome),
        result.message.empty() ? "" : ": " + html_escape(shorten_end(printable(result.message), 2000)));
  }
  const auto* time = result.metric("time");
  if (time == nullptr) return "";
  const auto* estimate = headline(time->summary);
  const auto half = estimate != nullptr ? estimate->relative_half_width() : std::nullopt;
  return fmt::format("<p class=headline>{}{}</p>\n", html_escape(time_text(*time)),
                     half ? fmt::format(" <small>± {} ({} confidence)</small>", format_percent(*half),
                                        confidence_text(estimate->confidence))
                          : "");
}

std::string article(const Run& run, const BenchmarkResult& result, std::size_t index, bool drawn) {
  auto all = fmt::format("<article id=b{} class=benchmark><p class=quiet>Run {}</p><h2>{}</h2>\n", index,
                         run.id, html_escape(result.id.full()));
  if (!result.label.empty()) all += fmt::format("<p class=lede>{}</p>\n", html_escape(result.label));
  all += headline_html(result);
  all += warnings_html(result);
  if (drawn && result.outcome == Outcome::ok) {
    all += fmt::format("<div class=charts data-benchmark={}></div>\n", index);
  }
  all += metrics_table(result) + facts(result);
  if (!result.reproduce.empty()) {
    all += fmt::format("<h3>Measure it again</h3><pre class=command><code>{}</code></pre>\n",
                       html_escape(result.reproduce));
  }
  return all + "</article>\n";
}

}  // namespace

std::string benchmark_articles(const ReportContent& content) {
  std::string all;
  std::size_t index = 0;
  for (std::size_t r = 0; r < content.runs.size(); ++r) {
    for (std::size_t i = 0; i < content.runs[r].results.size(); ++i) {
      const bool drawn = r < content.samples.size() && i < content.samples[r].size() &&
                         !content.samples[r][i].histogram.counts.empty();
      all += article(content.runs[r], content.runs[r].results[i], index++, drawn);
    }
  }
  return all;
}

}  // namespace tare
