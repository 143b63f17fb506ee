// Whole commands against the first of them, in rounds.
//
// Every execution is a fresh process, so a round is what repeats: it runs all commands once forward and once
// backward (A B C C B A), in an order drawn anew, on one CPU, the next round on another. A round counts as a
// process of bench/compare does: a command's value is the better of its two times, which repeats two to three
// times as well on a loaded machine as their mean (docs/measurements/compare.md says why), and the logarithm
// of its ratio to the first command's is one value for the signed ranks. Drift over a round favours whom the
// order put first, in either direction alike. The ranks decide now and then, with alpha spent for every look.
// It ends when every command is shown to be faster, slower or the same, or when the budget is spent.
//
// An empty command takes part in every round: the median of its better times is the cost of the shell, which
// is the overhead of the metrics "time" and "cpu_time"; their samples stay as they were read. Where a command
// is not always clearly longer than that, ratios are taken with the shell in them, and say so. The
// uncertainty of the shell's cost is in the times of the commands but not in the ratio's interval: it moves
// both sides alike. Switches between a command's own processes look like those that others cause, so no
// interference is recorded but page faults.
#pragma once

#include <functional>

#include "bench/compare/compare.hpp"
#include "bench/measure/executions.hpp"

namespace tare::cli {

struct ContestPlan {
  std::chrono::nanoseconds budget = std::chrono::seconds(10);
  std::optional<std::size_t> rounds;  ///< exactly that many, instead of by budget
  std::vector<int> cpus;              ///< a round has one of them, in turn; empty: the system places
  bool shell = true;                  ///< its cost is measured and taken off
  double alpha = 0.05;                ///< of each pair's stopping rule
  std::uint64_t seed = 0;             ///< of the orders
};

struct ContestHooks {
  /// Runs one command; the number after the last is the shell with nothing to do.
  std::function<Result<Executed>(std::size_t command, std::optional<int> cpu)> run;
  std::function<void(std::size_t round, double fraction)> progress;
  std::function<double()> clock;  ///< seconds; absent: the steady clock
};

struct Contest {
  std::vector<BenchmarkResult> results;    ///< process numbers are round numbers
  std::vector<BenchmarkComparison> pairs;  ///< of each to the first; verdicts wait for conclude()
  std::size_t rounds = 0;
  double seconds = 0;
};

/// Commands whose outcome is not ok already are left out of the rounds. One that goes wrong ends the contest
/// with the finished rounds; so does cancelling.
Contest hold_contest(std::vector<BenchmarkResult> commands, const ContestPlan& plan,
                     const CompareOptions& options, const ContestHooks& hooks);

}  // namespace tare::cli
