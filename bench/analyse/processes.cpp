#include "bench/analyse/processes.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

namespace tare {

std::vector<ProcessSeries> by_process(const Metric& metric) {
  std::map<std::uint32_t, ProcessSeries> found;
  for (const auto& sample : metric.samples) {
    const double value = metric.value(sample);
    if (!std::isfinite(value)) continue;
    auto& series = found[sample.process];
    series.process = sample.process;
    series.values.push_back(value);
    series.samples.push_back(&sample);
  }
  std::vector<ProcessSeries> processes;
  for (auto& [number, series] : found) processes.push_back(std::move(series));
  return processes;
}

std::vector<WarmUp> drop_warm_up(std::vector<ProcessSeries>& processes, Better better) {
  std::vector<WarmUp> found;
  for (auto& series : processes) {
    auto costs = series.values;
    if (better == Better::more)
      for (auto& v : costs) v = -v;
    found.push_back(find_warm_up(costs));
    const auto begin = static_cast<std::ptrdiff_t>(found.back().begin);
    series.values.erase(series.values.begin(), series.values.begin() + begin);
    series.samples.erase(series.samples.begin(), series.samples.begin() + begin);
  }
  return found;
}

Steadiness common_steadiness(std::span<const WarmUp> found) {
  std::array<std::size_t, 4> counts{};
  for (const auto& one : found) ++counts[static_cast<std::size_t>(one.steadiness)];
  const auto most = std::max_element(counts.begin() + 1, counts.end());
  const bool enough = *most * 10 >= found.size() * 3 && *most >= std::min<std::size_t>(2, found.size());
  return *most > 0 && enough ? static_cast<Steadiness>(most - counts.begin()) : Steadiness::flat;
}

std::optional<double> between_share(std::span<const std::vector<double>> series) {
  double total = 0, size = 0, size_squares = 0, groups = 0;
  for (const auto& one : series) {
    if (one.empty()) continue;
    const auto n = static_cast<double>(one.size());
    total += n * *mean(one);
    size += n;
    size_squares += n * n;
    ++groups;
  }
  if (groups < 2 || size <= groups) return std::nullopt;
  const double centre = total / size;
  double between = 0, within = 0;
  for (const auto& one : series) {
    if (one.empty()) continue;
    const double own = *mean(one);
    between += static_cast<double>(one.size()) * (own - centre) * (own - centre);
    for (const double v : one) within += (v - own) * (v - own);
  }
  between /= groups - 1;
  within /= size - groups;
  const double n0 = (size - size_squares / size) / (groups - 1);
  const double share = std::max(0.0, (between - within) / n0);
  if (!(share + within > 0)) return std::nullopt;
  return share / (share + within);
}

}  // namespace tare
