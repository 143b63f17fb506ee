#include "bench/model/comparison.hpp"

#include <algorithm>

namespace tare {

std::string BenchmarkComparison::name() const {
  if (before == after) return before.full();
  return before.full() + " → " + after.full();
}

const MetricComparison* BenchmarkComparison::metric(std::string_view name) const {
  const auto found = std::find_if(metrics.begin(), metrics.end(),
                                  [&](const MetricComparison& m) { return m.metric == name; });
  return found == metrics.end() ? nullptr : &*found;
}

const char* name_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::better:
      return "better";
    case Verdict::worse:
      return "worse";
    case Verdict::same:
      return "same";
    case Verdict::undecided:
      return "undecided";
  }
  return "unknown";
}

std::string word_of(Verdict verdict, const MetricComparison& metric) {
  if (metric.unit == "ns" && verdict == Verdict::better) return "faster";
  if (metric.unit == "ns" && verdict == Verdict::worse) return "slower";
  return name_of(verdict);
}

const char* name_of(GateOutcome outcome) {
  switch (outcome) {
    case GateOutcome::within:
      return "within";
    case GateOutcome::beyond:
      return "beyond";
    case GateOutcome::undecided:
      return "undecided";
    case GateOutcome::failed:
      return "failed";
  }
  return "unknown";
}

}  // namespace tare
