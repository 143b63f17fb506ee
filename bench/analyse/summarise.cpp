#include "bench/analyse/summarise.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "bench/analyse/dependence.hpp"
#include "bench/analyse/distributions.hpp"
#include "bench/analyse/doubts.hpp"
#include "bench/analyse/intervals.hpp"
#include "bench/analyse/outliers.hpp"
#include "bench/support/text.hpp"

namespace tare {
namespace {

constexpr double confidence = 0.95;
using Series = std::vector<std::vector<double>>;

std::vector<double> pooled(const Series& series) {
  std::vector<double> values;
  for (const auto& one : series) values.insert(values.end(), one.begin(), one.end());
  return values;
}

/// The overhead's own uncertainty, which no repetition of the benchmark takes away, in quadrature.
void widen(std::optional<Estimate>& estimate, double error) {
  if (!estimate || !estimate->low || !estimate->high || error == 0) return;
  const double more = normal_quantile(1 - (1 - confidence) / 2) * error;
  estimate->low = estimate->point - std::hypot(estimate->point - *estimate->low, more);
  estimate->high = estimate->point + std::hypot(*estimate->high - estimate->point, more);
}

std::optional<Estimate> headline(const Series& series) {
  if (series.size() == 1) return median_dependent(series[0], confidence);
  std::vector<double> medians;
  for (const auto& one : series) medians.push_back(*median(one));
  auto estimate = mean_t(medians, confidence);
  estimate->method = "t on process medians";
  return estimate;
}

/// The mean over all samples as a ratio of process totals: a process with more samples weighs more.
std::optional<Estimate> mean_over(const Series& series, Values all) {
  if (series.size() == 1) return mean_dependent(series[0], confidence);
  const double point = *mean(all);
  const auto n = static_cast<double>(all.size()), groups = static_cast<double>(series.size());
  double squares = 0;
  for (const auto& one : series) {
    const double part = static_cast<double>(one.size()) / n * (*mean(one) - point);
    squares += part * part;
  }
  const double half_width =
      student_quantile(1 - (1 - confidence) / 2, groups - 1) * std::sqrt(squares * groups / (groups - 1));
  return Estimate{point, point - half_width, point + half_width, confidence, "t on process means"};
}

/// Variance of the mean as a share of one value's variance, from its two parts, and Satterthwaite's degrees
/// of freedom for their sum.
std::optional<Estimate> median_over(const Series& series, Values all, double within_n,
                                    std::optional<double> share) {
  if (series.size() == 1) return median_dependent(series[0], confidence);
  const auto groups = static_cast<double>(series.size()), n = static_cast<double>(all.size());
  const double between = share.value_or(0) / groups, within = (1 - share.value_or(0)) / within_n;
  const double total = between + within;
  const double degrees =
      n > groups ? total * total /
                       (between * between / (groups - 1) + within * within / std::max(within_n - groups, 1.0))
                 : groups - 1;
  return median_at_effective_n(all, 1 / total, degrees, confidence);
}

Summary summarise_exact(const Metric& metric, const std::vector<ProcessSeries>& processes) {
  Summary summary;
  summary.processes = processes.size();
  std::vector<double> values;
  for (const auto& series : processes)
    values.insert(values.end(), series.values.begin(), series.values.end());
  const auto ascending = sorted(values);
  summary.n = values.size();
  const double point = quantile_of_sorted(ascending, 0.5);
  const bool same = ascending.front() == ascending.back();
  summary.time = Estimate{point, ascending.front(), ascending.back(), 1.0, same ? "exact" : "range"};
  summary.median = summary.time;
  summary.minimum = ascending.front();
  summary.p50 = point;
  summary.maximum = ascending.back();
  if (!same)
    summary.warnings.push_back(
        {Doubt::changed_count, fmt::format("meant to be exact, but lies between {} and {}",
                                           format_value(ascending.front(), metric.unit, 6),
                                           format_value(ascending.back(), metric.unit, 6))});
  return summary;
}

/// Every process answers the same trials, so that more processes do not narrow the interval.
Summary summarise_share(const Metric& metric, const std::vector<ProcessSeries>& processes) {
  auto summary = summarise_exact(metric, processes);
  const auto& first = metric.samples.front();
  if (summary.warnings.empty() && first.total >= 0 && first.total <= static_cast<double>(first.iterations) &&
      first.total == std::floor(first.total)) {
    summary.time = wilson_interval(static_cast<std::size_t>(first.total), first.iterations, confidence);
    summary.median = summary.time;
  }
  return summary;
}

void describe(Summary& summary, const Series& series, Values all) {
  summary.n = all.size();
  summary.deviation = deviation(all);
  summary.mad = mad(all);
  summary.outliers = count_outliers(all);
  summary.lag1 = lag1(series);
  if (summary.lag1) {
    const double length = static_cast<double>(all.size()) / static_cast<double>(series.size());
    summary.effective_n =
        static_cast<double>(all.size()) / variance_inflation(dependence(*summary.lag1, length), length);
  }
  summary.between_share = between_share(series);
}

void locate(Summary& summary, const Series& series, Values all, double overhead_error) {
  summary.time = headline(series);
  summary.mean = mean_over(series, all);
  summary.median = median_over(series, all, summary.effective_n.value_or(static_cast<double>(all.size())),
                               summary.between_share);
  for (auto* estimate : {&summary.time, &summary.mean, &summary.median}) widen(*estimate, overhead_error);
  summary.variation = variation(all);
  const auto ascending = sorted(all);
  summary.minimum = ascending.front();
  summary.p50 = quantile_of_sorted(ascending, 0.5);
  summary.p90 = quantile_of_sorted(ascending, 0.9);
  summary.p99 = quantile_of_sorted(ascending, 0.99);
  summary.maximum = ascending.back();
}

}  // namespace

Summary summarise(const Metric& metric) {
  if (!metric.available()) return {};
  auto processes = by_process(metric);
  if (processes.empty()) return {};
  if (metric.nature == Nature::exact) return summarise_exact(metric, processes);
  if (metric.nature == Nature::share) return summarise_share(metric, processes);

  Summary summary;
  summary.processes = processes.size();
  const auto warm_ups = drop_warm_up(processes, metric.better);
  for (const auto& one : warm_ups) summary.warm_up += one.begin;
  summary.steadiness = common_steadiness(warm_ups);

  Series series;
  for (const auto& one : processes) series.push_back(one.values);
  const auto all = pooled(series);
  describe(summary, series, all);
  auto resolution = resolution_of(metric, processes);
  // One process far below zero can pull the mean of the medians there while the median sample is positive.
  if (metric.overhead != Overhead{} && headline(series)->point <= 0) resolution.resolved = false;
  if (resolution.resolved) locate(summary, series, all, resolution.error);
  summary.warnings = doubts_about(metric, summary, processes, warm_ups, resolution);
  return summary;
}

void summarise(BenchmarkResult& result) {
  for (auto& metric : result.metrics) metric.summary = summarise(metric);
}

bool precise_enough(const Summary& summary, double precision) {
  if (!summary.time || !summary.time->low || !summary.time->high) return false;
  if (*summary.time->low == *summary.time->high) return true;
  const auto reached = summary.time->relative_half_width();
  return reached && *reached <= precision;
}

}  // namespace tare
