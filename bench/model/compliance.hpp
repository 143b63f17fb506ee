// Whether a run meets the targets of standard tasks.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/model/run.hpp"

namespace tare {

struct TaskTarget {
  std::string name;       ///< "keyword spotting"
  std::string benchmark;  ///< full name
  double accuracy = 0;    ///< at least
  double latency_ns = 0;  ///< at most
};

struct TaskFinding {
  TaskTarget target;
  std::string problem;  ///< why there is nothing to judge: missing, crashed, …; empty otherwise
  std::optional<Estimate> accuracy;
  std::optional<Estimate> latency;  ///< of the quantile that is judged
  std::optional<double> mean_ns, deviation_ns, p50_ns, p90_ns, p99_ns, longest_ns, items_per_second;
  bool accuracy_met = false;
  bool latency_met = false;

  [[nodiscard]] bool compliant() const { return problem.empty() && accuracy_met && latency_met; }
};

struct Compliance {
  std::string quantile = "p99";  ///< of the latency: p50, p90, p99 or mean
  std::int64_t run = 0;
  std::int64_t started_unix_ms = 0;
  std::uint64_t seed = 0;
  std::string version;                ///< of tare
  std::vector<TaskFinding> findings;  ///< one per task, whatever became of it

  [[nodiscard]] std::size_t compliant() const;
  [[nodiscard]] bool whole() const { return compliant() == findings.size(); }
};

}  // namespace tare
