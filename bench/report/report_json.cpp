#include "bench/report/report_json.hpp"

#include <cmath>
#include <cstdlib>
#include <fmt/format.h>

#include "bench/model/breakdown_json.hpp"
#include "bench/model/comparison_json.hpp"
#include "bench/model/json.hpp"
#include "bench/model/json_parts.hpp"
#include "bench/model/pareto_json.hpp"
#include "bench/report/html_table.hpp"
#include "bench/report/layout.hpp"

namespace tare {
namespace {

Json rounded(double value) {
  if (!std::isfinite(value)) return {};
  const double shorter = std::strtod(short_number(value).c_str(), nullptr);
  // A whole number is written without a point.
  if (shorter == std::floor(shorter) && std::abs(shorter) < 1e15) return static_cast<std::int64_t>(shorter);
  return shorter;
}

/// The same without what says nothing, numbers shortened.
Json compact(const Json& json) {
  if (json.is_number_float()) return rounded(json.get<double>());
  if (json.is_array()) {
    Json list = Json::array();
    for (const auto& entry : json) list.push_back(compact(entry));
    return list;
  }
  if (!json.is_object()) return json;
  Json object = Json::object();
  for (const auto& [key, value] : json.items()) {
    const auto shorter = compact(value);
    const bool empty = shorter.is_null() ||
                       (shorter.is_string() && shorter.get_ref<const std::string&>().empty()) ||
                       (shorter.is_structured() && shorter.empty());
    if (!empty) object[key] = shorter;
  }
  return object;
}

Json interval_of(const std::optional<Estimate>& estimate) {
  if (!estimate) return nullptr;
  if (!estimate->low || !estimate->high) return Json::array({rounded(estimate->point)});
  return Json::array({rounded(estimate->point), rounded(*estimate->low), rounded(*estimate->high)});
}

Json metric_json(const Metric& m) {
  const auto& s = m.summary;
  Json json{{"name", m.name}, {"unit", m.unit}};
  if (m.better != Better::less) json["better"] = name_of(m.better);
  if (m.nature == Nature::exact) json["exact"] = true;
  if (m.origin != "measured") json["origin"] = m.origin;
  if (const auto* shown = headline(s)) {
    const bool exactly = m.nature == Nature::exact && shown->low == shown->high;
    json["value"] = exactly ? Json::array({rounded(shown->point)}) : interval_of(*shown);
    if (shown->confidence != 0.95 && !exactly) json["confidence"] = shown->confidence;
  }
  if (m.nature != Nature::noisy) return compact(json);
  json["n"] = s.n;
  json["processes"] = s.processes;
  if (s.warm_up > 0) json["warm_up"] = s.warm_up;
  if (s.steadiness != Steadiness::flat) json["steadiness"] = name_of(s.steadiness);
  if (m.name.starts_with("time")) {
    json["mean"] = interval_of(s.mean);
    json["median"] = interval_of(s.median);
    json["deviation"] = to_json(s.deviation);
    json["mad"] = to_json(s.mad);
    json["quantiles"] = s.minimum && s.p50 && s.p90 && s.p99 && s.maximum
                            ? Json{*s.minimum, *s.p50, *s.p90, *s.p99, *s.maximum}
                            : Json();
    if (s.outliers.all() > 0)
      json["outliers"] = {s.outliers.low_severe, s.outliers.low_mild, s.outliers.high_mild,
                          s.outliers.high_severe};
    json["lag1"] = to_json(s.lag1);
    json["effective_n"] = to_json(s.effective_n);
    json["between_share"] = to_json(s.between_share);
  }
  return compact(json);
}

/// Values of one process stand together, so lengths suffice to part them.
Json samples_json(const ThinnedSamples& t) {
  Json lengths = Json::array(), values = Json::array();
  for (std::size_t i = 0; i < t.values.size(); ++i) {
    if (i == 0 || t.processes[i] != t.processes[i - 1]) lengths.push_back(0);
    lengths.back() = lengths.back().get<int>() + 1;
    values.push_back(rounded(t.values[i]));
  }
  return compact({{"taken", t.taken},
                  {"every", t.every},
                  {"values", values},
                  {"processes", lengths},
                  {"marks", t.marks.find_first_not_of('.') == std::string::npos ? "" : t.marks},
                  {"histogram", t.histogram.counts.empty() ? Json()
                                                           : Json{{"low", t.histogram.low},
                                                                  {"high", t.histogram.high},
                                                                  {"counts", t.histogram.counts},
                                                                  {"below", t.histogram.below},
                                                                  {"above", t.histogram.above}}}});
}

Json benchmark_json(const Run& run, const BenchmarkResult& r, const ThinnedSamples* samples) {
  Json metrics = Json::array();
  Json warnings = Json::array();
  const auto warn = [&](const std::vector<Warning>& list, const std::string& metric) {
    for (const auto& w : list)
      warnings.push_back({{"doubt", name_of(w.doubt)}, {"text", w.text}, {"metric", metric}});
  };
  warn(r.warnings, "");
  for (const auto& metric : r.metrics) {
    metrics.push_back(metric_json(metric));
    warn(metric.summary.warnings, metric.name);
  }
  Json json = {{"run", run.id},
               {"name", r.id.full()},
               {"parameters", to_json(r.id).at("parameters")},
               {"outcome", name_of(r.outcome)},
               {"message", r.message},
               {"label", r.label},
               {"tags", r.tags},
               {"binary", r.binary},
               {"reproduce", r.reproduce},
               {"warnings", warnings},
               {"cold_ns", to_json(r.cold_ns)}};
  if (r.checked) json["checked"] = true;
  if (r.workload != Workload{}) json["workload"] = to_json(r.workload);
  for (const auto& [name, amount] :
       {std::pair{"items", r.throughput.items}, std::pair{"bytes", r.throughput.bytes},
        std::pair{"flops", r.throughput.flops}}) {
    if (amount > 0) json["throughput"][name] = amount;
  }
  json = compact(json);
  if (!metrics.empty()) json["metrics"] = std::move(metrics);
  if (samples != nullptr && samples->taken > 0) json["samples"] = samples_json(*samples);
  return json;
}

Json growth_json(const GrowthFinding& g) {
  Json points = Json::array();
  for (const auto& p : g.points) {
    auto value = interval_of(p.time);
    value.insert(value.begin(), rounded(p.n));
    points.push_back(std::move(value));
  }
  return compact({{"benchmark", g.benchmark},
                  {"parameter", g.parameter},
                  {"exponent", interval_of(g.exponent)},
                  {"factor", g.factor},
                  {"closest", g.closest},
                  {"residual", g.residual},
                  {"points", points}});
}

Json run_json(const Run& run) {
  auto json = to_json(run, false);
  json.erase("benchmarks");
  json.erase("schema");
  return compact(json);
}

}  // namespace

Json report_json(const ReportContent& content) {
  Json runs = Json::array(), benchmarks = Json::array(), growth = Json::array(), breakdowns = Json::array();
  for (std::size_t r = 0; r < content.runs.size(); ++r) {
    const auto& run = content.runs[r];
    runs.push_back(run_json(run));
    for (std::size_t i = 0; i < run.results.size(); ++i) {
      const bool drawn = r < content.samples.size() && i < content.samples[r].size();
      benchmarks.push_back(benchmark_json(run, run.results[i], drawn ? &content.samples[r][i] : nullptr));
    }
  }
  for (const auto& one : content.growth) growth.push_back(growth_json(one));
  for (const auto& one : content.breakdowns) breakdowns.push_back(compact(to_json(one)));
  Json json{{"schema", 1},
            {"title", content.title},
            {"written_unix_ms", content.written_unix_ms},
            {"tare", content.version},
            {"runs", std::move(runs)},
            {"benchmarks", std::move(benchmarks)}};
  if (content.comparison) json["comparison"] = compact(to_json(*content.comparison));
  if (!growth.empty()) json["growth"] = std::move(growth);
  if (!breakdowns.empty()) json["breakdowns"] = std::move(breakdowns);
  if (content.pareto) json["pareto"] = compact(to_json(*content.pareto));
  return json;
}

}  // namespace tare
