#include "bench/analyse/thinning.hpp"

#include <algorithm>

#include "bench/analyse/histogram.hpp"
#include "bench/analyse/outliers.hpp"
#include "bench/analyse/processes.hpp"

namespace tare {
namespace {

constexpr std::size_t samples_of_a_page = 14'000;
constexpr std::size_t least_shown = 28;
constexpr std::size_t most_shown = 1'000;
constexpr std::size_t most_bins = 40;

}  // namespace

std::size_t samples_per_benchmark(std::size_t benchmarks) {
  const auto share = samples_of_a_page / std::max<std::size_t>(1, benchmarks);
  return share < least_shown ? 0 : std::min(share, most_shown);
}

ThinnedSamples thin(const Metric& metric, std::size_t most) {
  ThinnedSamples thinned;
  const auto all = by_process(metric);
  auto steady = all;
  const auto warm_ups = drop_warm_up(steady, metric.better);
  std::vector<double> pooled;
  for (const auto& series : steady) pooled.insert(pooled.end(), series.values.begin(), series.values.end());
  for (const auto& series : all) thinned.taken += series.values.size();
  if (pooled.empty()) return thinned;
  thinned.histogram = histogram(pooled, most_bins);
  thinned.every = most == 0 ? 0 : (thinned.taken + most - 1) / most;
  if (thinned.every == 0) return thinned;

  std::sort(pooled.begin(), pooled.end());
  const auto mild = tukey_fences(pooled, 1.5), severe = tukey_fences(pooled, 3);
  const auto mark = [&](double value, bool warming) {
    if (warming) return 'w';
    if (pooled.size() < 4) return '.';
    if (value < severe.low || value > severe.high) return 'x';
    return value < mild.low || value > mild.high ? 'o' : '.';
  };
  for (std::size_t p = 0; p < all.size(); ++p) {
    for (std::size_t i = 0; i < all[p].values.size(); i += thinned.every) {
      thinned.values.push_back(all[p].values[i]);
      thinned.processes.push_back(all[p].process);
      thinned.marks += mark(all[p].values[i], i < warm_ups[p].begin);
    }
  }
  return thinned;
}

}  // namespace tare
