#include "bench/analyse/intervals.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numbers>
#include <numeric>
#include <stdexcept>

#include "bench/analyse/dependence.hpp"
#include "bench/analyse/distributions.hpp"
#include "bench/analyse/random.hpp"

namespace tare {
namespace {

double upper_tail(double confidence, const char* operation) {
  if (!(confidence > 0 && confidence < 1))
    throw std::invalid_argument(
        fmt::format("{}: the confidence is {}, but must be between 0 and 1", operation, confidence));
  return 1 - (1 - confidence) / 2;
}

Estimate around(double point, double half_width, double confidence, const char* method) {
  return {point, point - half_width, point + half_width, confidence, method};
}

Estimate without_limits(double point, double confidence, const char* method) {
  return {point, std::nullopt, std::nullopt, confidence, method};
}

/// Normal scores of the ranks, ties at their middle rank.
std::vector<double> normal_scores(Values series) {
  std::vector<std::size_t> order(series.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return series[a] < series[b]; });
  std::vector<double> scores(series.size());
  for (std::size_t first = 0; first < order.size();) {
    std::size_t last = first;
    while (last + 1 < order.size() && series[order[last + 1]] == series[order[first]]) ++last;
    const double rank = static_cast<double>(first + last) / 2 + 1;
    const double score = normal_quantile(rank / static_cast<double>(series.size() + 1));
    for (std::size_t i = first; i <= last; ++i) scores[order[i]] = score;
    first = last + 1;
  }
  return scores;
}

/// Variance inflation of the mean of signs when the values behind them are Gaussian AR(1): the signs' lag-k
/// correlation is (2 / π) asin φᵏ.
double sign_inflation(double phi, double n) {
  double inflation = 1;
  double power = phi;
  for (double k = 1; k < n && power > 1e-6; ++k, power *= phi)
    inflation += 2 * (1 - k / n) * 2 * std::numbers::inv_pi * std::asin(power);
  return inflation;
}

}  // namespace

std::optional<Estimate> mean_t(Values values, double confidence) {
  const double tail = upper_tail(confidence, "mean_t");
  if (values.empty()) return std::nullopt;
  const double point = *mean(values);
  if (values.size() < 2) return without_limits(point, confidence, "t");
  const auto n = static_cast<double>(values.size());
  return around(point, student_quantile(tail, n - 1) * *deviation(values) / std::sqrt(n), confidence, "t");
}

std::optional<Estimate> mean_dependent(Values series, double confidence) {
  constexpr auto method = "t, corrected for dependence";
  const double tail = upper_tail(confidence, "mean_dependent");
  if (series.empty()) return std::nullopt;
  const double point = *mean(series);
  if (series.size() < 3) return without_limits(point, confidence, method);
  const auto r = lag1(series);
  if (!r) return around(point, 0, confidence, method);
  const auto n = static_cast<double>(series.size());
  const double inflation = variance_inflation(dependence(*r, n), n);
  const double independent = n / inflation;
  // Dependence also makes s² too small: its expectation is σ² (1 − inflation / n) n / (n − 1).
  const double variance_of_mean = *variance(series) * (n - 1) / n / (1 - 1 / independent) / independent;
  const double t = student_quantile(tail, std::max(independent - 1, 1.0));
  return around(point, t * std::sqrt(variance_of_mean), confidence, method);
}

std::optional<Estimate> median_interval(Values values, double confidence) {
  upper_tail(confidence, "median_interval");
  if (values.empty()) return std::nullopt;
  const auto ascending = sorted(values);
  const auto n = ascending.size();
  auto estimate = without_limits(quantile_of_sorted(ascending, 0.5), confidence, "order statistic");
  const auto covered = [&](std::size_t depth) {
    return 1 - 2 * binomial_cdf(static_cast<double>(depth) - 1, static_cast<double>(n), 0.5);
  };
  if (n < 2 || covered(1) < confidence) return estimate;
  std::size_t depth = 1;
  while (2 * (depth + 1) <= n && covered(depth + 1) >= confidence) ++depth;
  if (2 * (depth + 1) > n + 1) {
    estimate.low = ascending[depth - 1];
    estimate.high = ascending[n - depth];
    return estimate;
  }
  const double share = (covered(depth) - confidence) / (covered(depth) - covered(depth + 1));
  const auto d = static_cast<double>(depth);
  const auto size = static_cast<double>(n);
  const double weight = (size - d) * share / (d + (size - 2 * d) * share);
  estimate.low = ascending[depth - 1] + weight * (ascending[depth] - ascending[depth - 1]);
  estimate.high = ascending[n - depth] - weight * (ascending[n - depth] - ascending[n - depth - 1]);
  return estimate;
}

std::optional<Estimate> quantile_interval(Values values, double p, double confidence) {
  const double tail = 1 - upper_tail(confidence, "quantile_interval");
  if (!(p > 0 && p < 1))
    throw std::invalid_argument(fmt::format("quantile_interval: p is {}, but must be between 0 and 1", p));
  if (values.empty()) return std::nullopt;
  const auto ascending = sorted(values);
  const auto n = static_cast<double>(ascending.size());
  auto estimate =
      without_limits(quantile_of_sorted(ascending, p), confidence, "order statistic, conservative");
  // With X values below the quantile, X binomial(n, p): the r-th value lies above it when X < r.
  std::size_t below = 0;
  while (below < ascending.size() && binomial_cdf(static_cast<double>(below), n, p) <= tail) ++below;
  if (below > 0) estimate.low = ascending[below - 1];
  std::size_t above = below;
  while (above < ascending.size() && binomial_cdf(static_cast<double>(above), n, p) < 1 - tail) ++above;
  if (above < ascending.size()) estimate.high = ascending[above];
  return estimate;
}

std::optional<Estimate> median_at_effective_n(Values values, double effective_n, double degrees,
                                              double confidence) {
  constexpr auto method = "order statistic, corrected for dependence";
  const double tail = upper_tail(confidence, "median_at_effective_n");
  if (values.empty()) return std::nullopt;
  const auto ascending = sorted(values);
  auto estimate = without_limits(quantile_of_sorted(ascending, 0.5), confidence, method);
  if (values.size() < 3) return estimate;
  const double reach =
      student_quantile(tail, std::max(degrees, 1.0)) / 2 / std::sqrt(std::max(effective_n, 1.0));
  // The ranks that n values stand for are (i − 1/2) / n: type 5, so that the range is not stretched.
  const auto n = static_cast<double>(values.size());
  const auto at = [&](double p) {
    return quantile_of_sorted(ascending, std::clamp((p * n - 0.5) / (n - 1), 0.0, 1.0));
  };
  estimate.low = at(0.5 - reach);
  estimate.high = at(0.5 + reach);
  return estimate;
}

std::optional<Estimate> median_dependent(Values series, double confidence) {
  if (series.size() < 3) return median_at_effective_n(series, 1, 1, confidence);
  const auto r = lag1(normal_scores(series));
  const auto n = static_cast<double>(series.size());
  const double independent = n / sign_inflation(r ? dependence(*r, n) : 0, n);
  return median_at_effective_n(series, independent, independent - 1, confidence);
}

double jackknife_acceleration(Values values, const Statistic& statistic) {
  if (values.size() < 2) return 0;
  std::vector<double> rest(values.begin() + 1, values.end());
  std::vector<double> without(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    without[i] = statistic(rest);
    if (i < rest.size()) rest[i] = values[i];
  }
  const double centre = *mean(without);
  double squares = 0, cubes = 0;
  for (const double v : without) {
    const double d = centre - v;
    squares += d * d;
    cubes += d * d * d;
  }
  return squares > 0 ? cubes / (6 * std::pow(squares, 1.5)) : 0;
}

std::optional<Estimate> bootstrap(Values values, const Statistic& statistic, std::uint64_t seed,
                                  double confidence, std::size_t resamples) {
  const double tail = upper_tail(confidence, "bootstrap");
  if (resamples < 2)
    throw std::invalid_argument(fmt::format("bootstrap: {} resamples cannot make an interval", resamples));
  if (values.empty()) return std::nullopt;
  auto estimate = without_limits(statistic(values), confidence, "BCa bootstrap");
  if (values.size() < 2) return estimate;

  Random random(seed);
  std::vector<double> drawn(values.size());
  std::vector<double> replicates(resamples);
  for (auto& replicate : replicates) {
    for (auto& v : drawn) v = values[random.index(static_cast<std::uint32_t>(values.size()))];
    replicate = statistic(drawn);
  }
  std::sort(replicates.begin(), replicates.end());
  if (replicates.front() == replicates.back()) return estimate;

  const auto [first, last] = std::equal_range(replicates.begin(), replicates.end(), estimate.point);
  const auto count = static_cast<double>(resamples);
  const double below = static_cast<double>((first - replicates.begin()) + (last - replicates.begin())) / 2;
  const double bias = normal_quantile(std::clamp(below, 0.5, count - 0.5) / count);
  const double acceleration = jackknife_acceleration(values, statistic);
  const auto limit = [&](double z) {
    const double shifted = bias + z;
    return quantile_of_sorted(replicates, normal_cdf(bias + shifted / (1 - acceleration * shifted)));
  };
  const double z = normal_quantile(tail);
  estimate.low = limit(-z);
  estimate.high = limit(z);
  return estimate;
}

std::optional<Estimate> wilson_interval(std::size_t successes, std::size_t trials, double confidence) {
  if (successes > trials) {
    throw std::invalid_argument(fmt::format("wilson_interval: {} successes in {} trials", successes, trials));
  }
  if (trials == 0) return std::nullopt;
  const auto n = static_cast<double>(trials);
  const double share = static_cast<double>(successes) / n;
  const double z = normal_quantile(0.5 + confidence / 2), z2 = z * z;
  const double centre = (share + z2 / (2 * n)) / (1 + z2 / n);
  const double half = z / (1 + z2 / n) * std::sqrt(share * (1 - share) / n + z2 / (4 * n * n));
  return Estimate{share, std::max(0.0, centre - half), std::min(1.0, centre + half), confidence, "Wilson"};
}

}  // namespace tare
