#include "bench/compare/process_values.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "bench/analyse/processes.hpp"

namespace tare {
namespace {

/// Waiting around the clock counts too, so that it may exceed what was read.
constexpr double most_waited = 0.95;

/// Of some values: as many lie below as above, or one fewer.
double middle_of(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

}  // namespace

Overhead common_overhead(const Metric& before, const Metric& after) {
  const auto middle = [](double a, double b) { return a / 2 + b / 2; };
  const auto &a = before.overhead, &b = after.overhead;
  return {middle(a.fixed, b.fixed), middle(a.fixed_error, b.fixed_error),
          middle(a.per_iteration, b.per_iteration), middle(a.per_iteration_error, b.per_iteration_error)};
}

std::vector<ProcessValue> process_values(const Metric& metric) {
  return process_values(metric, metric.overhead);
}

std::vector<ProcessValue> process_values(const Metric& metric, const Overhead& overhead, Waiting waiting) {
  // A told time is by a clock of its own: what the system did meanwhile says nothing about it.
  const bool clocked = metric.unit == "ns" && metric.overhead != Overhead{};
  std::vector<ProcessValue> found;
  for (auto& series : by_process(metric)) {
    for (std::size_t i = 0; i < series.values.size(); ++i) {
      const auto n = static_cast<double>(series.samples[i]->iterations);
      series.values[i] += (metric.overhead.fixed - overhead.fixed) / n + metric.overhead.per_iteration -
                          overhead.per_iteration;
    }
    const auto middle = middle_of(series.values);
    for (std::size_t i = 0; clocked && waiting == Waiting::taken_off && i < series.values.size(); ++i) {
      const auto waited = static_cast<double>(series.samples[i]->interference.wait_ns) /
                          static_cast<double>(series.samples[i]->iterations);
      series.values[i] -= std::min(waited, most_waited * series.values[i]);
    }
    std::vector<std::size_t> order(series.values.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](auto a, auto b) { return series.values[a] < series.values[b]; });
    if (order.empty() || !(series.values[order.front()] > 0)) continue;
    if (metric.better == Better::more) std::reverse(order.begin(), order.end());
    ProcessValue value;
    value.process = series.process;
    value.typical_log = std::log(middle);
    order.resize((order.size() + 3) / 4);
    double total = 0, waited = 0;
    for (const auto i : order) {
      value.best_log += std::log(series.values[i]) / static_cast<double>(order.size());
      total += series.samples[i]->total;
      if (clocked) waited += static_cast<double>(series.samples[i]->interference.wait_ns);
    }
    value.waited_log = -std::log1p(-std::min(waited / total, most_waited));
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
    ratios.waited.push_back(partner->waited_log - value.waited_log);
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
