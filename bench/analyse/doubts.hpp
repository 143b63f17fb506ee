// The warnings a summary carries, each from one observation about the steady samples. Nothing here changes a
// number; the thresholds are stated at each function in doubts.cpp and in the text of the warning.
#pragma once

#include <span>
#include <vector>

#include "bench/analyse/processes.hpp"
#include "bench/model/metric.hpp"

namespace tare {

/// What the harness itself cost in one of these samples, and whether what remains is more than its doubt.
struct Resolution {
  double share = 0;      ///< of what was read that was subtracted, median over the samples
  double error = 0;      ///< standard error of the subtraction, per iteration
  bool resolved = true;  ///< false: the remainder is not clearly above zero
  double remainder = 0;  ///< median per sample
  double remainder_error = 0;
};

/// Resolved means: the median remainder exceeds three standard errors (of the overhead and of the median,
/// taken together) and 5 % of the overhead, since the calibration loop is never placed exactly like the
/// measured one. A metric without overhead is always resolved.
Resolution resolution_of(const Metric& metric, std::span<const ProcessSeries> processes);

/// Doubts that rest on the samples and on the numbers already in the summary.
std::vector<Warning> doubts_about(const Metric& metric, const Summary& summary,
                                  std::span<const ProcessSeries> processes, std::span<const WarmUp> warm_ups,
                                  const Resolution& resolution);

}  // namespace tare
