// Comparisons and what a gate found as JSON and back, by the rules of bench/model/json.hpp.
#pragma once

#include "bench/model/comparison.hpp"
#include "bench/support/json.hpp"

namespace tare {

Json to_json(const NormalisedMetric& metric);
Result<NormalisedMetric> normalised_from_json(const Json& json);
Json to_json(const MetricComparison& metric);
Json to_json(const BenchmarkComparison& benchmark);
Json to_json(const Comparison& comparison);
Json to_json(const GateFinding& finding);
Json to_json(const GateResult& result);

Result<Comparison> comparison_from_json(const Json& json);
Result<GateFinding> finding_from_json(const Json& json);
Result<GateResult> gate_from_json(const Json& json);

}  // namespace tare
