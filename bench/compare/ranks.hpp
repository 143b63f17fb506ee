// How far values lie from zero, or two samples from each other, by ranks: the Hodges-Lehmann estimate with
// the interval that inverts the exact signed-rank or rank-sum test (Hollander, Wolfe and Chicken,
// Nonparametric Statistical Methods, 3rd ed., chapters 3 and 4).
//
// The signed-rank test asks only that the values are symmetric around their centre. Log-ratios of two like
// sides are, because the sides swap their roles; the test then keeps its level exactly, however heavy the
// tails, and pays for a few wild processes with a few ranks only. Ties and zeros are given mid-ranks and the
// conditional distribution is computed exactly, so that told times and counts work too. Where the number of
// values does not allow the level asked for (six values cannot be surer than 1 in 32), there is no interval.
#pragma once

#include <optional>

#include "bench/analyse/estimators.hpp"

namespace tare {

struct Shift {
  double centre = 0;
  std::optional<double> low;  ///< at the level asked for; empty when that cannot be reached
  std::optional<double> high;
  double p = 1;  ///< two-sided, of no shift
};

/// Of the values' centre from 0. Throws on no values.
Shift signed_rank_shift(Values values, double level);
/// Of `after` from `before`. Throws when a side is empty.
Shift rank_sum_shift(Values before, Values after, double level);

}  // namespace tare
