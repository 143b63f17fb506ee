#include "bench/compare/location.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <stdexcept>

#include "bench/analyse/distributions.hpp"
#include "bench/analyse/random.hpp"
#include "bench/compare/sequential.hpp"
#include "bench/compare/values.hpp"

namespace tare {
namespace {

std::optional<Location> with_spread(Location location) {
  if (!(location.standard_error > 0)) return std::nullopt;
  return location;
}

struct Weighted {
  double centre = 0;
  double weight = 0;   ///< of all values
  double squares = 0;  ///< Σ w (x − centre)²
  double steeper = 0;  ///< Σ w² (x − centre)²: minus the derivative of `squares` by τ²
};

Weighted weigh(Values values, Values standard_errors, double tau2) {
  Weighted sum;
  const auto weight = [&](std::size_t i) { return 1 / (standard_errors[i] * standard_errors[i] + tau2); };
  for (std::size_t i = 0; i < values.size(); ++i) {
    sum.weight += weight(i);
    sum.centre += weight(i) * values[i];
  }
  sum.centre /= sum.weight;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double w = weight(i), d = values[i] - sum.centre;
    sum.squares += w * d * d;
    sum.steeper += w * w * d * d;
  }
  return sum;
}

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
  return with_spread({*mean(values), *deviation(values) / std::sqrt(n), n - 1, "mean, t"});
}

std::optional<Location> trimmed_location(Values values, double share) {
  if (!(share >= 0 && share < 0.5))
    throw std::invalid_argument(
        fmt::format("trimmed_location: the share is {}, but must be in [0, 0.5)", share));
  require_finite(values, "trimmed_location");
  if (values.size() < 2) return std::nullopt;
  auto ascending = sorted(values);
  const auto n = static_cast<double>(values.size());
  // A share such as 0.3 of 10 must not fall below 3 by its last bit.
  const auto cut = static_cast<std::size_t>(share * n * (1 + 1e-12));
  const double kept = n - 2 * static_cast<double>(cut);
  if (kept < 2) return std::nullopt;
  const double centre = *mean(std::span(ascending).subspan(cut, ascending.size() - 2 * cut));
  std::fill_n(ascending.begin(), cut, ascending[cut]);
  std::fill_n(ascending.rbegin(), cut, ascending[ascending.size() - 1 - cut]);
  const double error = *deviation(ascending) * std::sqrt(n) / kept;
  return with_spread({centre, error, kept - 1, fmt::format("{:g} % trimmed mean, t", 100 * share)});
}

std::optional<Location> weighted_location(Values values, Values standard_errors) {
  constexpr auto operation = "weighted_location";
  require_finite(values, operation);
  require_finite(standard_errors, operation);
  if (values.size() != standard_errors.size())
    throw std::invalid_argument(fmt::format("{}: {} standard errors for {} values", operation,
                                            standard_errors.size(), values.size()));
  for (const double error : standard_errors)
    if (!(error > 0))
      throw std::invalid_argument(
          fmt::format("{}: a standard error is {}, but must be above 0", operation, error));
  if (values.size() < 2) return std::nullopt;
  const double degrees = static_cast<double>(values.size()) - 1;
  double tau2 = 0;
  auto sum = weigh(values, standard_errors, tau2);
  // Newton's method from below: the sum of squares is convex and falls with τ².
  for (int i = 0; i < 100 && sum.squares > degrees * (1 + 1e-12); ++i) {
    tau2 += (sum.squares - degrees) / sum.steeper;
    sum = weigh(values, standard_errors, tau2);
  }
  return with_spread(
      {sum.centre, std::sqrt(sum.squares / degrees / sum.weight), degrees, "weighted mean, Hartung-Knapp t"});
}

double p_value(const Location& location, double null) {
  return 2 * student_cdf(-std::abs(location.centre - null) / location.standard_error, location.degrees);
}

Estimate interval(const Location& location, double level) {
  Estimate estimate{location.centre, std::nullopt, std::nullopt, 1 - level, location.method};
  const double reach = repeated_quantile(level, location.degrees) * location.standard_error;
  if (std::isinf(reach)) return estimate;
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
