// Model values as JSON and back: the one encoding that the protocol, the store, --format json and the report
// share. Reading checks every field and answers with an Error; unknown fields are ignored, so newer writers
// can add some.
#pragma once

#include "bench/model/run.hpp"
#include "bench/support/json.hpp"

namespace tare {

Json to_json(const Workload& workload);
Json to_json(const Sample& sample);
Json to_json(const Summary& summary);
Json to_json(const Metric& metric, bool with_samples = true);
Json to_json(const BenchmarkId& id);
Json to_json(const BenchmarkResult& result, bool with_samples = true);
Json to_json(const Machine& machine);
Json to_json(const Build& build);
Json to_json(const Binary& binary);
Json to_json(const Run& run, bool with_samples = true);
Json to_json(const RunInfo& info);
Json to_json(const Baseline& baseline);
Json to_json(const Warning& warning);
Json to_json(const Finding& finding);
Json to_json(const std::vector<Finding>& findings);

Result<Workload> workload_from_json(const Json& json);
Result<Sample> sample_from_json(const Json& json);
/// Without the summary, which is derived: analyse the metric again.
Result<Metric> metric_from_json(const Json& json);
Result<BenchmarkId> id_from_json(const Json& json);
Result<BenchmarkResult> benchmark_from_json(const Json& json);
Result<Build> build_from_json(const Json& json);
Result<Machine> machine_from_json(const Json& json);
Result<Run> run_from_json(const Json& json);

}  // namespace tare
