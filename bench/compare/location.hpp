// The mean of a few values, such as the log-ratios of processes, with what a t test and a t interval need.
//
// By simulation (location_simulation_test.cpp): false alarms at the levels 5 % and 0.025 %, in per cent of
// all measurements, and power at 5 % and 0.025 % for a difference of 6 / √n deviations of the undisturbed
// values (1.4 times that for t3, 1.6 for the mixture). t3 is Student's t of 3 degrees; in the mixture one
// value in five has 5 times the spread.
//
//            normal                      t3                        mixture
//    n    alarms     power         alarms     power          alarms     power
//    6   5.0 0.026  100  18       3.9 0.012   95  26       2.9 0.013   86  26
//   10   5.0 0.025  100  58       4.0 0.008   97  57       2.9 0.006   90  42
//   20   5.0 0.025  100  90       4.3 0.009   98  76       3.6 0.002   93  50
//   40   5.0 0.026  100  97       4.5 0.008   98  83       4.4 0.002   95  56
//
// Read: the mean never raises more alarms than it should, but heavy tails cost it most of its power at the
// levels that a suite needs; verdicts therefore come from ranks (ranks.hpp).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "bench/analyse/estimators.hpp"
#include "bench/model/summary.hpp"

namespace tare {

struct Location {
  double centre = 0;
  double standard_error = 0;  ///< above 0
  double degrees = 0;         ///< of freedom of Student's t
  std::string method;

  bool operator==(const Location&) const = default;
};

/// Mean and standard error, n − 1 degrees of freedom. std::nullopt for fewer than two values, and for values
/// without spread: they say nothing about the error. A value that is not finite throws std::invalid_argument.
std::optional<Location> mean_location(Values values);

/// Of the t test that the centre is `null`, two-sided.
double p_value(const Location& location, double null = 0);

/// The centre ± Student's t at this two-sided significance level: a 95 % interval has level 0.05. No limits
/// at level 0.
Estimate interval(const Location& location, double level);

/// The two-sided p that values symmetric around `null` have a mean as far from it, over all changes of their
/// signs (Fisher 1935): exact up to 16 values, beyond that `draws` random ones, counting the sample itself.
/// Without values std::nullopt. The smallest p of n values is 2 / 2ⁿ.
std::optional<double> sign_flip_p(Values values, double null = 0, std::uint64_t seed = 1,
                                  std::size_t draws = 20'000);

}  // namespace tare
