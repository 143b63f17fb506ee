// How a time grows with the size of the problem.
//
// Two answers. The power law c·nᵏ: a straight line through the logarithms, with a t interval for k. And the
// best of {1, log n, n, n log n, n², n³}: for each the factor c that fits the logarithms best, compared by
// the root mean square of the relative (logarithmic) residuals, so that small sizes count as much as large
// ones. Limits: a fixed cost beside the growing one bends the line, and k then lies between both. With sizes
// over less than a decade n and n log n can hardly be told apart: look at the residuals of all candidates.
#pragma once

#include <span>
#include <vector>

#include "bench/model/summary.hpp"
#include "bench/support/result.hpp"

namespace tare {

struct ScalingPoint {
  double n = 0;
  double time = 0;
};

enum class Growth { constant, logarithmic, linear, linearithmic, quadratic, cubic };
/// "1", "log n", "n", "n log n", "n²", "n³".
const char* name_of(Growth growth);

struct GrowthFit {
  Growth growth{};
  double factor = 0;    ///< c of c · growth(n), natural logarithm
  double residual = 0;  ///< root mean square of log(time / fit): 0.01 is 1 %

  bool operator==(const GrowthFit&) const = default;
};

struct Scaling {
  Estimate exponent;  ///< k of c · nᵏ
  double factor = 0;  ///< c
  double residual = 0;
  std::vector<GrowthFit> candidates;  ///< best first; those with log n only when every n ≥ 2

  bool operator==(const Scaling&) const = default;
};

/// An Error says why there is no answer: fewer than three different sizes, or a size or time that is not
/// positive.
Result<Scaling> fit_scaling(std::span<const ScalingPoint> points, double confidence = 0.95);

}  // namespace tare
