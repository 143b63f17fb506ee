// Measures two benchmarks against each other, so that what disturbs the machine disturbs both alike.
//
// Both workers are alive at once and one of them works at a time: a round is four turns, A-B-B-A or B-A-A-B,
// of one or a few samples each, with one iteration count for both sides. Drift that is linear over a round
// cancels. Rounds are repeated in several pairs of processes; placement, the side that is started and ended
// first, and the CPU are drawn anew for each. A pair shares one CPU as long as both bodies compute on one
// thread: two CPUs have two neighbourhoods, and identical code on them can differ by some per cent for as
// long as the pair lives.
//
// Measuring knows nothing of statistics: whether the pairs so far decide is asked of the caller.
#pragma once

#include "bench/measure/runner.hpp"

namespace tare {

/// Starts a fresh worker on this CPU, or on any.
using StartOnCpu = std::function<Answer<Worker>(Instant deadline, std::optional<int> cpu)>;

struct Contender {
  Listed listed;
  StartOnCpu start;
};

struct DuelPlan {
  Plan plan;                          ///< `processes` are pairs of processes
  std::optional<std::size_t> rounds;  ///< exactly that many per process, instead of by budget
  std::vector<int> cpus;              ///< a pair shares one of them; empty: the system places the workers
  std::size_t pairs = 10;             ///< of processes that the budget should suffice for
};

struct DuelHooks {
  /// Whether the pairs of processes so far decide, asked after each. `fraction` of the budget is spent; 1
  /// means that no further pair will be started.
  std::function<bool(BenchmarkResult& before, BenchmarkResult& after, double fraction)> decided;
  std::function<void(const Progress&)> progress;
};

struct DuelResult {
  BenchmarkResult before;
  BenchmarkResult after;
  std::size_t processes = 0;
  std::size_t rounds = 0;  ///< all processes together
  double seconds = 0;
};

/// Never fails as a whole: what went wrong is the outcome and message of the side that it happened to.
DuelResult measure_duel(const Contender& before, const Contender& after, const DuelPlan& plan,
                        const DuelHooks& hooks);

/// Wall time for one pair of processes: four times what starting a pair costs, but at least a fortieth of the
/// budget and no more than leaves it for the pairs wanted.
std::chrono::nanoseconds share_of_pair(const DuelPlan& plan, std::chrono::nanoseconds start_cost);

}  // namespace tare
