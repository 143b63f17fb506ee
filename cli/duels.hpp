// A live comparison: measures every pair of benchmarks side by side and gives the verdicts. What every
// command that compares live shares.
#pragma once

#include "bench/compare/compare.hpp"
#include "bench/measure/duel.hpp"
#include "cli/keeping.hpp"
#include "cli/options.hpp"
#include "cli/pairing.hpp"

namespace tare::cli {

/// --budget, --processes, --rounds, --meters, --seed, --pin, --spread, --time-limit.
struct DuelOptions {
  PlanOptions plan;
  std::size_t rounds = 0;
  bool spread = false;

  DuelOptions() { plan.meters = "allocations"; }
  /// `wall` is what the option for the wall time is called.
  void add_to(CLI::App& app, const std::string& wall = "--budget");
  [[nodiscard]] Result<DuelPlan> plan_of() const;
};

/// --confidence, --margin, --correction, --allow.
struct VerdictOptions {
  std::string confidence = "95%";
  std::string margin = "1%";
  std::string correction = "holm";
  std::vector<std::string> allowed;

  void add_to(CLI::App& app);
  [[nodiscard]] Result<CompareOptions> options() const;
};

/// Starts workers of a binary on a CPU, each with a placement of its own.
StartOnCpu starter_on_cpu(const std::string& binary, const std::atomic<bool>* cancelled);

struct DuelObserver {
  std::function<void(std::size_t index, const Progress&)> progress;
  std::function<void(const DuelResult&, const BenchmarkComparison&)> finished;
  /// Whether a pair is decided, asked at every look. Absent: when the sides are shown to differ.
  std::function<bool(const BenchmarkComparison&)> enough;
};

/// Ends after the pair under way when cancelled.
Comparison measure_pairs(const Pairing& pairing, const DuelPlan& asked, const CompareOptions& options,
                         const DuelObserver& observer, const std::atomic<bool>* cancelled);

/// With a progress line, both sides kept as runs, and the comparison beside them.
Result<Comparison> compare_live(const Pairing& pairing, const DuelPlan& plan, const CompareOptions& options,
                                const DuelObserver& observer, const KeepingOptions& keeping,
                                const std::vector<std::string>& arguments,
                                const std::atomic<bool>& cancelled);

/// 0 nothing is worse, 1 something is, 2 a failure or an incomparable pair, 3 undecided.
int exit_code_of(const Comparison& comparison);

}  // namespace tare::cli
