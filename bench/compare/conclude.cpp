// The comparison as a whole: p values corrected over the suite, verdicts, the geometric mean, and two stored
// runs.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numeric>

#include "bench/analyse/distributions.hpp"
#include "bench/compare/compare.hpp"
#include "bench/compare/correction.hpp"
#include "bench/compare/normalised.hpp"
#include "bench/support/text.hpp"

namespace tare {
namespace {

bool doubts(const MetricComparison& row, Doubt doubt) {
  return std::any_of(row.warnings.begin(), row.warnings.end(),
                     [&](const Warning& w) { return w.doubt == doubt; });
}

void give_verdict(MetricComparison& row, const CompareOptions& options, std::size_t family) {
  const double alpha = 1 - options.confidence;
  row.verdict = Verdict::undecided;
  if (doubts(row, Doubt::uneven_interference)) {
    row.reason = "the sides were not disturbed alike";
  } else if (*row.corrected_p <= alpha && row.better != Better::neither) {
    const bool less = row.ratio->point < 1;
    row.verdict = less == (row.better == Better::less) ? Verdict::better : Verdict::worse;
  } else if (row.within_margin && doubts(row, Doubt::intermittent)) {
    row.reason = "the same when undisturbed, but not typically";
  } else if (row.within_margin) {
    row.verdict = Verdict::same;
    row.reason = fmt::format("within ±{}", format_percent(options.margin));
  } else if (*row.p <= alpha && *row.corrected_p > alpha) {
    row.reason = fmt::format("not beyond chance among all comparisons ({})", name_of(options.correction));
  } else if (row.ratio && !row.ratio->low) {
    row.reason = "too few repetitions";
  } else {
    row.reason =
        fmt::format("neither a difference nor equality within ±{} is shown", format_percent(options.margin));
  }
  if (row.verdict != Verdict::undecided) {
    row.processes_needed.reset();
  } else if (row.processes_needed) {
    const double counted = options.correction == Correction::none ? 1 : static_cast<double>(family);
    row.processes_needed = std::max(*row.processes_needed, fewest_pairs(alpha / counted));
  }
}

/// The p values of a family, then verdicts.
void correct(const std::vector<MetricComparison*>& rows, const CompareOptions& options) {
  std::vector<std::optional<double>> p;
  for (const auto* row : rows) p.push_back(row->p);
  if (options.correction == Correction::holm) p = holm(p);
  if (options.correction == Correction::benjamini_hochberg) p = benjamini_hochberg(p);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i]->corrected_p = p[i];
    give_verdict(*rows[i], options, rows.size());
  }
}

/// Of the ratios of "time": the suite is taken as it is, so only the measurement's uncertainty counts.
std::optional<Estimate> geometric_mean(const Comparison& comparison) {
  double sum = 0, variance = 0;
  std::size_t n = 0;
  bool known = true;
  const double z = normal_quantile(1 - (1 - comparison.confidence) / 2);
  for (const auto& pair : comparison.benchmarks) {
    const auto* time = pair.metric("time");
    if (time == nullptr || !time->ratio) continue;
    ++n;
    sum += std::log(time->ratio->point);
    known = known && time->ratio->low && time->ratio->high;
    if (known) variance += std::pow(std::log(*time->ratio->high / *time->ratio->low) / (2 * z), 2);
  }
  if (n < 2) return std::nullopt;
  const double centre = sum / static_cast<double>(n), half = z * std::sqrt(variance) / static_cast<double>(n);
  Estimate estimate{std::exp(centre), {}, {}, comparison.confidence, "geometric mean of the time ratios"};
  if (known) {
    estimate.low = std::exp(centre - half);
    estimate.high = std::exp(centre + half);
  }
  return estimate;
}

}  // namespace

void conclude(Comparison& comparison, const CompareOptions& options) {
  comparison.confidence = options.confidence;
  comparison.margin = options.margin;
  comparison.correction = name_of(options.correction);
  // Two families: what else is looked at makes no benchmark's time less certain.
  std::vector<MetricComparison*> times, others;
  for (auto& pair : comparison.benchmarks)
    for (auto& row : pair.metrics)
      if (row.p && row.ratio) (row.metric == "time" ? times : others).push_back(&row);
  correct(times, options);
  correct(others, options);
  for (auto& pair : comparison.benchmarks) pair.normalised = normalised_metrics(pair, options.confidence);
  comparison.geometric_mean = geometric_mean(comparison);
}

Comparison compare_runs(const Run& before, const Run& after, const CompareOptions& options) {
  Comparison comparison;
  comparison.before.run = before.id;
  comparison.after.run = after.id;
  std::vector<bool> taken(after.results.size(), false);
  for (const auto& result : before.results) {
    std::size_t partner = 0;
    while (partner < after.results.size() && (taken[partner] || !(after.results[partner].id == result.id)))
      ++partner;
    if (partner == after.results.size()) {
      comparison.only_before.push_back(result.id.full());
      continue;
    }
    taken[partner] = true;
    const auto& other = after.results[partner];
    BenchmarkComparison pair;
    judge_fairness(pair, conditions_of(before, result), conditions_of(after, other), options.allowed);
    if (pair.comparable) {
      auto judged = compare_unpaired(result, other, options);
      judged.differences = std::move(pair.differences);
      pair = std::move(judged);
    } else {
      pair.before = result.id;
      pair.after = other.id;
    }
    comparison.benchmarks.push_back(std::move(pair));
  }
  for (std::size_t i = 0; i < after.results.size(); ++i)
    if (!taken[i]) comparison.only_after.push_back(after.results[i].id.full());
  comparison.warnings.push_back({Doubt::uncontrolled_drift,
                                 "the sides were measured at different times: what changed on the machine "
                                 "between is part of the ratios"});
  conclude(comparison, options);
  return comparison;
}

}  // namespace tare
