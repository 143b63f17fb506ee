// How small a difference a measurement can see, and how large a measurement a difference needs: power of
// two-sided t tests by the non-central t law (Owen 1965).
//
// An effect is relative and tested on the log scale: 0.02 and 1 / 1.02 − 1 are the same distance from none.
// The deviation is that of the logarithms: of the process log-ratios when paired, within each side when
// independent. `n` counts pairs, or values a side. The power is exact for normal logarithms and a deviation
// that is known beforehand; with one estimated from few values, it is an estimate.
#pragma once

#include <cstddef>
#include <optional>

namespace tare {

enum class Design { paired, independent };

/// Probability that a test at level alpha finds the effect. n is at least 2, the deviation above 0, the
/// effect above −1 (nothing is faster than no time).
double power(double effect, double deviation, std::size_t n, double alpha = 0.05,
             Design design = Design::paired);

/// The smallest n with at least this power; std::nullopt when that is beyond a million, or for no effect.
std::optional<std::size_t> runs_needed(double effect, double deviation, double power = 0.8,
                                       double alpha = 0.05, Design design = Design::paired);

/// The smallest relative increase found with this power by n pairs, or values a side.
double visible_effect(double deviation, std::size_t n, double power = 0.8, double alpha = 0.05,
                      Design design = Design::paired);

}  // namespace tare
