// Elementary statistics of one sample. Undefined is std::nullopt, never 0: nothing of an empty sample, no
// deviation of a single value, no relative variation around 0.
// The values may come in any order; every value must be finite.
#pragma once

#include <optional>
#include <span>
#include <vector>

namespace tare {

using Values = std::span<const double>;

std::vector<double> sorted(Values values);

std::optional<double> mean(Values values);
/// With n − 1 in the denominator, in two passes so that a large offset costs no digits.
std::optional<double> variance(Values values);
std::optional<double> deviation(Values values);
std::optional<double> median(Values values);
/// Hyndman and Fan's type 7 (the default of NumPy and R). p outside 0 … 1 throws std::invalid_argument.
std::optional<double> quantile(Values values, double p);
/// The same of values already in ascending order: no copy. They must not be empty.
double quantile_of_sorted(Values ascending, double p);
/// Median of the absolute distances from the median, unscaled.
std::optional<double> mad(Values values);
/// mad() times this estimates the deviation of normal data.
inline constexpr double mad_to_deviation = 1.4826022185056018;
/// deviation / |mean|.
std::optional<double> variation(Values values);
/// The adjusted Fisher-Pearson coefficient G1; undefined below three values or without spread.
std::optional<double> skewness(Values values);

}  // namespace tare
