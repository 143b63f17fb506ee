// Which of several variants to take, when they trade metrics against each other.
//
// Two values of a metric are told apart when their intervals do not overlap, and are tied otherwise; a value
// without an interval is its point. One point dominates another when it is better in at least one metric and
// in no metric worse, ties counting as equal: what cannot be told apart decides nothing. Ties are not
// transitive, so with three metrics or more points may dominate each other in a circle; those of a circle
// that nothing else dominates are all on the frontier and are listed as ties. Constraints are judged by the
// points.
//
// Limits: an interval of 95 % for each value does not make dominance 95 % sure, and overlapping intervals may
// still differ: compare two variants live (tare compare) when it matters.
#pragma once

#include <string_view>

#include "bench/model/benchmark.hpp"
#include "bench/model/pareto.hpp"
#include "bench/support/result.hpp"

namespace tare {

struct ParetoCandidate {
  std::string name;
  std::vector<Estimate> values;  ///< one per metric
};

/// Throws std::invalid_argument when a candidate has another number of values than there are metrics, when a
/// metric has no direction, or when a constraint names none of the metrics.
ParetoFront pareto_front(std::vector<ParetoMetric> metrics, const std::vector<ParetoCandidate>& candidates,
                         std::vector<ParetoConstraint> constraints = {});

struct ParetoRequest {
  std::vector<std::string> metrics;           ///< names; "latency" is time, "memory" is peak_bytes
  std::vector<ParetoConstraint> constraints;  ///< their metrics join the others
  std::string of;         ///< a parameter whose values are the points; empty: every benchmark is one
  std::string base = {};  ///< the point that the others are normalised against; empty: none
};

/// Of summarised results. Those that were not measured or lack a metric are left out and named. An Error when
/// nothing is left, a metric is unknown or has no direction, one value of the parameter has several
/// benchmarks, or the base is none of the points.
Result<ParetoFront> pareto_of(const std::vector<BenchmarkResult>& results, const ParetoRequest& request);

/// "accuracy>=0.95", "latency<=2ms", "memory<=64MiB".
Result<ParetoConstraint> parse_constraint(std::string_view text);

/// What people call it → the metric's name.
std::string metric_named(std::string_view word);

}  // namespace tare
