// The centre of a few symmetric, possibly heavy-tailed values, such as the log-ratios of processes, with what
// a t test and a t interval need.
//
// By simulation (location_simulation_test.cpp): false alarms at the levels 5 % and 0.025 %, in per cent of
// all measurements, and power at 5 % and 0.025 % for a difference of 6 / √n deviations of the undisturbed
// values (1.4 times that for t3, 1.6 for the mixture). t3 is Student's t of 3 degrees; in the mixture one
// value in five has 5 times the spread, and its standard error says so. "estimated" are standard errors from
// 10 values each.
//
//                                   normal                      t3                        mixture
//                          n    alarms     power         alarms     power          alarms     power
//   mean                   6   5.0 0.026  100  18       3.9 0.012   95  26       2.9 0.013   86  26
//                         10   5.0 0.025  100  58       4.0 0.008   97  57       2.9 0.006   90  42
//                         20   5.0 0.025  100  90       4.3 0.009   98  76       3.6 0.002   93  50
//                         40   5.0 0.026  100  97       4.5 0.008   98  83       4.4 0.002   95  56
//   10 % trimmed          10   5.5 0.040  100  39       4.6 0.020   99  54       4.0 0.019   96  57
//                         20   5.3 0.035  100  81       4.8 0.018  100  88       4.0 0.014   99  83
//                         40   5.1 0.029  100  94       4.9 0.014  100  97       4.2 0.010  100  94
//   20 % trimmed           6   6.6 0.045   96   4       5.6 0.030   96   7       5.3 0.031   94   8
//                         10   6.5 0.060   99  20       5.6 0.033   99  33       5.4 0.033   99  38
//                         20   5.8 0.051  100  64       5.2 0.026  100  83       5.2 0.029  100  87
//                         40   5.4 0.037  100  87       5.1 0.025  100  97       5.0 0.022  100  98
//   weighted, known        6   5.0 0.026  100  18       3.9 0.012   95  26       5.0 0.026   98  49
//                         10   5.0 0.025  100  58       4.0 0.008   97  57       4.9 0.025  100  89
//                         20   5.0 0.025  100  90       4.3 0.009   98  76       4.9 0.025  100  99
//                         40   5.0 0.026  100  97       4.5 0.008   98  83       4.9 0.024  100 100
//   weighted, estimated    6   6.7 0.037  100  22       4.9 0.019   95  28       6.5 0.040   97  51
//                         10   7.1 0.052  100  60       5.0 0.017   97  57       6.7 0.055   99  86
//                         20   7.3 0.074  100  89       5.1 0.024   98  76       6.8 0.071  100  97
//                         40   7.4 0.086  100  96       5.1 0.018   98  82       6.7 0.086  100 100
//
// Read: the mean never raises more alarms than it should. 10 % trimming keeps the level from 20 values on, to
// within 40 % at the far tail, and is worth it when tails are heavy. Weights help most, but only if the
// standard errors are known well; from 10 values each they triple the alarms of the far tail.
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

/// The functions below give std::nullopt for fewer than two values, and for values without spread: they say
/// nothing about the error. A value that is not finite throws std::invalid_argument.

/// Mean and standard error, n − 1 degrees of freedom.
std::optional<Location> mean_location(Values values);

/// The mean without the g = ⌊share · n⌋ smallest and largest values; its error from the Winsorised deviation,
/// n − 2g − 1 degrees of freedom (Tukey and McLaughlin 1963). Below 1 / share values it is the plain mean.
/// `share` lies in [0, 0.5).
std::optional<Location> trimmed_location(Values values, double share = 0.2);

/// Mean weighted by 1 / (standard_errors² + τ²), where τ² is the variance between the values by the method of
/// Paule and Mandel (1982), its error by Hartung and Knapp (2001), n − 1 degrees of freedom. With equal
/// standard errors it is the plain mean. Each standard error is above 0, or std::invalid_argument is thrown.
std::optional<Location> weighted_location(Values values, Values standard_errors);

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
