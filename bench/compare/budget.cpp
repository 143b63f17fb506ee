#include "bench/compare/budget.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <optional>
#include <regex>

#include "bench/support/text.hpp"

namespace tare {
namespace {

using Kind = Limit::Kind;

struct Range {
  double low = 0;
  double point = 0;
  double high = 0;

  [[nodiscard]] Range operator-() const { return {-high, -point, -low}; }
  [[nodiscard]] Range operator*(double factor) const { return {low * factor, point * factor, high * factor}; }
  [[nodiscard]] Range operator+(double shift) const { return {low + shift, point + shift, high + shift}; }
};

/// Empty for a noisy value without an interval.
std::optional<Range> range_of(const Estimate& estimate, Nature nature) {
  // A share of the same trials is a count: its interval is about other trials.
  if (nature == Nature::share) return Range{estimate.point, estimate.point, estimate.point};
  if (estimate.low && estimate.high) return Range{*estimate.low, estimate.point, *estimate.high};
  if (nature == Nature::exact) return Range{estimate.point, estimate.point, estimate.point};
  return std::nullopt;
}

/// After − before, in the metric's unit.
std::optional<Range> difference_of(const MetricComparison& m) {
  if (m.nature == Nature::noisy && m.ratio && m.before->point > 0) {
    const auto ratio = range_of(*m.ratio, m.nature);
    if (!ratio) return std::nullopt;
    return (*ratio + -1) * m.before->point;
  }
  const auto before = range_of(*m.before, m.nature);
  const auto after = range_of(*m.after, m.nature);
  if (!before || !after) return std::nullopt;
  return Range{after->low - before->high, after->point - before->point, after->high - before->low};
}

std::string signed_value(double value, const std::string& unit) {
  return fmt::format("{}{}", value < 0 ? "-" : "+", format_value(std::fabs(value), unit));
}

std::string observed_change(const MetricComparison& m, const Limit& limit, const Range& difference) {
  const double before = m.before->point;
  if (m.nature != Nature::noisy) {
    auto text = format_step(before, m.after->point, m.unit);
    if (limit.kind == Kind::relative && before > 0 && difference.point != 0) {
      text += fmt::format(" ({})", format_change(difference.point / before, 2));
    }
    return text;
  }
  if (limit.kind == Kind::relative && before > 0) {
    const auto change = difference * (1 / before);
    const int decimals = change_decimals((change.high - change.low) / 2);
    return fmt::format("{} [{}, {}]", format_change(change.point, decimals),
                       format_change(change.low, decimals), format_change(change.high, decimals));
  }
  return fmt::format("{} [{}, {}]", signed_value(difference.point, m.unit),
                     signed_value(difference.low, m.unit), signed_value(difference.high, m.unit));
}

std::string observed_value(const MetricComparison& m) {
  const auto& after = *m.after;
  auto text = format_value(after.point, m.unit);
  if (m.nature == Nature::noisy && after.low && after.high) {
    text += fmt::format(" [{}, {}]", format_value(*after.low, m.unit), format_value(*after.high, m.unit));
  }
  return text;
}

GateOutcome against(const Range& worsening, double limit) {
  // 29 of 100 is within 29 %, whatever 0.29 × 100 is in binary.
  const double slack = std::fabs(limit) * 1e-12;
  if (worsening.low > limit + slack) return GateOutcome::beyond;
  return worsening.high <= limit + slack ? GateOutcome::within : GateOutcome::undecided;
}

GateOutcome judge_change(const MetricComparison& m, const Range& difference, double allowed) {
  if (m.better == Better::less) return against(difference, allowed);
  if (m.better == Better::more) return against(-difference, allowed);
  const auto up = against(difference, allowed);
  const auto down = against(-difference, allowed);
  if (up == GateOutcome::beyond || down == GateOutcome::beyond) return GateOutcome::beyond;
  return up == down ? up : GateOutcome::undecided;
}

/// Why the limit cannot be applied to this metric; empty when it can.
std::string unit_problem(const MetricComparison& m, const Limit& limit) {
  if (limit.kind == Kind::relative || (limit.unit.empty() && limit.amount == 0)) return "";
  const bool dimension = m.unit == "ns" || m.unit == "B" || m.unit == "J";
  if (limit.unit.empty()) {
    return dimension ? fmt::format("the limit {} has no unit and the metric is in {}; write the unit",
                                   limit.text, printable(m.unit))
                     : "";
  }
  if (limit.unit == m.unit) return "";
  return fmt::format("the limit {} is in {} and the metric in {}; write it in the metric's unit", limit.text,
                     limit.unit, printable(m.unit.empty() ? "1" : m.unit));
}

void judge_limit(const MetricComparison& m, const Limit& limit, GateFinding& finding) {
  const auto end = [&](GateOutcome outcome, std::string message) {
    finding.outcome = outcome;
    finding.message = std::move(message);
  };
  if (auto problem = unit_problem(m, limit); !problem.empty()) {
    return end(GateOutcome::failed, std::move(problem));
  }
  if (!m.after) {
    return m.before ? end(GateOutcome::failed, "the metric is gone: only the before side has it")
                    : end(GateOutcome::undecided,
                          m.reason.empty() ? std::string("it has no value on either side") : m.reason);
  }
  const bool of_value = limit.kind == Kind::at_most || limit.kind == Kind::at_least;
  if (!of_value && !m.before) {
    return end(GateOutcome::undecided,
               "only the after side has it: there is nothing to compare with; save the baseline again");
  }
  const auto seen = of_value ? range_of(*m.after, m.nature) : difference_of(m);
  if (of_value) finding.observed = observed_value(m);
  if (!seen) return end(GateOutcome::undecided, "there is no interval; measure with more processes");
  if (!of_value) finding.observed = observed_change(m, limit, *seen);

  auto outcome = GateOutcome::undecided;
  if (limit.kind == Kind::at_most) {
    outcome = against(*seen, limit.amount);
  } else if (limit.kind == Kind::at_least) {
    outcome = against(-*seen, -limit.amount);
  } else {
    const bool relative = limit.kind == Kind::relative;
    outcome = judge_change(m, *seen, relative ? limit.amount * std::fabs(m.before->point) : limit.amount);
  }
  if (outcome == GateOutcome::within) return end(outcome, "");
  if (outcome == GateOutcome::undecided) {
    return end(outcome, m.nature == Nature::exact
                            ? "meant to be exact, but it varies across the limit"
                            : "the interval contains the limit; more processes narrow it");
  }
  if (limit.kind == Kind::at_most) return end(outcome, fmt::format("more than {}", limit.text));
  if (limit.kind == Kind::at_least) return end(outcome, fmt::format("less than {}", limit.text));
  end(outcome, fmt::format("it {} by more than {}", seen->point < 0 ? "shrank" : "grew", limit.text));
}

/// The budgets with their patterns compiled, and which of them judged something.
class Book {
 public:
  explicit Book(const Budgets& budgets) : budgets_(budgets), used_(budgets.size(), false) {
    for (const auto& budget : budgets) patterns_.emplace_back(budget.pattern);
  }

  /// The deciding budget of each metric, in file order of their first mention.
  [[nodiscard]] std::vector<std::size_t> deciding(const std::string& benchmark) const {
    std::vector<std::size_t> chosen;
    for (std::size_t i = 0; i < budgets_.size(); ++i) {
      if (!budgets_[i].pattern.empty() && !std::regex_search(benchmark, patterns_[i])) continue;
      const auto known = std::find_if(chosen.begin(), chosen.end(), [&](std::size_t k) {
        return budgets_[k].metric == budgets_[i].metric;
      });
      if (known != chosen.end()) {
        *known = i;
      } else {
        chosen.push_back(i);
      }
    }
    std::erase_if(chosen, [&](std::size_t i) { return budgets_[i].limits.empty(); });
    return chosen;
  }

  const Budget& use(std::size_t i) {
    used_[i] = true;
    return budgets_[i];
  }
  [[nodiscard]] const Budget& at(std::size_t i) const { return budgets_[i]; }

  [[nodiscard]] std::vector<std::string> unused() const {
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < budgets_.size(); ++i) {
      if (used_[i]) continue;
      for (const auto& limit : budgets_[i].limits) {
        const auto text = budget_text(budgets_[i].metric, limit);
        texts.push_back(budgets_[i].pattern.empty() ? fmt::format("[default] {}", text)
                                                    : fmt::format("{}: {}", budgets_[i].pattern, text));
      }
    }
    return texts;
  }

 private:
  const Budgets& budgets_;
  std::vector<std::regex> patterns_;
  std::vector<bool> used_;
};

/// Why nothing can be judged of this pair; empty when it can.
GateFinding obstacle(const BenchmarkComparison& pair) {
  GateFinding finding{pair.name(), "", "", "", GateOutcome::within, ""};
  if (pair.outcome != Outcome::ok) {
    finding.outcome = pair.outcome == Outcome::skipped ? GateOutcome::undecided : GateOutcome::failed;
    std::string word = name_of(pair.outcome);
    std::replace(word.begin(), word.end(), '_', ' ');
    finding.message = pair.message.empty() ? word : fmt::format("{}: {}", word, pair.message);
  } else if (!pair.comparable) {
    finding.outcome = GateOutcome::failed;
    std::vector<std::string> fields;
    std::string allow;
    for (const auto& d : pair.differences) {
      fields.push_back(fmt::format("{} {} / {}", d.field, d.before, d.after));
      allow += fmt::format(" --allow {}", d.field);
    }
    finding.message = fmt::format("incomparable: {};{} compares them anyway", join(fields, ", "), allow);
  }
  return finding;
}

void judge_pair(const BenchmarkComparison& pair, Book& book, GateResult& result) {
  const auto deciding = book.deciding(pair.after.full());
  if (auto finding = obstacle(pair); finding.outcome != GateOutcome::within && !deciding.empty()) {
    for (const auto i : deciding) book.use(i);
    result.findings.push_back(std::move(finding));
    return;
  }
  bool covered = false;
  for (const auto i : deciding) {
    const auto* metric = pair.metric(book.at(i).metric);
    const bool asked_for = !book.at(i).pattern.empty();
    if (metric == nullptr && !asked_for) continue;
    covered = true;
    const auto& budget = book.use(i);
    for (const auto& limit : budget.limits) {
      GateFinding finding{pair.name(), budget.metric, budget_text(budget.metric, limit), "", {}, ""};
      if (metric != nullptr) {
        judge_limit(*metric, limit, finding);
      } else {
        finding.outcome = GateOutcome::failed;
        finding.message =
            "neither side has this metric; ask for its meter with --meters, or correct the budget";
      }
      result.findings.push_back(std::move(finding));
    }
  }
  if (!covered) result.uncovered.push_back(pair.name());
}

int gravity(GateOutcome outcome) {
  return outcome == GateOutcome::failed      ? 3
         : outcome == GateOutcome::beyond    ? 2
         : outcome == GateOutcome::undecided ? 1
                                             : 0;
}

}  // namespace

std::string budget_text(const std::string& metric, const Limit& limit) {
  const auto* relation = limit.kind == Kind::at_most ? "<=" : limit.kind == Kind::at_least ? ">=" : "=";
  return fmt::format("{} {} {}", metric, relation, limit.text);
}

GateResult judge(const Comparison& comparison, const Budgets& budgets) {
  Book book(budgets);
  GateResult result;
  for (const auto& pair : comparison.benchmarks) judge_pair(pair, book, result);
  for (const auto& name : comparison.only_before) {
    const auto deciding = book.deciding(name);
    for (const auto i : deciding) book.use(i);
    if (deciding.empty()) continue;
    result.findings.push_back(
        {name, "", "", "", GateOutcome::failed, "the benchmark is gone: only the before side has it"});
  }
  for (const auto& name : comparison.only_after) result.uncovered.push_back(name);
  result.unused = book.unused();
  if (result.findings.empty()) return result;
  result.outcome = GateOutcome::within;
  for (const auto& finding : result.findings) {
    if (gravity(finding.outcome) > gravity(result.outcome)) result.outcome = finding.outcome;
  }
  return result;
}

}  // namespace tare
