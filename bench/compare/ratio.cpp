#include "bench/compare/ratio.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <stdexcept>

#include "bench/analyse/distributions.hpp"
#include "bench/analyse/random.hpp"
#include "bench/compare/values.hpp"

namespace tare {
namespace {

using Centre = std::optional<double> (*)(Values);

bool all_positive(Values values) {
  return std::all_of(values.begin(), values.end(), [](double v) { return v > 0; });
}

void draw_again(Values from, std::vector<double>& to, Random& random) {
  to.resize(from.size());
  for (double& v : to) v = from[random.index(static_cast<std::uint32_t>(from.size()))];
}

/// Sums of the jackknife's influences of one side's values on the logarithm of its centre.
struct Influence {
  double squares = 0;
  double cubes = 0;
};

Influence influence(Values values, double sign) {
  const auto n = static_cast<double>(values.size());
  std::vector<double> without;
  const double total = n * *mean(values);
  for (const double v : values) without.push_back(sign * std::log((total - v) / (n - 1)));
  const double centre = *mean(without);
  Influence sum;
  for (const double v : without) {
    const double u = (n - 1) / n * (centre - v);
    sum.squares += u * u;
    sum.cubes += u * u * u;
  }
  return sum;
}

double acceleration(Values numerator, Values denominator) {
  const auto above = influence(numerator, 1), below = influence(denominator, -1);
  const double squares = above.squares + below.squares;
  return squares > 0 ? (above.cubes + below.cubes) / (6 * std::pow(squares, 1.5)) : 0;
}

/// The replicates of the ratio, ascending.
std::vector<double> replicates(Values numerator, Values denominator, Centre centre, std::uint64_t seed,
                               std::size_t count) {
  Random random(seed);
  std::vector<double> above, below, ratios(count);
  for (double& ratio : ratios) {
    draw_again(numerator, above, random);
    draw_again(denominator, below, random);
    ratio = *centre(above) / *centre(below);
  }
  std::sort(ratios.begin(), ratios.end());
  return ratios;
}

double bias(const std::vector<double>& ratios, double point) {
  const auto [first, last] = std::equal_range(ratios.begin(), ratios.end(), point);
  const auto count = static_cast<double>(ratios.size());
  const double below = static_cast<double>((first - ratios.begin()) + (last - ratios.begin())) / 2;
  return normal_quantile(std::clamp(below, 0.5, count - 0.5) / count);
}

std::optional<Estimate> ratio(Values numerator, Values denominator, Centre centre, bool accelerated,
                              std::uint64_t seed, double confidence, std::size_t resamples) {
  require_share(confidence, "ratio", "confidence");
  if (resamples < 2)
    throw std::invalid_argument(fmt::format("ratio: {} resamples cannot make an interval", resamples));
  require_finite(numerator, "ratio");
  require_finite(denominator, "ratio");
  if (numerator.empty() || denominator.empty()) return std::nullopt;
  if (!all_positive(numerator) || !all_positive(denominator)) return std::nullopt;
  Estimate estimate{*centre(numerator) / *centre(denominator), std::nullopt, std::nullopt, confidence,
                    accelerated ? "BCa bootstrap" : "percentile bootstrap"};
  if (numerator.size() < 2 || denominator.size() < 2) return estimate;
  const auto ratios = replicates(numerator, denominator, centre, seed, resamples);
  if (ratios.front() == ratios.back()) return estimate;
  const double shift = accelerated ? bias(ratios, estimate.point) : 0;
  const double curve = accelerated ? acceleration(numerator, denominator) : 0;
  const auto limit = [&](double z) {
    return quantile_of_sorted(ratios, normal_cdf(shift + (shift + z) / (1 - curve * (shift + z))));
  };
  const double z = normal_quantile(1 - (1 - confidence) / 2);
  estimate.low = limit(-z);
  estimate.high = limit(z);
  return estimate;
}

}  // namespace

std::optional<Estimate> ratio_of_means(Values numerator, Values denominator, std::uint64_t seed,
                                       double confidence, std::size_t resamples) {
  return ratio(numerator, denominator, mean, true, seed, confidence, resamples);
}

std::optional<Estimate> ratio_of_medians(Values numerator, Values denominator, std::uint64_t seed,
                                         double confidence, std::size_t resamples) {
  return ratio(numerator, denominator, median, false, seed, confidence, resamples);
}

}  // namespace tare
