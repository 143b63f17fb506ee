#include "bench/compare/power.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <stdexcept>

#include "bench/analyse/distributions.hpp"
#include "bench/compare/values.hpp"

namespace tare {
namespace {

constexpr std::size_t most_runs = 1'000'000;

void require_deviation(double deviation, const char* operation) {
  if (!(deviation > 0 && std::isfinite(deviation)))
    throw std::invalid_argument(
        fmt::format("{}: the deviation is {}, but must be above 0", operation, deviation));
}

void require_pairs(std::size_t n, const char* operation) {
  if (n < 2) throw std::invalid_argument(fmt::format("{}: n is {}, but must be at least 2", operation, n));
}

double distance(double effect, const char* operation) {
  if (!(effect > -1 && std::isfinite(effect)))
    throw std::invalid_argument(fmt::format("{}: the effect is {}, but must be above -1", operation, effect));
  return std::abs(std::log1p(effect));
}

double degrees(std::size_t n, Design design) {
  return (design == Design::paired ? 1 : 2) * (static_cast<double>(n) - 1);
}

/// Of the estimated difference, for a deviation of 1.
double error_of(std::size_t n, Design design) {
  return std::sqrt((design == Design::paired ? 1 : 2) / static_cast<double>(n));
}

double power_at(double noncentrality, double degrees, double alpha) {
  const double limit = -student_quantile(alpha / 2, degrees);
  return noncentral_student_cdf(-limit, degrees, -noncentrality) +
         noncentral_student_cdf(-limit, degrees, noncentrality);
}

}  // namespace

double power(double effect, double deviation, std::size_t n, double alpha, Design design) {
  require_share(alpha, "power", "alpha");
  require_deviation(deviation, "power");
  require_pairs(n, "power");
  return power_at(distance(effect, "power") / deviation / error_of(n, design), degrees(n, design), alpha);
}

std::optional<std::size_t> runs_needed(double effect, double deviation, double wanted, double alpha,
                                       Design design) {
  require_share(wanted, "runs_needed", "power");
  require_share(alpha, "runs_needed", "alpha");
  require_deviation(deviation, "runs_needed");
  if (distance(effect, "runs_needed") == 0) return std::nullopt;
  const auto enough = [&](std::size_t n) { return power(effect, deviation, n, alpha, design) >= wanted; };
  if (enough(2)) return 2;
  std::size_t too_few = 2, n = 4;
  while (!enough(n)) {
    if (n == most_runs) return std::nullopt;
    too_few = n;
    n = std::min(2 * n, most_runs);
  }
  while (n - too_few > 1) {
    const std::size_t middle = too_few + (n - too_few) / 2;
    (enough(middle) ? n : too_few) = middle;
  }
  return n;
}

double visible_effect(double deviation, std::size_t n, double wanted, double alpha, Design design) {
  require_share(wanted, "visible_effect", "power");
  require_share(alpha, "visible_effect", "alpha");
  require_deviation(deviation, "visible_effect");
  require_pairs(n, "visible_effect");
  const double df = degrees(n, design);
  double low = 0, high = 1;
  while (power_at(high, df, alpha) < wanted) high *= 2;
  // No effect at all is found in alpha of the cases: for less power than that, the answer is 0.
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (power_at(middle, df, alpha) < wanted ? low : high) = middle;
  }
  return std::expm1((low + high) / 2 * deviation * error_of(n, design));
}

}  // namespace tare
