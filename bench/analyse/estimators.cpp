#include "bench/analyse/estimators.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numeric>
#include <stdexcept>

namespace tare {

std::vector<double> sorted(Values values) {
  std::vector<double> ascending(values.begin(), values.end());
  std::sort(ascending.begin(), ascending.end());
  return ascending;
}

std::optional<double> mean(Values values) {
  if (values.empty()) return std::nullopt;
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

std::optional<double> variance(Values values) {
  if (values.size() < 2) return std::nullopt;
  const double centre = *mean(values);
  double squares = 0, rest = 0;
  for (const double v : values) {
    squares += (v - centre) * (v - centre);
    rest += v - centre;
  }
  const auto n = static_cast<double>(values.size());
  // `rest` is 0 but for the rounding of the centre; taking it off restores the lost digits.
  return std::max(0.0, (squares - rest * rest / n) / (n - 1));
}

std::optional<double> deviation(Values values) {
  const auto v = variance(values);
  if (!v) return std::nullopt;
  return std::sqrt(*v);
}

double quantile_of_sorted(Values ascending, double p) {
  const double position = p * static_cast<double>(ascending.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  if (below + 1 >= ascending.size()) return ascending.back();
  const double share = position - static_cast<double>(below);
  return ascending[below] + share * (ascending[below + 1] - ascending[below]);
}

std::optional<double> quantile(Values values, double p) {
  if (!(p >= 0 && p <= 1))
    throw std::invalid_argument(fmt::format("quantile: p is {}, but must be in 0 … 1", p));
  if (values.empty()) return std::nullopt;
  return quantile_of_sorted(sorted(values), p);
}

std::optional<double> median(Values values) {
  if (values.empty()) return std::nullopt;
  std::vector<double> copy(values.begin(), values.end());
  const auto middle = copy.begin() + static_cast<std::ptrdiff_t>(copy.size() / 2);
  std::nth_element(copy.begin(), middle, copy.end());
  if (copy.size() % 2 == 1) return *middle;
  const double below = *std::max_element(copy.begin(), middle);
  return below + (*middle - below) / 2;
}

std::optional<double> mad(Values values) {
  const auto centre = median(values);
  if (!centre) return std::nullopt;
  std::vector<double> distances;
  distances.reserve(values.size());
  for (const double v : values) distances.push_back(std::abs(v - *centre));
  return median(distances);
}

std::optional<double> variation(Values values) {
  const auto s = deviation(values);
  if (!s || *mean(values) == 0) return std::nullopt;
  return *s / std::abs(*mean(values));
}

std::optional<double> skewness(Values values) {
  const auto n = static_cast<double>(values.size());
  if (values.size() < 3 || !(*variance(values) > 0)) return std::nullopt;
  const double centre = *mean(values);
  double squares = 0, cubes = 0;
  for (const double v : values) {
    squares += (v - centre) * (v - centre);
    cubes += (v - centre) * (v - centre) * (v - centre);
  }
  const double g1 = (cubes / n) / std::pow(squares / n, 1.5);
  return g1 * std::sqrt(n * (n - 1)) / (n - 2);
}

}  // namespace tare
