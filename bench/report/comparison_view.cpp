#include "bench/report/comparison_view.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>

#include "bench/report/layout.hpp"
#include "bench/report/run_view.hpp"
#include "bench/support/text.hpp"

namespace tare {
namespace {

constexpr std::string_view phase_prefix = "time/";

Ink ink_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::better:
      return Ink::good;
    case Verdict::worse:
      return Ink::bad;
    case Verdict::undecided:
      return Ink::caution;
    case Verdict::same:
      break;
  }
  return Ink::plain;
}

bool decided_change(const MetricComparison& metric) {
  return metric.verdict == Verdict::better || metric.verdict == Verdict::worse;
}

std::string word_for(const MetricComparison& metric) {
  const bool neither = metric.better == Better::neither && decided_change(metric);
  return neither ? "changed" : word_of(metric.verdict, metric);
}

std::string change_text(const Comparison& comparison, const MetricComparison& metric) {
  if (metric.before.has_value() != metric.after.has_value()) return metric.before ? "gone" : "added";
  if (metric.nature != Nature::noisy) return word_for(metric);
  if (metric.verdict == Verdict::same) return "same within " + format_percent(comparison.margin, 1);
  if (!decided_change(metric) || !metric.ratio) return word_for(metric);
  return fmt::format("{}× {}", factor_of(*metric.ratio).point, word_for(metric));
}

/// A change told as a factor has its interval as factors; what may be no change at all, in percent.
std::string interval_text(const MetricComparison& metric) {
  if (metric.nature != Nature::noisy || !metric.before || !metric.after) {
    if (metric.before && metric.after) {
      return format_step(metric.before->point, metric.after->point, metric.unit);
    }
    const auto value = [&](const std::optional<Estimate>& side) {
      return side ? metric_value(side->point, metric.unit) : "–";
    };
    return metric.before || metric.after ? fmt::format("{} → {}", value(metric.before), value(metric.after))
                                         : "";
  }
  if (!metric.ratio || !metric.ratio->low || !metric.ratio->high) return "no interval";
  const auto confidence = confidence_text(metric.ratio->confidence);
  if (decided_change(metric)) return fmt::format("{} CI {}", confidence, factor_of(*metric.ratio).interval);
  const auto decimals = change_decimals((*metric.ratio->high - *metric.ratio->low) / 2);
  return fmt::format("{} CI [{}, {}]", confidence, format_change(*metric.ratio->low - 1, decimals),
                     format_change(*metric.ratio->high - 1, decimals));
}

std::string times_text(const MetricComparison& metric) {
  if (!metric.before || !metric.after || metric.nature != Nature::noisy) return "";
  return fmt::format("{} → {}", metric_value(metric.before->point, metric.unit),
                     metric_value(metric.after->point, metric.unit));
}

/// How long and how often, in words or short.
std::string measured_text(const BenchmarkComparison& pair, bool words) {
  std::vector<std::string> parts;
  if (pair.processes > 0) {
    auto text = std::to_string(pair.processes);
    if (words || pair.rounds == 0) text += pair.processes == 1 ? " process" : " processes";
    if (pair.rounds > 0) {
      const auto each = static_cast<double>(pair.rounds) / static_cast<double>(pair.processes);
      text +=
          fmt::format("{}{}{:.0f}", words ? " × " : "×", pair.rounds % pair.processes == 0 ? "" : "~", each);
      if (words) text += each == 1 ? " round" : " rounds";
    }
    parts.push_back(std::move(text));
  } else if (pair.rounds > 0) {
    parts.push_back(plural(pair.rounds, "round"));
  }
  if (pair.seconds > 0) parts.push_back(format_duration(pair.seconds * 1e9, 2));
  if (parts.empty()) return "";
  return words ? fmt::format("({})", join(parts, ", ")) : join(parts, ", ");
}

std::string remark_of(const Comparison& comparison, const BenchmarkComparison& pair,
                      const MetricComparison& metric) {
  if (metric.verdict != Verdict::undecided || !metric.before || !metric.after) return "";
  std::vector<std::string> parts;
  if (!metric.reason.empty()) parts.push_back(metric.reason);
  const bool by_rounds = pair.processes == 0 && pair.rounds > 0;
  const auto repeated = by_rounds ? pair.rounds : pair.processes;
  if (metric.processes_needed && *metric.processes_needed > repeated) {
    const auto more = *metric.processes_needed - repeated;
    const char* word = by_rounds ? (more == 1 ? "round" : "rounds") : more == 1 ? "process" : "processes";
    parts.push_back(
        fmt::format("{} more {} would find {}", more, word, format_percent(comparison.margin, 1)));
  }
  if (metric.visible) {
    parts.push_back(
        fmt::format("this measurement finds {} in 4 of 5 cases", format_percent(*metric.visible)));
  }
  return parts.empty() ? "" : "undecided: " + join(parts, "; ");
}

/// Ratios as factors, the accuracy delta in points. A speed-up alone says no more than the verdict.
std::string normalised_text(const BenchmarkComparison& pair) {
  if (pair.normalised.size() < 2) return "";
  std::vector<std::string> parts;
  for (const auto& [name, estimate] : pair.normalised) {
    const bool points = name == "accuracy delta";
    const bool wide = estimate.low && estimate.high && *estimate.high > *estimate.low;
    const double half = wide ? (*estimate.high - *estimate.low) / 2 : 0;
    const int decimals = points ? 1 + change_decimals(half) / 2 : std::clamp(change_decimals(half) + 1, 2, 4);
    const auto value = [&](double v) {
      return points ? format_change(v, decimals) : fmt::format("{:.{}f}", v, decimals);
    };
    auto text = fmt::format("{} {}", printable(name), value(estimate.point));
    if (wide) text += fmt::format(" [{}, {}]", value(*estimate.low), value(*estimate.high));
    parts.push_back(std::move(text));
  }
  return dotted(parts);
}

ComparisonRow row_of(const Comparison& comparison, const BenchmarkComparison& pair,
                     const MetricComparison& metric) {
  ComparisonRow row;
  row.ink = ink_of(metric.verdict);
  row.changed = decided_change(metric) || metric.before.has_value() != metric.after.has_value();
  row.change = change_text(comparison, metric);
  row.interval = interval_text(metric);
  const auto p = metric.corrected_p ? metric.corrected_p : metric.p;
  if (p && metric.nature == Nature::noisy) row.p = p_text(*p);
  row.times = times_text(metric);
  row.between = metric.between_share ? fmt::format("{:.0f} %", 100 * *metric.between_share) : "";
  row.remark = remark_of(comparison, pair, metric);
  return row;
}

std::string differing(const std::vector<Difference>& differences) {
  std::vector<std::string> parts;
  for (const auto& d : differences) parts.push_back(fmt::format("{} {} / {}", d.field, d.before, d.after));
  return join(parts, ", ");
}

std::string incomparable_text(const BenchmarkComparison& pair) {
  std::string allow;
  for (const auto& d : pair.differences) allow += fmt::format(" --allow {}", d.field);
  return fmt::format("incomparable: {};{} compares them anyway", differing(pair.differences), allow);
}

/// Whether anything is to be told of a metric besides the benchmark's time.
bool worth_a_row(const MetricComparison& metric, bool has_time) {
  return metric.metric.starts_with(phase_prefix) || !has_time || decided_change(metric) ||
         metric.before.has_value() != metric.after.has_value();
}

/// Rows are ordered by group, then by how much worse it became.
struct Rank {
  int group = 0;
  double better_by = 0;

  auto operator<=>(const Rank&) const = default;
};

Rank rank_of(const BenchmarkComparison& pair) {
  if (pair.outcome != Outcome::ok || !pair.comparable || pair.metrics.empty()) return {0, 0};
  const auto* time = pair.metric("time");
  const auto& metric = time != nullptr ? *time : pair.metrics.front();
  double better_by = 0;
  if (metric.ratio && metric.ratio->point > 0) {
    better_by = std::log(metric.ratio->point) * (metric.better == Better::more ? 1 : -1);
  }
  switch (metric.verdict) {
    case Verdict::worse:
      return {1, better_by};
    case Verdict::better:
      return {2, better_by};
    case Verdict::undecided:
      return {3, better_by};
    case Verdict::same:
      break;
  }
  return {4, better_by};
}

std::string group_word(const BenchmarkComparison& pair) {
  if (pair.outcome != Outcome::ok) return words_of(pair.outcome);
  if (!pair.comparable) return "incomparable";
  if (pair.metrics.empty()) return "without a common metric";
  const auto* time = pair.metric("time");
  return word_for(time != nullptr ? *time : pair.metrics.front());
}

void add_rows(const Comparison& comparison, const BenchmarkComparison& pair, ComparisonView& view,
              Footnotes& notes) {
  const auto name = pair.name();
  const auto index = view.rows.size();
  ComparisonRow own;
  if (pair.outcome != Outcome::ok || !pair.comparable || pair.metrics.empty()) {
    const bool harmless = pair.outcome == Outcome::skipped || pair.outcome == Outcome::cancelled;
    own.ink = harmless ? Ink::caution : Ink::bad;
    own.changed = true;
    own.sentence = group_word(pair);
    if (pair.outcome != Outcome::ok) {
      if (!pair.message.empty()) own.sentence += ": " + pair.message;
    } else if (!pair.comparable) {
      own.sentence = incomparable_text(pair);
    }
    own.name = name;
    view.rows.push_back(std::move(own));
    return;
  }
  const auto* time = pair.metric("time");
  if (time != nullptr) {
    own = row_of(comparison, pair, *time);
    notes.add(index, name, time->warnings);
  }
  own.name = name;
  own.stamped = !pair.differences.empty();
  own.measured = measured_text(pair, true);
  own.effort = measured_text(pair, false);
  own.normalised = normalised_text(pair);
  view.rows.push_back(std::move(own));
  for (const auto& metric : pair.metrics) {
    if (&metric == time || !worth_a_row(metric, time != nullptr)) continue;
    auto row = row_of(comparison, pair, metric);
    const bool phase = metric.metric.starts_with(phase_prefix);
    row.name = phase ? metric.metric.substr(phase_prefix.size()) : metric.metric;
    row.owner = name;
    // That a phase needs as many processes as the whole need not be said again.
    if (time != nullptr && time->verdict == Verdict::undecided) row.remark.clear();
    view.rows[index].changed |= row.changed;
    notes.add(view.rows.size(), name, metric.warnings, row.name);
    view.rows.push_back(std::move(row));
  }
}

std::string side_text(const char* word, const ComparedSide& side) {
  std::vector<std::string> parts;
  if (!side.name.empty()) parts.push_back(side.name);
  if (side.run != 0) parts.push_back(fmt::format("run {}", side.run));
  if (!side.binary_hash.empty()) parts.push_back(shorten_end(printable(side.binary_hash), 13));
  return parts.empty() ? "" : fmt::format("{}: {}", word, join(parts, " · "));
}

std::vector<std::string> cautions_of(const Comparison& comparison) {
  std::vector<std::string> cautions;
  if (comparison.identical) cautions.emplace_back("Identical binaries: what is found is noise.");
  if (!comparison.paired) {
    cautions.emplace_back("Stored runs: drift between them was not controlled.");
  }
  std::vector<std::pair<Difference, std::vector<std::string>>> stamps;
  for (const auto& pair : comparison.benchmarks) {
    if (!pair.comparable) continue;
    for (const auto& difference : pair.differences) {
      auto stamp = std::find_if(stamps.begin(), stamps.end(),
                                [&](const auto& known) { return known.first == difference; });
      if (stamp == stamps.end()) stamp = stamps.insert(stamp, {difference, {}});
      stamp->second.push_back(pair.name());
    }
  }
  for (const auto& [d, names] : stamps) {
    cautions.push_back(fmt::format(
        "Compared although {} differ{}: {} / {} ({}).", d.field, d.field.ends_with('s') ? "" : "s", d.before,
        d.after, names.size() == comparison.benchmarks.size() ? "all benchmarks" : some_of(names)));
  }
  for (const auto& warning : comparison.warnings) cautions.push_back(warning.text);
  if (const auto& floor = comparison.noise_floor) {
    cautions.push_back(fmt::format("Noise floor here: identical programs differed by {}, at most {}, in {}.",
                                   format_percent(floor->typical), format_percent(floor->largest),
                                   plural(floor->comparisons, "comparison")));
  }
  return cautions;
}

std::string counts_of(const Comparison& comparison, const std::vector<const BenchmarkComparison*>& ordered) {
  if (comparison.benchmarks.empty()) return "No benchmark is on both sides: nothing was compared.";
  std::vector<std::pair<std::string, std::size_t>> counts;
  for (const auto* pair : ordered) {
    const auto word = group_word(*pair);
    const auto known =
        std::find_if(counts.begin(), counts.end(), [&](const auto& count) { return count.first == word; });
    if (known != counts.end()) {
      ++known->second;
    } else {
      counts.emplace_back(word, 1);
    }
  }
  std::vector<std::string> texts;
  for (const auto& [word, count] : counts) texts.push_back(fmt::format("{} {}", count, word));
  return fmt::format("{}: {}.", plural(ordered.size(), "benchmark"), join(texts, ", "));
}

std::string mean_text(const Estimate& mean) {
  const auto factor = factor_of(mean);
  auto text =
      fmt::format("Geometric mean of the times: {}× {}", factor.point, mean.point > 1 ? "slower" : "faster");
  if (!factor.interval.empty()) {
    text += fmt::format(", {} CI {}", confidence_text(mean.confidence), factor.interval);
    if (*mean.low <= 1 && *mean.high >= 1) text += ", which contains no change";
  }
  return text + ".";
}

}  // namespace

Factor factor_of(const Estimate& ratio) {
  const bool swap = ratio.point < 1 && ratio.point > 0;
  const double point = swap ? 1 / ratio.point : ratio.point;
  const int digits = digits_for(ratio.relative_half_width());
  const int magnitude =
      point > 0 && std::isfinite(point) ? static_cast<int>(std::floor(std::log10(point))) : 0;
  const int decimals = std::max(0, digits - 1 - magnitude);
  const auto text = [&](double value) { return fmt::format("{:.{}f}", swap ? 1 / value : value, decimals); };
  Factor factor{text(ratio.point), ""};
  if (ratio.low && ratio.high) {
    factor.interval =
        fmt::format("[{}, {}]", text(swap ? *ratio.high : *ratio.low), text(swap ? *ratio.low : *ratio.high));
  }
  return factor;
}

std::string p_text(double p) {
  if (!std::isfinite(p)) return "";
  if (p < 0.0001) return "p < 0.0001";
  return fmt::format("p {:.{}f}", p, p < 0.01 ? 4 : p < 0.1 ? 3 : 2);
}

ComparisonView view_of(const Comparison& comparison) {
  ComparisonView view;
  std::vector<const BenchmarkComparison*> ordered;
  for (const auto& pair : comparison.benchmarks) ordered.push_back(&pair);
  std::stable_sort(ordered.begin(), ordered.end(),
                   [](const auto* a, const auto* b) { return rank_of(*a) < rank_of(*b); });
  Footnotes notes;
  for (const auto* pair : ordered) add_rows(comparison, *pair, view, notes);
  const auto measured = static_cast<std::size_t>(std::count_if(
      ordered.begin(), ordered.end(), [](const auto* pair) { return rank_of(*pair).group != 0; }));
  view.notes = notes.number(
      measured, [&](std::size_t row, std::size_t number) { view.rows[row].notes.push_back(number); });
  for (auto side : {side_text("before", comparison.before), side_text("after", comparison.after)}) {
    if (!side.empty()) view.sides.push_back(std::move(side));
  }
  view.cautions = cautions_of(comparison);
  for (const auto& name : comparison.only_before) view.unmatched.push_back("only before: " + name);
  for (const auto& name : comparison.only_after) view.unmatched.push_back("only after: " + name);
  view.counts = counts_of(comparison, ordered);
  if (comparison.geometric_mean) view.geometric_mean = mean_text(*comparison.geometric_mean);
  view.method = comparison.correction == "none"
                    ? "p values are not corrected for the number of comparisons."
                    : fmt::format("p values are corrected by {} over all benchmarks.", comparison.correction);
  return view;
}

}  // namespace tare
