// How far values lie from zero, or two samples from each other, by ranks: the Hodges-Lehmann estimate with
// the interval that inverts the exact signed-rank or rank-sum test (Hollander, Wolfe and Chicken,
// Nonparametric Statistical Methods, 3rd ed., chapters 3 and 4).
//
// The signed-rank test asks only that the values are symmetric around their centre. Log-ratios of two like
// sides are, because the sides swap their roles; the test then keeps its level exactly, however heavy the
// tails, and pays for a few wild processes with a few ranks only. Ties and zeros are given mid-ranks and the
// conditional distribution is computed exactly, so that told times and counts work too. Where the number of
// values does not allow the level asked for (six values cannot be surer than 1 in 32), there is no interval.
//
// Signed ranks of up to N values under the looks of decides() (compare.hpp): the first at 6 values, the next
// when there is a fifth more, the last at N. By simulation (ranks_simulation_test.cpp); for t3 and the
// mixture, nine values in ten of which have 1/100 of the spread of the rest, the alarms are the same within
// error, as they must be. 0.05 / 200 is the alpha of one comparison in a suite of 200.
//
//   N                                  12     20     37     40
//   false alarms ÷ alpha, 0.05       0.84   0.94   1.00   0.98
//                         0.05 / 200    0   0.72   0.86   0.90
//
// The interval at the last look, at that look's level of 0.05, held the true centre in 94.9 % (none; ± 0.2)
// to 99.8 % (a plain difference) of the measurements, for all three laws and N.
//
// Probability of finding a difference, beside that of a t test under the same looks:
//
//                                      N = 12         20            40
//   alpha                              ranks  t       ranks  t      ranks  t
//   0.05        normal, 0.8 deviations  0.61 0.67      0.89 0.91     1.00 1.00
//               t3, 1                   0.58 0.59      0.84 0.77     0.99 0.94
//               mixture, 0.02           0.72 0.54      0.95 0.52     1.00 0.49
//   0.05 / 200  normal, 0.8 deviations  0    0.03      0.15 0.18     0.76 0.78
//               t3, 1                   0    0.03      0.15 0.13     0.66 0.52
//               mixture, 0.02           0    0.29      0.46 0.30     0.89 0.26
//
// Read: the looks cost no alarms, and ranks lose a few points on normal values to win many on what a shared
// machine gives. 12 values cannot reach 0.05 / 200 at all: a large suite needs more processes.
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
