#include "bench/analyse/scaling.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <set>

#include "bench/analyse/distributions.hpp"
#include "bench/analyse/estimators.hpp"

namespace tare {
namespace {

double growth_at(Growth growth, double n) {
  switch (growth) {
    case Growth::constant:
      return 1;
    case Growth::logarithmic:
      return std::log(n);
    case Growth::linear:
      return n;
    case Growth::linearithmic:
      return n * std::log(n);
    case Growth::quadratic:
      return n * n;
    case Growth::cubic:
      return n * n * n;
  }
  return 1;
}

bool has_logarithm(Growth growth) {
  return growth == Growth::logarithmic || growth == Growth::linearithmic;
}

GrowthFit fit(Growth growth, std::span<const ScalingPoint> points) {
  std::vector<double> logs;
  for (const auto& point : points) logs.push_back(std::log(point.time / growth_at(growth, point.n)));
  const double centre = *mean(logs);
  double squares = 0;
  for (const double v : logs) squares += (v - centre) * (v - centre);
  return {growth, std::exp(centre), std::sqrt(squares / static_cast<double>(logs.size()))};
}

}  // namespace

const char* name_of(Growth growth) {
  switch (growth) {
    case Growth::constant:
      return "1";
    case Growth::logarithmic:
      return "log n";
    case Growth::linear:
      return "n";
    case Growth::linearithmic:
      return "n log n";
    case Growth::quadratic:
      return "n²";
    case Growth::cubic:
      return "n³";
  }
  return "unknown";
}

Result<Scaling> fit_scaling(std::span<const ScalingPoint> points, double confidence) {
  std::set<double> sizes;
  for (const auto& [n, time] : points) {
    if (!(n > 0 && time > 0 && std::isfinite(n) && std::isfinite(time)))
      return fail(
          fmt::format("the scaling is undefined: size {} took {}, but both must be positive", n, time));
    sizes.insert(n);
  }
  if (sizes.size() < 3)
    return fail(fmt::format(
        "the scaling is undefined: {} different sizes were measured, at least 3 are needed", sizes.size()));

  std::vector<double> x, y;
  for (const auto& [n, time] : points) {
    x.push_back(std::log(n));
    y.push_back(std::log(time));
  }
  const auto count = static_cast<double>(points.size());
  const double x_mean = *mean(x), y_mean = *mean(y);
  double xx = 0, xy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xx += (x[i] - x_mean) * (x[i] - x_mean);
    xy += (x[i] - x_mean) * (y[i] - y_mean);
  }
  const double slope = xy / xx;
  double squares = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double rest = y[i] - y_mean - slope * (x[i] - x_mean);
    squares += rest * rest;
  }
  const double half_width =
      student_quantile(1 - (1 - confidence) / 2, count - 2) * std::sqrt(squares / (count - 2) / xx);

  Scaling scaling;
  scaling.exponent = {slope, slope - half_width, slope + half_width, confidence, "t on logarithms"};
  scaling.factor = std::exp(y_mean - slope * x_mean);
  scaling.residual = std::sqrt(squares / count);
  for (const auto growth : {Growth::constant, Growth::logarithmic, Growth::linear, Growth::linearithmic,
                            Growth::quadratic, Growth::cubic})
    if (!has_logarithm(growth) || *sizes.begin() >= 2) scaling.candidates.push_back(fit(growth, points));
  std::stable_sort(scaling.candidates.begin(), scaling.candidates.end(),
                   [](const GrowthFit& a, const GrowthFit& b) { return a.residual < b.residual; });
  return scaling;
}

}  // namespace tare
