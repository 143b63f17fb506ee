// What comparing two sides says: one verdict per benchmark and metric, with the doubts inside.
// "Before" is the reference, "after" the change; every ratio is after ÷ before.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bench/model/run.hpp"

namespace tare {

/// For times the words are faster and slower.
enum class Verdict { better, worse, same, undecided };

/// A field in which two results differ that must agree for a fair comparison.
struct Difference {
  std::string field;  ///< "shape", "threads", "compiler", "machine": the word that --allow takes
  std::string before;
  std::string after;

  bool operator==(const Difference&) const = default;
};

struct MetricComparison {
  std::string metric;  ///< "time", "time/backward", "allocations", …
  std::string unit;
  Better better = Better::less;
  Nature nature = Nature::noisy;
  std::optional<Estimate> before;
  std::optional<Estimate> after;
  std::optional<Estimate> ratio;       ///< undefined where a side is zero or below zero
  std::optional<Estimate> mean_ratio;  ///< the same as a plain mean with a t interval, for reference
  bool within_margin = false;          ///< by two one-sided tests
  std::optional<double> difference;    ///< after − before, for exact metrics
  std::optional<double> p;             ///< that there is no difference; valid whenever the measuring stopped
  std::optional<double> corrected_p;   ///< over all of the comparison's noisy metrics
  Verdict verdict = Verdict::undecided;
  std::string reason;                   ///< why undecided, or within which margin the same; may be empty
  std::optional<double> between_share;  ///< of the log-ratios' variance: 0 … 1 lies between processes
  std::optional<double> visible;  ///< smallest relative change that this measurement finds in 4 of 5 cases
  std::optional<std::size_t> processes_needed;  ///< in all, to decide, when undecided
  std::vector<Warning> warnings;

  bool operator==(const MetricComparison&) const = default;
};

/// What the change bought, from several metrics: "speed-up", "compression", "accuracy delta", "retention",
/// "efficiency".
struct NormalisedMetric {
  std::string name;
  Estimate estimate;

  bool operator==(const NormalisedMetric&) const = default;
};

struct BenchmarkComparison {
  BenchmarkId before;
  BenchmarkId after;
  Outcome outcome = Outcome::ok;        ///< of the side that went wrong
  std::string message;                  ///< which side, and why
  bool comparable = true;               ///< false: `differences` says why, and there are no metrics
  std::vector<Difference> differences;  ///< when comparable: allowed by the user, stamped on every output
  std::vector<MetricComparison> metrics;
  std::vector<NormalisedMetric> normalised;  ///< those that both sides' metrics allow
  std::size_t processes = 0;  ///< pairs of processes, or the smaller number of the two sides; 0 when every
                              ///< round has processes of its own: then rounds are what repeats
  std::size_t rounds = 0;     ///< in all processes together; 0 when unpaired
  double seconds = 0;         ///< wall time of the measuring

  bool operator==(const BenchmarkComparison&) const = default;
  /// The name shown: the common one, or "before → after".
  [[nodiscard]] std::string name() const;
  [[nodiscard]] const MetricComparison* metric(std::string_view name) const;
};

struct ComparedSide {
  std::string name;      ///< as the user gave it: a path, a baseline, a run, a filter
  std::int64_t run = 0;  ///< in the store, when kept there
  std::string binary_hash;

  bool operator==(const ComparedSide&) const = default;
};

/// How much identical programs differed in earlier live comparisons on this machine.
struct NoiseFloor {
  std::size_t comparisons = 0;  ///< of benchmarks
  double typical = 0;           ///< median of |ratio − 1|
  double largest = 0;

  bool operator==(const NoiseFloor&) const = default;
};

struct Comparison {
  ComparedSide before;
  ComparedSide after;
  bool paired =
      false;  ///< measured live and interleaved; otherwise drift between the sides was not controlled
  bool identical = false;  ///< the same program on both sides: what is found is noise
  double confidence = 0.95;
  double margin = 0.01;  ///< within which the sides are called the same
  std::string correction =
      "Holm";  ///< of the p values over the suite: "Holm", "Benjamini-Hochberg" or "none"
  std::vector<BenchmarkComparison> benchmarks;
  std::vector<std::string> only_before;  ///< benchmarks without a partner
  std::vector<std::string> only_after;
  std::optional<Estimate> geometric_mean;  ///< of the ratios of "time"
  std::optional<NoiseFloor> noise_floor;   ///< when the store knows one
  std::vector<Warning> warnings;

  bool operator==(const Comparison&) const = default;
};

/// "faster" and "slower" for times; "better" and "worse" for everything else; "same", "undecided".
std::string word_of(Verdict verdict, const MetricComparison& metric);
const char* name_of(Verdict verdict);

/// What a gate says about one budget of one benchmark.
enum class GateOutcome { within, beyond, undecided, failed };
struct GateFinding {
  std::string benchmark;
  std::string metric;
  std::string budget;    ///< as written: "time = 5%"
  std::string observed;  ///< "+7.3 % [+6.1 %, +8.5 %]"
  GateOutcome outcome = GateOutcome::undecided;
  std::string message;

  bool operator==(const GateFinding&) const = default;
};
const char* name_of(GateOutcome outcome);

/// All that a gate says.
struct GateResult {
  GateOutcome outcome = GateOutcome::failed;  ///< the gravest finding; failed when nothing was judged
  std::vector<GateFinding> findings;          ///< in the comparison's order
  std::vector<std::string> uncovered;         ///< benchmarks that no budget speaks of
  std::vector<std::string> unused;            ///< budgets that had nothing to judge

  bool operator==(const GateResult&) const = default;
};

}  // namespace tare
