// Variants that trade several metrics against each other: which of them nothing else beats, who beats the
// others, and which to take for what purpose.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/model/comparison.hpp"

namespace tare {

struct ParetoMetric {
  std::string name;
  std::string unit;
  Better better = Better::less;  ///< never neither

  bool operator==(const ParetoMetric&) const = default;
};

/// "accuracy>=0.95": what a point must keep to be a candidate.
struct ParetoConstraint {
  std::string metric;
  bool at_least = true;  ///< otherwise at most
  double bound = 0;      ///< in the metric's unit

  bool operator==(const ParetoConstraint&) const = default;
};

struct ParetoPoint {
  std::string name;
  std::vector<Estimate> values;           ///< one per metric
  bool allowed = true;                    ///< by every constraint
  std::vector<std::string> violates;      ///< constraints that do not hold, as written
  bool frontier = false;                  ///< allowed, and no allowed point dominates it
  std::vector<std::string> dominated_by;  ///< allowed points that are better beyond doubt and nowhere worse
  std::vector<std::string> ties;          ///< points that no metric tells apart from this one
  std::vector<NormalisedMetric> normalised = {};  ///< against the base, when one was named

  bool operator==(const ParetoPoint&) const = default;
};

struct Recommendation {
  std::string purpose;  ///< "latency-critical", "memory-constrained", "accuracy-preserving", "balanced"
  std::string point;
  std::string reason;   ///< one sentence
  std::string figures;  ///< "time 1.20 ms, accuracy 0.951"

  bool operator==(const Recommendation&) const = default;
};

struct ParetoFront {
  std::vector<ParetoMetric> metrics;
  std::vector<ParetoConstraint> constraints;
  std::vector<ParetoPoint> points;
  std::vector<Recommendation> recommendations;
  std::vector<std::string> left_out;  ///< points that lack a metric, with the reason
  std::string base = {};              ///< the point that `normalised` is against; empty: none

  bool operator==(const ParetoFront&) const = default;
};

/// "accuracy>=0.95".
std::string text_of(const ParetoConstraint& constraint);

}  // namespace tare
