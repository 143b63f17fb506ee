#include "bench/model/comparison_json.hpp"

#include "bench/model/json.hpp"
#include "bench/model/json_parts.hpp"

namespace tare {
namespace {

Json to_json(const Difference& d) {
  return {{"field", d.field}, {"before", d.before}, {"after", d.after}};
}

Json to_json(const ComparedSide& side) {
  return {{"name", side.name}, {"run", side.run}, {"binary_hash", side.binary_hash}};
}

template <class T>
Json list_of(const std::vector<T>& values) {
  Json list = Json::array();
  for (const auto& value : values) list.push_back(to_json(value));
  return list;
}

ComparedSide side_from(const Json& object, const char* name) {
  const auto json = field_or<Json>(object, name, Json::object());
  return {field_or<std::string>(json, "name", ""), field_or(json, "run", std::int64_t{0}),
          field_or<std::string>(json, "binary_hash", "")};
}

Result<Difference> difference_from(const Json& json) {
  return field<std::string>(json, "field").transform([&](const std::string& name) {
    return Difference{name, field_or<std::string>(json, "before", ""),
                      field_or<std::string>(json, "after", "")};
  });
}

Result<MetricComparison> metric_comparison_from(const Json& json) {
  MetricComparison m;
  auto name = field<std::string>(json, "metric");
  if (!name) return std::move(name).error();
  m.metric = *name;
  m.unit = field_or<std::string>(json, "unit", "");
  m.reason = field_or<std::string>(json, "reason", "");
  auto better = enum_from(field_or<std::string>(json, "better", "less"), Better::neither, "direction");
  if (!better) return std::move(better).error();
  m.better = *better;
  auto nature = enum_from(field_or<std::string>(json, "nature", "noisy"), Nature::share, "nature");
  if (!nature) return std::move(nature).error();
  m.nature = *nature;
  auto verdict =
      enum_from(field_or<std::string>(json, "verdict", "undecided"), Verdict::undecided, "verdict");
  if (!verdict) return std::move(verdict).error();
  m.verdict = *verdict;
  for (auto [key, member] : {std::pair{"before", &m.before}, std::pair{"after", &m.after},
                             std::pair{"ratio", &m.ratio}, std::pair{"mean_ratio", &m.mean_ratio}}) {
    auto estimate = estimate_from(json, key);
    if (!estimate) return std::move(estimate).error();
    *member = std::move(*estimate);
  }
  for (auto [key, member] :
       {std::pair{"difference", &m.difference}, std::pair{"p", &m.p},
        std::pair{"corrected_p", &m.corrected_p}, std::pair{"between_share", &m.between_share},
        std::pair{"visible", &m.visible}}) {
    auto number = number_from(json, key);
    if (!number) return std::move(number).error();
    *member = *number;
  }
  m.within_margin = field_or(json, "within_margin", false);
  if (auto needed = field<std::size_t>(json, "processes_needed")) m.processes_needed = *needed;
  auto warnings = warnings_from(json);
  if (!warnings) return std::move(warnings).error();
  m.warnings = std::move(*warnings);
  return m;
}

Result<BenchmarkComparison> benchmark_from(const Json& json) {
  BenchmarkComparison b;
  for (auto [key, member] : {std::pair{"before", &b.before}, std::pair{"after", &b.after}}) {
    auto id = field<Json>(json, key).and_then([](const Json& side) { return id_from_json(side); });
    if (!id) return std::move(id).error();
    *member = std::move(*id);
  }
  auto outcome = enum_from(field_or<std::string>(json, "outcome", "ok"), Outcome::cancelled, "outcome");
  if (!outcome) return std::move(outcome).error();
  b.outcome = *outcome;
  b.message = field_or<std::string>(json, "message", "");
  b.comparable = field_or(json, "comparable", true);
  auto read =
      read_list(json, "differences", b.differences, difference_from)
          .and_then([&](Done) { return read_list(json, "metrics", b.metrics, metric_comparison_from); })
          .and_then([&](Done) { return read_list(json, "normalised", b.normalised, normalised_from_json); });
  if (!read) return std::move(read).error();
  b.processes = field_or(json, "processes", std::size_t{0});
  b.rounds = field_or(json, "rounds", std::size_t{0});
  b.seconds = field_or(json, "seconds", 0.0);
  return b;
}

}  // namespace

Json to_json(const NormalisedMetric& n) {
  return {{"name", n.name}, {"estimate", to_json(std::optional(n.estimate))}};
}

Result<NormalisedMetric> normalised_from_json(const Json& json) {
  auto name = field<std::string>(json, "name");
  if (!name) return std::move(name).error();
  auto estimate = estimate_from(json, "estimate");
  if (!estimate) return std::move(estimate).error();
  if (!*estimate) return fail(fmt::format("normalised metric '{}' has no estimate", *name));
  return NormalisedMetric{*name, **estimate};
}

Json to_json(const MetricComparison& m) {
  return {{"metric", m.metric},
          {"unit", m.unit},
          {"better", name_of(m.better)},
          {"nature", name_of(m.nature)},
          {"before", to_json(m.before)},
          {"after", to_json(m.after)},
          {"ratio", to_json(m.ratio)},
          {"mean_ratio", to_json(m.mean_ratio)},
          {"within_margin", m.within_margin},
          {"difference", to_json(m.difference)},
          {"p", to_json(m.p)},
          {"corrected_p", to_json(m.corrected_p)},
          {"verdict", name_of(m.verdict)},
          {"reason", m.reason},
          {"between_share", to_json(m.between_share)},
          {"visible", to_json(m.visible)},
          {"processes_needed", m.processes_needed ? Json(*m.processes_needed) : Json(nullptr)},
          {"warnings", to_json(m.warnings)}};
}

Json to_json(const BenchmarkComparison& b) {
  return {{"name", b.name()},
          {"before", to_json(b.before)},
          {"after", to_json(b.after)},
          {"outcome", name_of(b.outcome)},
          {"message", b.message},
          {"comparable", b.comparable},
          {"differences", list_of(b.differences)},
          {"metrics", list_of(b.metrics)},
          {"normalised", list_of(b.normalised)},
          {"processes", b.processes},
          {"rounds", b.rounds},
          {"seconds", b.seconds}};
}

Json to_json(const Comparison& c) {
  return {{"schema", 1},
          {"before", to_json(c.before)},
          {"after", to_json(c.after)},
          {"paired", c.paired},
          {"identical", c.identical},
          {"confidence", c.confidence},
          {"margin", c.margin},
          {"correction", c.correction},
          {"benchmarks", list_of(c.benchmarks)},
          {"only_before", c.only_before},
          {"only_after", c.only_after},
          {"geometric_mean", to_json(c.geometric_mean)},
          {"noise_floor", c.noise_floor ? Json{{"comparisons", c.noise_floor->comparisons},
                                               {"typical", c.noise_floor->typical},
                                               {"largest", c.noise_floor->largest}}
                                        : Json(nullptr)},
          {"warnings", to_json(c.warnings)}};
}

Json to_json(const GateFinding& f) {
  return {
      {"benchmark", f.benchmark},      {"metric", f.metric},  {"budget", f.budget}, {"observed", f.observed},
      {"outcome", name_of(f.outcome)}, {"message", f.message}};
}

Json to_json(const GateResult& result) {
  return {{"schema", 1},
          {"outcome", name_of(result.outcome)},
          {"findings", list_of(result.findings)},
          {"uncovered", result.uncovered},
          {"unused", result.unused}};
}

Result<Comparison> comparison_from_json(const Json& json) {
  if (field_or(json, "schema", 0) != 1) return fail("not a comparison: field 'schema' is not 1");
  Comparison c;
  c.before = side_from(json, "before");
  c.after = side_from(json, "after");
  c.paired = field_or(json, "paired", c.paired);
  c.identical = field_or(json, "identical", c.identical);
  c.confidence = field_or(json, "confidence", c.confidence);
  c.margin = field_or(json, "margin", c.margin);
  c.correction = field_or(json, "correction", c.correction);
  auto read = read_list(json, "benchmarks", c.benchmarks, benchmark_from)
                  .and_then([&](Done) { return read_list(json, "only_before", c.only_before, text_from); })
                  .and_then([&](Done) { return read_list(json, "only_after", c.only_after, text_from); });
  if (!read) return std::move(read).error();
  auto mean = estimate_from(json, "geometric_mean");
  if (!mean) return std::move(mean).error();
  c.geometric_mean = std::move(*mean);
  if (auto floor = field<Json>(json, "noise_floor"); floor && floor->is_object()) {
    c.noise_floor = NoiseFloor{field_or(*floor, "comparisons", std::size_t{0}),
                               field_or(*floor, "typical", 0.0), field_or(*floor, "largest", 0.0)};
  }
  auto warnings = warnings_from(json);
  if (!warnings) return std::move(warnings).error();
  c.warnings = std::move(*warnings);
  return c;
}

Result<GateFinding> finding_from_json(const Json& json) {
  auto outcome = field<std::string>(json, "outcome").and_then([](const std::string& text) {
    return enum_from(text, GateOutcome::failed, "outcome of a gate");
  });
  if (!outcome) return std::move(outcome).error();
  return GateFinding{field_or<std::string>(json, "benchmark", ""),
                     field_or<std::string>(json, "metric", ""),
                     field_or<std::string>(json, "budget", ""),
                     field_or<std::string>(json, "observed", ""),
                     *outcome,
                     field_or<std::string>(json, "message", "")};
}

Result<GateResult> gate_from_json(const Json& json) {
  if (field_or(json, "schema", 0) != 1) return fail("not a gate's result: field 'schema' is not 1");
  GateResult result;
  auto outcome =
      enum_from(field_or<std::string>(json, "outcome", ""), GateOutcome::failed, "outcome of a gate");
  if (!outcome) return std::move(outcome).error();
  result.outcome = *outcome;
  auto read = read_list(json, "findings", result.findings, finding_from_json)
                  .and_then([&](Done) { return read_list(json, "uncovered", result.uncovered, text_from); })
                  .and_then([&](Done) { return read_list(json, "unused", result.unused, text_from); });
  if (!read) return std::move(read).error();
  return result;
}

}  // namespace tare
