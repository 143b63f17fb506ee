#include "bench/compare/compare.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "bench/analyse/distributions.hpp"
#include "bench/analyse/doubts.hpp"
#include "bench/analyse/summarise.hpp"
#include "bench/compare/location.hpp"
#include "bench/compare/process_values.hpp"
#include "bench/compare/ranks.hpp"
#include "bench/compare/sequential.hpp"
#include "bench/support/text.hpp"

namespace tare {
namespace {

/// With this power a change is called visible.
constexpr double usual_power = 0.8;
/// A difference in waiting above this share of the sides' difference, and above half a per cent, makes it
/// doubtful.
constexpr double most_explained = 0.25;
constexpr double least_explained = 0.005;
/// The p value below which one side is said to have waited more throughout.
constexpr double uneven_level = 0.05;
/// The p value below which the typical sample is said to disagree; small, since nobody corrects for it.
constexpr double disagreement_level = 0.001;

bool is_time(const Metric& metric) {
  return metric.name == "time" || metric.name.starts_with("time/");
}

std::vector<double> best_of(const std::vector<ProcessValue>& values) {
  std::vector<double> logs;
  for (const auto& value : values) logs.push_back(value.best_log);
  return logs;
}

std::vector<double> waited_of(const std::vector<ProcessValue>& values) {
  std::vector<double> logs;
  for (const auto& value : values) logs.push_back(value.waited_log);
  return logs;
}

double mean_waited(const std::vector<ProcessValue>& values) {
  return mean(waited_of(values)).value_or(0);
}

Waiting waiting_of(const BenchmarkResult& before, const BenchmarkResult& after) {
  return before.workload.threads == 1 && after.workload.threads == 1 ? Waiting::taken_off : Waiting::kept;
}

std::optional<double> exponential(const std::optional<double>& logarithm) {
  if (!logarithm) return std::nullopt;
  return std::exp(*logarithm);
}

Estimate as_ratio(const Shift& shift, double confidence, const char* method) {
  return {std::exp(shift.centre), exponential(shift.low), exponential(shift.high), confidence, method};
}

/// The level of one side, as the middle of its processes.
std::optional<Estimate> side_estimate(const std::vector<ProcessValue>& values, double confidence) {
  if (values.empty()) return std::nullopt;
  return as_ratio(signed_rank_shift(best_of(values), 1 - confidence), confidence,
                  "Hodges-Lehmann over processes");
}

std::optional<Estimate> mean_ratio(Values logs, double level, double confidence) {
  const auto location = mean_location(logs);
  if (!location) return std::nullopt;
  const auto mean = interval(*location, level);
  return Estimate{std::exp(mean.point), exponential(mean.low), exponential(mean.high), confidence,
                  "t on process log-ratios"};
}

/// What more processes would decide, judging by how an interval narrows with their root.
std::optional<std::size_t> processes_needed(const Shift& shift, std::size_t n, double margin) {
  const auto count = static_cast<double>(std::max(n, least_pairs));
  if (n < least_pairs || !shift.low || !shift.high) return 2 * static_cast<std::size_t>(count);
  const double half = (*shift.high - *shift.low) / 2;
  const double distance = std::abs(shift.centre);
  // Either the effect grows out of its interval, or the interval shrinks into the margin.
  const double room = std::max(distance, std::log1p(margin) - distance);
  if (!(room > 0) || !(half > 0)) return std::nullopt;
  const double factor = std::pow(half / room, 2);
  return static_cast<std::size_t>(std::ceil(std::max(count + 1, count * std::min(factor, 1e6))));
}

MetricComparison described(const Metric& before) {
  MetricComparison row;
  row.metric = before.name;
  row.unit = before.unit;
  row.better = before.better;
  row.nature = before.nature;
  return row;
}

/// Levels at the last of the looks.
struct Levels {
  double interval = 0.05;
  double equivalence = 0.1;  ///< of the interval that two one-sided tests make
};

Levels levels_at(std::span<const double> fractions, double confidence) {
  const double alpha = 1 - confidence;
  if (fractions.empty()) return {alpha, 2 * alpha};
  return {nominal_levels(fractions, alpha).back(), nominal_levels(fractions, 2 * alpha).back()};
}

/// Everything but p and verdict, from a function that gives the shift at a level.
template <class ShiftAt>
Shift fill(MetricComparison& row, const ShiftAt& shift_at, const Levels& levels,
           const CompareOptions& options, const char* method) {
  const Shift shift = shift_at(levels.interval);
  const Shift narrow = shift_at(levels.equivalence);
  const double edge = std::log1p(options.margin);
  row.within_margin = narrow.low && narrow.high && *narrow.low > -edge && *narrow.high < edge;
  row.ratio = as_ratio(shift, options.confidence, method);
  if (shift.low && shift.high) {
    const double z = normal_quantile(1 - (1 - options.confidence) / 2);
    row.visible = std::expm1((*shift.high - *shift.low) / 2 * (1 + normal_quantile(usual_power) / z));
  }
  return shift;
}

/// Programs that made one side wait more than the other, and did so throughout, may also have slowed it in
/// ways that nobody can take off. `systematic` is the p value of the sides having waited alike.
void doubt_waiting(MetricComparison& row, const Shift& shift, double before, double after,
                   double systematic) {
  const double explained = std::abs(after - before);
  if (explained <= least_explained || explained <= most_explained * std::abs(shift.centre)) return;
  if (systematic > uneven_level) return;
  row.warnings.push_back(
      {Doubt::uneven_interference,
       fmt::format("even the best samples waited for the CPU: for {} of their time before, {} after",
                   format_percent(-std::expm1(-before)), format_percent(-std::expm1(-after)))});
}

/// Whether the median sample tells another story than the best quarter.
void doubt_typical(MetricComparison& row, const ProcessRatios& ratios, double margin) {
  std::vector<double> gaps;
  for (std::size_t i = 0; i < ratios.best.size(); ++i) gaps.push_back(ratios.typical[i] - ratios.best[i]);
  const auto gap = signed_rank_shift(gaps, disagreement_level);
  // A quarter more or less of a difference is no other story.
  const double tolerated = std::max(std::log1p(margin), 0.25 * std::abs(std::log(row.ratio->point)));
  if (gap.p > disagreement_level || std::abs(gap.centre) <= tolerated) return;
  const auto typical = signed_rank_shift(ratios.typical, disagreement_level);
  row.warnings.push_back(
      {Doubt::intermittent,
       fmt::format("the typical sample changed by {}, the undisturbed ones by {}",
                   format_percent(std::expm1(typical.centre)), format_percent(row.ratio->point - 1))});
}

MetricComparison exact_row(const Metric& before, const Metric& after) {
  auto row = described(before);
  row.before = before.summary.time;
  row.after = after.summary.time;
  if (!row.before || !row.after) {
    row.reason = "no value";
    return row;
  }
  row.difference = row.after->point - row.before->point;
  if (row.before->point > 0) row.ratio = Estimate{row.after->point / row.before->point, {}, {}, 1, "exact"};
  const auto wavers = [](const Metric& m) { return m.summary.minimum != m.summary.maximum; };
  if (wavers(before) || wavers(after)) {
    row.reason = "the count differs between processes";
    row.verdict = Verdict::undecided;
  } else if (*row.difference == 0) {
    row.verdict = Verdict::same;
  } else if (row.better == Better::neither) {
    row.reason = "changed, and neither direction is better";
  } else {
    row.verdict = (*row.difference < 0) == (row.better == Better::less) ? Verdict::better : Verdict::worse;
  }
  return row;
}

/// A metric that only the first processes read: its range is shown, and no verdict is drawn.
MetricComparison sparse_row(const Metric& before, const Metric& after) {
  auto row = described(before);
  row.before = before.summary.time;
  row.after = after.summary.time;
  row.reason = "too few readings for a verdict";
  const auto &a = before.summary, &b = after.summary;
  if (row.before && row.after && a.minimum && b.minimum && *a.minimum > 0 && *b.minimum > 0) {
    row.ratio = Estimate{row.after->point / row.before->point, *b.minimum / *a.maximum,
                         *b.maximum / *a.minimum, 1, "range"};
  }
  return row;
}

bool resolved(const Metric& metric) {
  return resolution_of(metric, by_process(metric)).resolved;
}

/// Empty when every process of a side has a logarithm.
std::string no_ratio(const char* side, const Metric& metric, const std::vector<ProcessValue>& values) {
  if (!values.empty() && values.size() == by_process(metric).size()) return "";
  return fmt::format("{}: {} is zero in some sample, and zero has no ratio; do more work per call", side,
                     metric.name);
}

/// A time that is not clearly above the harness's own cost: no ratio, and the other metrics stand.
MetricComparison unresolved_row(const Metric& before, const char* side) {
  auto row = described(before);
  row.reason = fmt::format("{}: below the resolution of the measurement; do more work per call", side);
  row.warnings.push_back({Doubt::below_resolution, row.reason});
  return row;
}

std::string side_problem(const char* side, const BenchmarkResult& result) {
  return fmt::format("{}: {}", side, result.message.empty() ? name_of(result.outcome) : result.message);
}

/// The parts that paired and unpaired comparison share; `noisy` compares one noisy metric of which both sides
/// have enough processes.
template <class Noisy>
BenchmarkComparison compare_each(const BenchmarkResult& before, const BenchmarkResult& after,
                                 std::size_t enough, const Noisy& noisy) {
  BenchmarkComparison pair;
  pair.before = before.id;
  pair.after = after.id;
  const auto fail_with = [&](Outcome outcome, std::string message) {
    pair.outcome = outcome;
    pair.message = std::move(message);
    pair.metrics.clear();
    return pair;
  };
  if (before.outcome != Outcome::ok) return fail_with(before.outcome, side_problem("before", before));
  if (after.outcome != Outcome::ok) return fail_with(after.outcome, side_problem("after", after));
  for (const auto& a : before.metrics) {
    const auto* b = after.metric(a.name);
    if (b == nullptr || a.name == "cold_time" || !a.available() || !b->available()) continue;
    if (a.unit != b->unit || a.better != b->better || a.nature != b->nature) {
      return fail_with(
          Outcome::failed,
          fmt::format(
              "metric '{}' is {} ({}, {}) before and {} ({}, {}) after; give one of them another name",
              printable(a.name), printable(a.unit), name_of(a.better), name_of(a.nature), printable(b->unit),
              name_of(b->better), name_of(b->nature)));
    }
    if (a.nature != Nature::noisy) {
      pair.metrics.push_back(exact_row(a, *b));
      continue;
    }
    const auto overhead = common_overhead(a, *b);
    const auto waiting = waiting_of(before, after);
    const auto left = process_values(a, overhead, waiting), right = process_values(*b, overhead, waiting);
    if (is_time(a) && (!resolved(a) || !resolved(*b))) {
      pair.metrics.push_back(unresolved_row(a, resolved(a) ? "after" : "before"));
      continue;
    }
    if (is_time(a)) {
      auto problem = no_ratio("before", a, left);
      if (problem.empty()) problem = no_ratio("after", *b, right);
      if (!problem.empty()) return fail_with(Outcome::failed, problem);
      pair.processes = std::min(left.size(), right.size());
    } else if (std::min(left.size(), right.size()) < enough) {
      pair.metrics.push_back(sparse_row(a, *b));
      continue;
    }
    auto row = described(a);
    noisy(row, a, *b, left, right);
    pair.metrics.push_back(std::move(row));
  }
  return pair;
}

}  // namespace

const char* name_of(Correction correction) {
  switch (correction) {
    case Correction::holm:
      return "Holm";
    case Correction::benjamini_hochberg:
      return "Benjamini-Hochberg";
    case Correction::none:
      return "none";
  }
  return "unknown";
}

std::size_t fewest_pairs(double alpha) {
  return static_cast<std::size_t>(std::ceil(1 - std::log2(alpha)));
}

bool decides(const BenchmarkResult& before, const BenchmarkResult& after, double fraction, Looks& looks) {
  const auto *a = before.metric("time"), *b = after.metric("time");
  if (a == nullptr || b == nullptr) return false;
  const auto overhead = common_overhead(*a, *b);
  const auto waiting = waiting_of(before, after);
  const auto ratios =
      process_ratios(process_values(*a, overhead, waiting), process_values(*b, overhead, waiting)).best;
  // Every look costs alpha: from one to the next there is a fifth more to see.
  const double last = looks.fractions.empty() ? 0 : looks.fractions.back();
  if (fraction < 1 && (ratios.size() < fewest_pairs(looks.alpha) || fraction < 1.2 * last)) return false;
  looks.fractions.push_back(fraction);
  if (ratios.empty()) return false;
  const double level = nominal_levels(looks.fractions, looks.alpha).back();
  return signed_rank_shift(ratios, level).p <= level;
}

BenchmarkComparison compare_pairs(const BenchmarkResult& before, const BenchmarkResult& after,
                                  const Looks& looks, const CompareOptions& options) {
  const auto levels = levels_at(looks.fractions, options.confidence);
  const auto stopping =
      looks.fractions.empty() ? std::vector<double>{} : nominal_levels(looks.fractions, looks.alpha);
  return compare_each(
      before, after, least_pairs,
      [&](MetricComparison& row, const Metric& a, const Metric& b, const auto& left, const auto& right) {
        const auto ratios = process_ratios(left, right);
        if (ratios.best.empty()) {
          row.reason = "no process has both sides";
          return;
        }
        const auto shift = fill(
            row, [&](double level) { return signed_rank_shift(ratios.best, level); }, levels, options,
            "signed ranks of process log-ratios");
        row.mean_ratio = mean_ratio(ratios.best, levels.interval, options.confidence);
        row.before = side_estimate(left, options.confidence);
        row.after = side_estimate(right, options.confidence);
        row.p = looks.fractions.empty() ? shift.p : sequential_p(looks.fractions, stopping, shift.p);
        row.between_share = ratio_between_share(a, b);
        row.processes_needed = processes_needed(shift, ratios.best.size(), options.margin);
        if (waiting_of(before, after) == Waiting::taken_off)
          doubt_waiting(row, shift, mean_waited(left), mean_waited(right),
                        signed_rank_shift(ratios.waited, uneven_level).p);
        doubt_typical(row, ratios, options.margin);
      });
}

BenchmarkComparison compare_unpaired(const BenchmarkResult& before, const BenchmarkResult& after,
                                     const CompareOptions& options) {
  const auto levels = levels_at({}, options.confidence);
  return compare_each(
      before, after, 2,
      [&](MetricComparison& row, const Metric&, const Metric&, const auto& left, const auto& right) {
        const auto a = best_of(left), b = best_of(right);
        const auto shift = fill(
            row, [&](double level) { return rank_sum_shift(a, b, level); }, levels, options,
            "rank sums of process values");
        row.before = side_estimate(left, options.confidence);
        row.after = side_estimate(right, options.confidence);
        row.p = shift.p;
        row.processes_needed = processes_needed(shift, std::min(a.size(), b.size()), options.margin);
        if (waiting_of(before, after) == Waiting::taken_off)
          doubt_waiting(row, shift, mean_waited(left), mean_waited(right),
                        rank_sum_shift(waited_of(left), waited_of(right), uneven_level).p);
      });
}

}  // namespace tare
