#include "bench/analyse/pivot.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <map>
#include <regex>
#include <set>
#include <utility>

#include "bench/support/text.hpp"

namespace tare {
namespace {

/// The number of a metric to compare: the headline, or else the median, or else the mean.
const Estimate* number_of(const Summary& summary) {
  if (summary.time) return &*summary.time;
  if (summary.median) return &*summary.median;
  return summary.mean ? &*summary.mean : nullptr;
}

/// Half the interval on the logarithmic scale; empty when there is none.
std::optional<double> log_half(const Estimate& estimate) {
  if (!estimate.low || !estimate.high || *estimate.low <= 0 || *estimate.high <= 0) return std::nullopt;
  return std::log(*estimate.high / *estimate.low) / 2;
}

Estimate on_log_scale(double log_point, std::optional<double> half, double confidence) {
  Estimate estimate{std::exp(log_point), {}, {}, confidence, "logarithms in quadrature"};
  if (half) {
    estimate.low = std::exp(log_point - *half);
    estimate.high = std::exp(log_point + *half);
  }
  return estimate;
}

std::optional<Estimate> value_of(const BenchmarkResult& result, const std::string& metric,
                                 const std::string& per) {
  const auto* found = result.metric(metric);
  const auto* number =
      result.outcome == Outcome::ok && found != nullptr ? number_of(found->summary) : nullptr;
  if (number == nullptr) return std::nullopt;
  if (per.empty()) return *number;
  const auto divisor = value_of(result, per, "");
  return divisor ? ratio_of(*number, *divisor) : std::nullopt;
}

Better better_of(const std::vector<BenchmarkResult>& results, const std::string& metric) {
  for (const auto& result : results) {
    if (const auto* found = result.metric(metric)) return found->better;
  }
  return Better::less;
}

std::string unit_of(const std::vector<BenchmarkResult>& results, const std::string& metric) {
  for (const auto& result : results) {
    if (const auto* found = result.metric(metric)) return found->unit;
  }
  return "";
}

template <class T>
std::size_t place(std::vector<T>& all, const T& one) {
  const auto found = std::find(all.begin(), all.end(), one);
  if (found != all.end()) return static_cast<std::size_t>(found - all.begin());
  all.push_back(one);
  return all.size() - 1;
}

void compare_row(PivotRow& row, const std::optional<std::size_t>& base, Better better) {
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < row.cells.size(); ++i) {
    if (!row.cells[i].value) continue;
    const double here = row.cells[i].value->point;
    if (!best || (better == Better::more ? here > row.cells[*best].value->point
                                         : here < row.cells[*best].value->point)) {
      best = i;
    }
  }
  if (!best) return;
  row.cells[*best].best = true;
  const auto& against = row.cells[base.value_or(*best)].value;
  if (!against) return;
  for (auto& cell : row.cells) {
    if (cell.value) cell.ratio = ratio_of(*cell.value, *against);
  }
  // Divided by itself: exactly one, whatever its noise.
  row.cells[base.value_or(*best)].ratio = Estimate{1, 1, 1, against->confidence, "exact"};
}

}  // namespace

std::optional<Estimate> ratio_of(const Estimate& value, const Estimate& base) {
  if (value.point <= 0 || base.point <= 0) return std::nullopt;
  const auto a = log_half(value);
  const auto b = log_half(base);
  const auto half = a && b ? std::optional(std::hypot(*a, *b)) : std::nullopt;
  return on_log_scale(std::log(value.point / base.point), half, std::min(value.confidence, base.confidence));
}

Result<PivotTable> pivot(const std::vector<BenchmarkResult>& results, const PivotOptions& options) {
  PivotTable table{options.parameter,
                   options.metric,
                   options.per,
                   options.base,
                   unit_of(results, options.metric),
                   {},
                   {},
                   {}};
  std::vector<std::string> names;
  struct Placed {
    std::size_t row, column;
    PivotCell cell;
  };
  std::vector<Placed> placed;
  for (const auto& result : results) {
    BenchmarkId rest = result.id;
    const auto found = std::find_if(rest.parameters.begin(), rest.parameters.end(),
                                    [&](const auto& pair) { return pair.first == options.parameter; });
    if (found == rest.parameters.end()) continue;
    const std::string value = found->second;
    rest.parameters.erase(found);
    placed.push_back({place(names, rest.full()),
                      place(table.columns, value),
                      {value_of(result, options.metric, options.per),
                       {},
                       false,
                       result.outcome == Outcome::ok ? "" : result.message}});
  }
  if (placed.empty()) {
    return fail(fmt::format("no benchmark of this run has the parameter '{}'", printable(options.parameter)));
  }
  std::optional<std::size_t> base;
  if (options.base != "best") {
    const auto column = std::find(table.columns.begin(), table.columns.end(), options.base);
    if (column == table.columns.end()) {
      return fail(fmt::format("'{}' is no value of '{}'; there are: {}", printable(options.base),
                              printable(options.parameter), join(table.columns, ", ")));
    }
    base = static_cast<std::size_t>(column - table.columns.begin());
  }
  for (const auto& name : names) table.rows.push_back({name, std::vector<PivotCell>(table.columns.size())});
  for (auto& [row, column, cell] : placed) table.rows[row].cells[column] = std::move(cell);
  const auto better = better_of(results, options.metric);
  for (auto& row : table.rows) compare_row(row, base, better);
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    double sum = 0;
    std::size_t count = 0;
    for (const auto& row : table.rows) {
      if (!row.cells[i].ratio) continue;
      sum += std::log(row.cells[i].ratio->point);
      ++count;
    }
    table.means.push_back(count == 0 ? std::nullopt
                                     : std::optional(std::exp(sum / static_cast<double>(count))));
  }
  return table;
}

namespace {

/// The ratio of a pair; two zeros are equal, something against zero is beyond every bound.
std::optional<Estimate> pair_ratio(const Estimate& of, const Estimate& to) {
  if (of.point == 0 && to.point == 0) return Estimate{1, 1, 1, of.confidence, "exact"};
  if (of.point == 0) return Estimate{0, 0, 0, of.confidence, "exact"};
  if (to.point == 0) {
    constexpr double endless = std::numeric_limits<double>::infinity();
    return Estimate{endless, endless, endless, of.confidence, "exact"};
  }
  return ratio_of(of, to);
}

Standing standing_of(const Estimate& ratio, double at_most) {
  if (ratio.high.value_or(ratio.point) <= at_most) return Standing::holds;
  return ratio.low.value_or(ratio.point) > at_most ? Standing::fails : Standing::undecided;
}

Estimate mean_of(const std::vector<Estimate>& ratios) {
  double sum = 0;
  std::optional<double> squares = 0;
  const auto n = static_cast<double>(ratios.size());
  for (const auto& ratio : ratios) {
    sum += std::log(ratio.point);
    const auto half = log_half(ratio);
    squares = squares && half ? std::optional(*squares + *half * *half) : std::nullopt;
  }
  return on_log_scale(sum / n, squares ? std::optional(std::sqrt(*squares) / n) : std::nullopt,
                      ratios.front().confidence);
}

using ByName = std::map<std::string, const BenchmarkResult*>;

/// A name without the text that stands for a side.
using Hole = std::pair<std::string, std::string>;

struct Named {
  std::string name;
  std::optional<Estimate> value;
};
/// The best of the benchmarks that have one of the texts in the hole.
Named best_of(const ByName& by_name, const Hypothesis& h, const Hole& hole,
              const std::vector<std::string>& texts) {
  Named best;
  for (const auto& text : texts) {
    const auto found = by_name.find(hole.first + text + hole.second);
    if (found == by_name.end()) continue;
    const auto value = value_of(*found->second, h.metric, h.per);
    if (value && (!best.value || value->point < best.value->point)) best = {found->first, value};
  }
  return best;
}

/// Every hole that one of `of` fills in a name the filter lets through, once.
std::set<Hole> holes_of(const ByName& by_name, const Hypothesis& h) {
  const std::regex filter(h.filter);
  std::set<Hole> holes;
  for (const auto& [name, result] : by_name) {
    if (!std::regex_search(name, filter)) continue;
    for (const auto& of : h.of) {
      const auto at = name.find(of);
      if (of.empty() || at == std::string::npos) continue;
      holes.emplace(name.substr(0, at), name.substr(at + of.size()));
    }
  }
  return holes;
}

HypothesisFinding test(const ByName& by_name, const Hypothesis& h) {
  HypothesisFinding finding;
  finding.hypothesis = h;
  std::vector<Estimate> ratios;
  const Estimate* worst = nullptr;
  std::vector<std::string> names;
  for (const auto& hole : holes_of(by_name, h)) {
    const auto of = best_of(by_name, h, hole, h.of);
    if (!of.value) continue;
    const auto to = h.to.empty() ? std::optional(Estimate{1, 1, 1, of.value->confidence, "exact"})
                                 : best_of(by_name, h, hole, h.to).value;
    if (!to) continue;
    if (const auto ratio = pair_ratio(*of.value, *to)) {
      ratios.push_back(*ratio);
      names.push_back(of.name);
      finding.within += ratio->point <= h.at_most ? 1 : 0;
    }
  }
  finding.pairs = ratios.size();
  if (ratios.empty()) return finding;
  for (std::size_t i = 0; i < ratios.size(); ++i) {
    if (worst != nullptr && ratios[i].point <= worst->point) continue;
    worst = &ratios[i];
    finding.worst = names[i];
  }
  finding.observed = h.each ? *worst : mean_of(ratios);
  finding.standing = standing_of(*finding.observed, h.at_most);
  return finding;
}

}  // namespace

std::vector<HypothesisFinding> test_hypotheses(const std::vector<BenchmarkResult>& results,
                                               const std::vector<Hypothesis>& hypotheses) {
  ByName by_name;
  for (const auto& result : results) by_name[result.id.full()] = &result;
  std::vector<HypothesisFinding> findings;
  findings.reserve(hypotheses.size());
  for (const auto& hypothesis : hypotheses) findings.push_back(test(by_name, hypothesis));
  return findings;
}

}  // namespace tare
