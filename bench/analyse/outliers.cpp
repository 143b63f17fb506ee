#include "bench/analyse/outliers.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

namespace tare {
namespace {

/// A step function's distribution between two ranks, with the ranks where its hull bends.
struct Hull {
  std::vector<std::size_t> knots;
  std::vector<double> height;  ///< at every rank, counted from the first
};

/// Convex hull of the points (x, rank + offset) between `low` and `high`: from below when `side` is 1, from
/// above when it is −1.
Hull hull(Values x, std::size_t low, std::size_t high, double side, double offset) {
  Hull result;
  auto& knots = result.knots;
  for (std::size_t i = low; i <= high; ++i) {
    while (knots.size() >= 2) {
      const auto a = knots[knots.size() - 2], b = knots.back();
      const double turn =
          (x[b] - x[a]) * static_cast<double>(i - a) - (x[i] - x[a]) * static_cast<double>(b - a);
      if (side * turn > 0) break;
      knots.pop_back();
    }
    knots.push_back(i);
  }
  result.height.resize(high - low + 1);
  for (std::size_t k = 0; k + 1 < knots.size(); ++k) {
    const auto a = knots[k], b = knots[k + 1];
    for (std::size_t i = a; i <= b; ++i) {
      const double share = x[b] > x[a] ? (x[i] - x[a]) / (x[b] - x[a]) : (side > 0 ? 0.0 : 1.0);
      result.height[i - low] = static_cast<double>(a) + share * static_cast<double>(b - a) + offset;
    }
  }
  if (knots.size() == 1) result.height[0] = static_cast<double>(low) + offset;
  return result;
}

/// The step of the scale the values were read on, when there are ties; otherwise 0.
double scale_step(Values ascending) {
  double step = std::numeric_limits<double>::infinity();
  bool ties = false;
  for (std::size_t i = 1; i < ascending.size(); ++i) {
    const double gap = ascending[i] - ascending[i - 1];
    if (gap > 0)
      step = std::min(step, gap);
    else
      ties = true;
  }
  return ties && std::isfinite(step) ? step : 0;
}

}  // namespace

Fences tukey_fences(Values ascending, double ranges) {
  const double q1 = quantile_of_sorted(ascending, 0.25);
  const double q3 = quantile_of_sorted(ascending, 0.75);
  return {q1 - ranges * (q3 - q1), q3 + ranges * (q3 - q1)};
}

Outliers count_outliers(Values values) {
  Outliers found;
  if (values.size() < 4) return found;
  const auto ascending = sorted(values);
  const auto mild = tukey_fences(ascending, 1.5), severe = tukey_fences(ascending, 3);
  for (const double v : values) {
    if (v < severe.low)
      ++found.low_severe;
    else if (v < mild.low)
      ++found.low_mild;
    else if (v > severe.high)
      ++found.high_severe;
    else if (v > mild.high)
      ++found.high_mild;
  }
  return found;
}

std::optional<double> dip(Values values) {
  if (values.empty()) return std::nullopt;
  const auto x = sorted(values);
  const auto n = static_cast<double>(x.size());
  std::size_t low = 0, high = x.size() - 1;
  double twice = 1;  // of the dip, counted in values
  while (low < high) {
    // The steps of the distribution run from (x, rank) up to (x, rank + 1).
    const auto below = hull(x, low, high, 1, 0);
    const auto above = hull(x, low, high, -1, 1);
    double widest = 0;
    std::size_t next_low = low, next_high = high;
    for (const auto i : below.knots) {
      const double width = above.height[i - low] - below.height[i - low];
      if (width <= widest) continue;
      widest = width;
      next_low = i;
      next_high = *std::lower_bound(above.knots.begin(), above.knots.end(), i);
    }
    for (const auto i : above.knots) {
      const double width = above.height[i - low] - below.height[i - low];
      if (width <= widest) continue;
      widest = width;
      next_high = i;
      next_low = *(std::upper_bound(below.knots.begin(), below.knots.end(), i) - 1);
    }
    if (widest <= twice) break;
    for (std::size_t i = low; i <= next_low; ++i)
      twice = std::max(twice, static_cast<double>(i) + 1 - below.height[i - low]);
    for (std::size_t i = next_high; i <= high; ++i)
      twice = std::max(twice, above.height[i - low] - static_cast<double>(i));
    if (next_low == low && next_high == high) break;
    low = next_low;
    high = next_high;
  }
  return twice / (2 * n);
}

std::optional<double> two_cluster_rest(Values values) {
  if (values.size() < 4) return std::nullopt;
  auto x = sorted(values);
  const auto [low, high] = tukey_fences(x, 3);
  for (auto& v : x) v = std::clamp(v, low, high);
  const double centre = *mean(x);
  double total = 0;
  for (auto& v : x) {
    v -= centre;
    total += v * v;
  }
  if (!(total > 0)) return std::nullopt;
  const auto n = static_cast<double>(x.size());
  double sum = 0, explained = 0;
  for (std::size_t i = 0; i + 1 < x.size(); ++i) {
    sum += x[i];
    const auto left = static_cast<double>(i + 1), right = n - left;
    if (std::min(left, right) >= n / 10) explained = std::max(explained, sum * sum * (1 / left + 1 / right));
  }
  return 1 - explained / total;
}

bool is_multimodal(Values values) {
  if (values.size() < 20) return false;
  auto x = sorted(values);
  if (const double step = scale_step(x); step > 0) {
    for (std::size_t first = 0; first < x.size();) {
      std::size_t end = first + 1;
      while (end < x.size() && x[end] == x[first]) ++end;
      const double centre = x[first];
      for (std::size_t i = first; i < end; ++i)
        x[i] =
            centre + step * ((static_cast<double>(i - first) + 0.5) / static_cast<double>(end - first) - 0.5);
      first = end;
    }
  }
  const double root = std::sqrt(static_cast<double>(x.size()));
  const double scaled_dip = root * *dip(x);
  if (scaled_dip > 0.53) return true;
  const auto rest = two_cluster_rest(x);
  return scaled_dip > 0.29 + 0.7 / root && rest && *rest < 0.235;
}

}  // namespace tare
