#include "bench/compare/location.hpp"

#include <cmath>

#include "bench/analyse/distributions.hpp"
#include "bench/analyse/random.hpp"
#include "bench/compare/values.hpp"

namespace tare {
namespace {

/// Sums of all sign patterns of the first n − 1 values, the last kept positive: the others mirror them.
double exact_sign_flip(const std::vector<double>& distances, double observed) {
  const std::size_t patterns = std::size_t{1} << (distances.size() - 1);
  std::size_t extreme = 0;
  for (std::size_t pattern = 0; pattern < patterns; ++pattern) {
    double sum = distances.back();
    for (std::size_t i = 0; i + 1 < distances.size(); ++i)
      sum += ((pattern >> i) & 1) != 0 ? -distances[i] : distances[i];
    extreme += std::abs(sum) >= observed ? 1 : 0;
  }
  return static_cast<double>(extreme) / static_cast<double>(patterns);
}

}  // namespace

std::optional<Location> mean_location(Values values) {
  require_finite(values, "mean_location");
  if (values.size() < 2) return std::nullopt;
  const auto n = static_cast<double>(values.size());
  Location location{*mean(values), *deviation(values) / std::sqrt(n), n - 1, "mean, t"};
  if (!(location.standard_error > 0)) return std::nullopt;
  return location;
}

double p_value(const Location& location, double null) {
  return 2 * student_cdf(-std::abs(location.centre - null) / location.standard_error, location.degrees);
}

Estimate interval(const Location& location, double level) {
  Estimate estimate{location.centre, std::nullopt, std::nullopt, 1 - level, location.method};
  if (!(level > 0)) return estimate;
  const double reach = -student_quantile(level / 2, location.degrees) * location.standard_error;
  estimate.low = location.centre - reach;
  estimate.high = location.centre + reach;
  return estimate;
}

std::optional<double> sign_flip_p(Values values, double null, std::uint64_t seed, std::size_t draws) {
  require_finite(values, "sign_flip_p");
  if (values.empty()) return std::nullopt;
  std::vector<double> distances;
  double total = 0, size = 0;
  for (const double v : values) {
    distances.push_back(v - null);
    total += v - null;
    size += std::abs(v - null);
  }
  // Sums that are equal on paper must count as such.
  const double observed = std::abs(total) - 1e-12 * size;
  if (values.size() <= 16) return exact_sign_flip(distances, observed);
  Random random(seed);
  std::size_t extreme = 1;
  for (std::size_t i = 0; i < draws; ++i) {
    double sum = 0;
    std::uint64_t bits = 0;
    for (std::size_t k = 0; k < distances.size(); ++k, bits >>= 1) {
      if (k % 64 == 0) bits = random.bits();
      sum += (bits & 1) != 0 ? -distances[k] : distances[k];
    }
    extreme += std::abs(sum) >= observed ? 1 : 0;
  }
  return static_cast<double>(extreme) / static_cast<double>(draws + 1);
}

}  // namespace tare
