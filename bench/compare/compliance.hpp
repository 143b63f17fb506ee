// Standard tasks with targets, as MLPerf Tiny has them: accuracy on held-out data, and latency by its 99th
// percentile unless asked otherwise. A task that was not measured or crashed counts as failed, never as
// absent.
#pragma once

#include <map>
#include <string_view>

#include "bench/model/compliance.hpp"
#include "bench/support/result.hpp"

namespace tare {

/// Tasks in TOML: [[task]] with name, benchmark, accuracy (0 … 1) and latency ("100ms"). "{variant}" in a
/// benchmark's name is replaced by the value of that key; one without a value is an Error.
Result<std::vector<TaskTarget>> parse_tasks(std::string_view text, std::string_view name,
                                            const std::map<std::string, std::string>& values);

/// Of a run whose results are summarised. The latency is the benchmark's own latency_p50, _p90, _p99 where it
/// has them, for "mean" its time; judged by the points. An Error for an unknown quantile.
Result<Compliance> comply(const Run& run, const std::vector<TaskTarget>& tasks,
                          const std::string& quantile = "p99");

}  // namespace tare
