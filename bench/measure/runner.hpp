// Measures benchmarks: processes × samples, with checks before and after, meters in passes of their own.
// Measuring knows nothing of statistics: whether a result is precise enough is asked of the caller.
#pragma once

#include <atomic>
#include <functional>
#include <span>

#include "bench/measure/plan.hpp"
#include "bench/measure/worker.hpp"

namespace tare {

/// Starts a fresh worker; called once per process.
using StartWorker = std::function<Answer<Worker>(Instant deadline)>;

struct Progress {
  std::size_t process = 0;
  double fraction = 0;  ///< of the benchmark's budget
};

struct Hooks {
  /// Whether the result so far is precise enough. Absent: never, so the budget decides.
  std::function<bool(BenchmarkResult&)> precise;
  std::function<void(const Progress&)> progress;
};

/// A benchmark to measure.
struct Entrant {
  Listed listed;
  StartWorker start;
  Hooks hooks;
};

/// Processes of the benchmarks take turns, to and fro, so that a drift of the machine falls on all alike; a
/// benchmark that is done takes no more turns. One benchmark alone is simply measured. Never fails as a
/// whole: what went wrong is a result's outcome and message.
std::vector<BenchmarkResult> measure_in_turns(std::span<const Entrant> entrants, const Plan& plan);

/// The benchmarks of a worker.
Answer<std::vector<Listed>> list_benchmarks(const StartWorker& start, Build* build = nullptr);

}  // namespace tare
