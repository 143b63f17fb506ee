// Budgets: what a metric may do between two sides, and the judgement of a comparison by them.
//
// A change is judged in the direction that is worse for the metric: growth where less is better, shrinking
// where more is better, both where neither is. A noisy metric is beyond its limit when the whole confidence
// interval of its change is, within when the whole interval is, and otherwise undecided; so of changes that
// lie exactly at the limit one in forty is called beyond (at 95 %), of smaller ones fewer. An exact metric is
// judged exactly: its interval is one point, or the range seen when it was not exact after all. The interval
// of an absolute change of a noisy metric is that of the ratio times the before side, whose own uncertainty
// is left out: it is small against the change's unless the change is many times the value. Every budget is
// judged on its own; nothing corrects for their number.
#pragma once

#include <string>
#include <vector>

#include "bench/model/comparison.hpp"

namespace tare {

struct Limit {
  enum class Kind {
    relative,  ///< change, as a fraction of the before side
    absolute,  ///< change, in the metric's unit
    at_most,   ///< the after side's own value
    at_least,
  };
  Kind kind = Kind::relative;
  double amount = 0;
  std::string unit;  ///< "ns", "B", "J": what the amount is in; empty: the metric's own
  std::string text;  ///< as written: "5%"

  bool operator==(const Limit&) const = default;
};

struct Budget {
  std::string pattern;  ///< a regular expression found in the benchmark's name; empty: the default
  std::string metric;
  std::vector<Limit> limits;  ///< empty: anything is allowed

  bool operator==(const Budget&) const = default;
};

/// In file order. For each benchmark and metric the last budget whose pattern matches decides, alone.
using Budgets = std::vector<Budget>;

/// A benchmark that failed, cannot be compared or is gone, a metric that is gone, and a metric that a
/// pattern's budget asks for and neither side has, are failed. A default budget speaks only of benchmarks
/// that have the metric. Throws std::regex_error for a pattern that is not a regular expression.
GateResult judge(const Comparison& comparison, const Budgets& budgets);

/// "time = 5%", "gradient_error <= 1e-5".
std::string budget_text(const std::string& metric, const Limit& limit);

}  // namespace tare
