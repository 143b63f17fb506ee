#include "bench/compare/process_values.hpp"

#include <algorithm>
#include <cmath>

#include "bench/analyse/processes.hpp"

namespace tare {

std::vector<ProcessValue> process_values(const Metric& metric) {
  std::vector<ProcessValue> found;
  for (const auto& series : by_process(metric)) {
    struct Undisturbed {
      double value;
      double waited;
    };
    std::vector<Undisturbed> all;
    for (std::size_t i = 0; i < series.values.size(); ++i) {
      const auto& sample = *series.samples[i];
      const double waited = metric.unit == "ns" ? static_cast<double>(sample.interference.wait_ns) /
                                                      static_cast<double>(sample.iterations)
                                                : 0.0;
      all.push_back({series.values[i] - waited, waited});
    }
    std::sort(all.begin(), all.end(),
              [](const Undisturbed& a, const Undisturbed& b) { return a.value < b.value; });
    if (all.empty() || !(all.front().value > 0)) continue;
    ProcessValue value;
    value.process = series.process;
    value.typical_log = std::log(all[all.size() / 2].value);
    if (metric.better == Better::more) std::reverse(all.begin(), all.end());
    all.resize((all.size() + 3) / 4);
    double total = 0;
    for (const auto& one : all) {
      value.best_log += std::log(one.value) / static_cast<double>(all.size());
      value.waited += one.waited;
      total += one.value + one.waited;
    }
    value.waited /= total;
    found.push_back(value);
  }
  return found;
}

ProcessRatios process_ratios(const std::vector<ProcessValue>& before,
                             const std::vector<ProcessValue>& after) {
  ProcessRatios ratios;
  auto partner = after.begin();
  for (const auto& value : before) {
    while (partner != after.end() && partner->process < value.process) ++partner;
    if (partner == after.end()) break;
    if (partner->process != value.process) continue;
    ratios.best.push_back(partner->best_log - value.best_log);
    ratios.typical.push_back(partner->typical_log - value.typical_log);
  }
  return ratios;
}

std::optional<double> ratio_between_share(const Metric& before, const Metric& after) {
  const auto a = by_process(before), b = by_process(after);
  std::vector<std::vector<double>> ratios;
  for (std::size_t p = 0; p < std::min(a.size(), b.size()); ++p) {
    auto& series = ratios.emplace_back();
    const auto n = std::min(a[p].values.size(), b[p].values.size());
    for (std::size_t i = 0; i < n; ++i) {
      if (a[p].values[i] > 0 && b[p].values[i] > 0)
        series.push_back(std::log(b[p].values[i] / a[p].values[i]));
    }
  }
  return between_share(ratios);
}

}  // namespace tare
