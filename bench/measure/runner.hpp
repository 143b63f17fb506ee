// Measures one benchmark: processes × samples, with checks before and after, meters in passes of their own.
// Measuring knows nothing of statistics: whether a result is precise enough is asked of the caller.
#pragma once

#include <atomic>
#include <functional>

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

/// Never fails as a whole: what went wrong is the result's outcome and message.
BenchmarkResult measure_benchmark(const Listed& listed, const Plan& plan, const StartWorker& start,
                                  const Hooks& hooks);

/// The benchmarks of a worker.
Answer<std::vector<Listed>> list_benchmarks(const StartWorker& start, Build* build = nullptr);

}  // namespace tare
