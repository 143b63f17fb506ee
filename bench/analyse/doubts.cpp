#include "bench/analyse/doubts.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "bench/analyse/outliers.hpp"
#include "bench/support/text.hpp"

namespace tare {
namespace {

std::vector<double> pooled(std::span<const ProcessSeries> processes) {
  std::vector<double> values;
  for (const auto& series : processes)
    values.insert(values.end(), series.values.begin(), series.values.end());
  return values;
}

/// More than 5 % severe outliers. Where half of the values are equal every other value is beyond Tukey's
/// fences: then only those count that also lie 2 % away from the median.
bool many_outliers(const Summary& summary, Values values) {
  std::size_t severe = summary.outliers.severe();
  const double q1 = *quantile(values, 0.25), q3 = *quantile(values, 0.75);
  if (q1 == q3)
    severe = static_cast<std::size_t>(std::count_if(
        values.begin(), values.end(), [&](double v) { return std::abs(v - q1) > 0.02 * std::abs(q1); }));
  return severe * 20 > values.size();
}

/// The CPU was taken away: more than one involuntary switch per 10 ms begun, or more than 1 % of the time
/// spent waiting or stolen. Without a clock reading (another unit) any involuntary switch counts.
bool disturbed(const Metric& metric, const Sample& sample) {
  const auto& seen = sample.interference;
  if (metric.unit != "ns") return seen.involuntary_switches > 0;
  const double total = std::max(sample.total, 0.0);
  if (seen.involuntary_switches * 1e7 > total) return true;
  return static_cast<double>(seen.wait_ns) + static_cast<double>(seen.steal_ns) > 0.01 * total;
}

std::vector<double> process_medians(std::span<const ProcessSeries> processes) {
  std::vector<double> medians;
  for (const auto& series : processes) medians.push_back(*median(series.values));
  return medians;
}

}  // namespace

Resolution resolution_of(const Metric& metric, std::span<const ProcessSeries> processes) {
  const auto& overhead = metric.overhead;
  Resolution result;
  if (overhead == Overhead{}) return result;
  std::vector<double> shares, remainders, errors, costs, iterations;
  for (const auto& series : processes) {
    for (const auto* sample : series.samples) {
      const auto n = static_cast<double>(sample->iterations);
      const double cost = overhead.fixed + n * overhead.per_iteration;
      if (sample->total != 0) shares.push_back(cost / sample->total);
      remainders.push_back(sample->total - cost);
      errors.push_back(std::hypot(overhead.fixed_error, n * overhead.per_iteration_error));
      costs.push_back(cost);
      iterations.push_back(n);
    }
  }
  if (remainders.empty()) return result;
  const double error = *median(errors);
  result.share = median(shares).value_or(1);
  result.error = error / *median(iterations);
  result.remainder = *median(remainders);
  // Of the median of normal values: √(π / 2) times that of their mean.
  const double own =
      1.2533 * mad_to_deviation * *mad(remainders) / std::sqrt(static_cast<double>(remainders.size()));
  result.remainder_error = std::hypot(error, own);
  // Far above the harness's cost, whatever the spread: then the machine is noisy, not the clock too coarse.
  const double cost = std::abs(*median(costs));
  const bool far_above = result.remainder > 20 * cost && result.remainder > 3 * error;
  result.resolved =
      far_above || (result.remainder > 3 * result.remainder_error && result.remainder > 0.05 * cost);
  return result;
}

std::vector<Warning> doubts_about(const Metric& metric, const Summary& summary,
                                  std::span<const ProcessSeries> processes, std::span<const WarmUp> warm_ups,
                                  const Resolution& resolution) {
  std::vector<Warning> warnings;
  const auto add = [&](Doubt doubt, std::string text) { warnings.push_back({doubt, std::move(text)}); };
  const auto values = pooled(processes);

  if (!resolution.resolved)
    add(Doubt::below_resolution,
        fmt::format(
            "what remains of a sample without the harness's own cost is {} ± {}: too little to give a "
            "time; do more work per call",
            format_value(resolution.remainder, metric.unit),
            format_value(resolution.remainder_error, metric.unit)));
  else if (resolution.share > 0.1)
    add(Doubt::overhead, fmt::format("the harness's own cost is {} of what was read and was subtracted",
                                     format_percent(resolution.share)));

  // A meter's pass is made once or twice on purpose; only times are repeated, so only of them can more be
  // asked.
  const bool repeated = metric.name == "time" || metric.name.starts_with("time/");
  if (processes.size() == 1 && repeated)
    add(Doubt::one_process, "one process only: the interval does not contain the effect of memory placement");
  if (repeated && processes.size() == 1 && values.size() < 10)
    add(Doubt::few_samples,
        fmt::format("{} samples are too few for a sound interval; take 10 or more", values.size()));
  if (repeated && processes.size() == 2)
    add(Doubt::few_samples, "two processes give a very wide interval; launch 5 or more");

  if (const auto left_out = values.size() < metric.samples.size() - summary.warm_up
                                ? metric.samples.size() - summary.warm_up - values.size()
                                : 0)
    add(Doubt::unavailable, fmt::format("{} samples were not finite numbers and were left out", left_out));

  const auto shown = std::count_if(warm_ups.begin(), warm_ups.end(),
                                   [&](const WarmUp& one) { return one.steadiness == summary.steadiness; });
  if (summary.steadiness == Steadiness::warming)
    add(Doubt::warming,
        fmt::format("the first samples were slower in {} of {} processes; {} samples were left out", shown,
                    warm_ups.size(), summary.warm_up));
  if (summary.steadiness == Steadiness::slowing)
    add(Doubt::slowing,
        fmt::format("later samples were slower in {} of {} processes: throttling, fragmentation or "
                    "growth",
                    shown, warm_ups.size()));
  if (summary.steadiness == Steadiness::no_steady_state)
    add(Doubt::no_steady_state,
        fmt::format("the level kept changing in {} of {} processes: no single number describes it", shown,
                    warm_ups.size()));

  if (many_outliers(summary, values))
    add(Doubt::outliers,
        fmt::format("{} of {} samples are severe outliers", summary.outliers.severe(), values.size()));
  // Beyond chance as well: independent values of a short series often look dependent.
  if (summary.effective_n && *summary.effective_n * 2 < static_cast<double>(values.size()) &&
      *summary.lag1 > 2 / std::sqrt(static_cast<double>(values.size())))
    add(Doubt::dependent, fmt::format("neighbouring samples resemble each other: {} samples are worth {:.0f}",
                                      values.size(), *summary.effective_n));
  if (is_multimodal(values))
    add(Doubt::multimodal, "the samples fall into several clusters: the median may lie between them");

  std::size_t hit = 0;
  for (const auto& series : processes)
    for (const auto* sample : series.samples) hit += disturbed(metric, *sample) ? 1 : 0;
  if (hit * 5 > values.size())
    add(Doubt::interference,
        fmt::format("the system took the CPU away during {} of {} samples; close other programs", hit,
                    values.size()));

  // Thresholds from the coverage table of intervals.hpp: t intervals fail on few and skewed values.
  const auto skew = processes.size() == 1 ? skewness(values) : skewness(process_medians(processes));
  const auto count = processes.size() == 1 ? values.size() : processes.size();
  const double strong = processes.size() == 1 ? 1 : 1.5;
  const auto& whole = summary.median;
  if (count >= 5 && count <= 30 && skew && std::abs(*skew) > strong)
    add(Doubt::interval_unreliable,
        processes.size() == 1
            ? fmt::format("{} skewed samples: the interval of the mean covers less than it says", count)
            : fmt::format("{} skewed process medians: the interval covers less than it says", count));
  else if (processes.size() == 1 && count >= 10 && whole && whole->low == summary.minimum &&
           whole->high == summary.maximum && whole->low != whole->high)
    add(Doubt::interval_unreliable,
        "the samples depend on each other so much that the interval is their whole range");
  return warnings;
}

}  // namespace tare
