// Ratios between benchmarks that differ in one parameter only, and claims about them.
//
// The interval of a ratio combines both sides' intervals on the logarithmic scale in quadrature, as if they
// were independent; the sides were measured one after the other, so drift of the machine between them is not
// in it. Compare two of them live (tare compare) when a few per cent matter. A geometric mean's interval
// combines the ratios' the same way: it tells the noise of this run, not how other workloads would turn out.
#pragma once

#include <vector>

#include "bench/model/benchmark.hpp"
#include "bench/model/pivot.hpp"
#include "bench/support/result.hpp"

namespace tare {

struct PivotOptions {
  std::string parameter;
  std::string metric = "time";
  std::string per;            ///< divide by this metric of the same benchmark
  std::string base = "best";  ///< or one of the parameter's values
};

/// The quotient with its interval; an exact side adds nothing. Empty when the lower side is not positive.
std::optional<Estimate> ratio_of(const Estimate& value, const Estimate& base);

/// An Error when no result has the parameter or the base is none of its values. Rows and columns in order of
/// first appearance; results must have been summarised.
Result<PivotTable> pivot(const std::vector<BenchmarkResult>& results, const PivotOptions& options);

/// Pairs are found by replacing one of `of` in a full name by each of `to`. Two zeros count as the ratio one.
std::vector<HypothesisFinding> test_hypotheses(const std::vector<BenchmarkResult>& results,
                                               const std::vector<Hypothesis>& hypotheses);

}  // namespace tare
