#include "bench/analyse/histogram.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace tare {

Histogram histogram(Values values, std::size_t most_bins) {
  if (most_bins == 0)
    throw std::invalid_argument("histogram: at most 0 bins were asked for; ask for 1 or more");
  Histogram result;
  if (values.empty()) return result;
  const auto ascending = sorted(values);
  const double q1 = quantile_of_sorted(ascending, 0.25), q3 = quantile_of_sorted(ascending, 0.75);
  const double range = q3 - q1;
  // Without a range (most values equal) fences would cut off everything else: show the whole extent then.
  const double lowest = range > 0 ? q1 - 3 * range : ascending.front();
  const double highest = range > 0 ? q3 + 3 * range : ascending.back();
  const auto first = std::lower_bound(ascending.begin(), ascending.end(), lowest);
  const auto last = std::upper_bound(ascending.begin(), ascending.end(), highest) - 1;
  result.low = *first;
  result.high = *last;
  result.below = static_cast<std::size_t>(first - ascending.begin());
  result.above = static_cast<std::size_t>(ascending.end() - last - 1);
  const double extent = *last - *first;
  if (!(extent > 0)) {
    result.counts = {static_cast<std::size_t>(last - first) + 1};
    return result;
  }
  const double wanted = 2 * range / std::cbrt(static_cast<double>(values.size()));
  const double bins = wanted > 0 ? std::ceil(extent / wanted) : static_cast<double>(most_bins);
  result.counts.resize(static_cast<std::size_t>(std::clamp(bins, 1.0, static_cast<double>(most_bins))));
  const double width = extent / static_cast<double>(result.counts.size());
  for (auto it = first; it <= last; ++it) {
    const auto bin = static_cast<std::size_t>((*it - result.low) / width);
    ++result.counts[std::min(bin, result.counts.size() - 1)];
  }
  return result;
}

}  // namespace tare
