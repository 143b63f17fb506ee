#include "bench/compare/normalised.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <stdexcept>
#include <vector>

namespace tare {
namespace {

constexpr double usual_confidence = 0.95;  // of summaries

/// A value with the squared distances of its limits, ready to be added to others.
struct Term {
  double value = 0;
  std::optional<double> below, above;
};

std::optional<double> squared(std::optional<double> distance) {
  if (!distance) return std::nullopt;
  return *distance * *distance;
}

std::optional<double> operator+(std::optional<double> a, std::optional<double> b) {
  if (!a || !b) return std::nullopt;
  return *a + *b;
}

Term linear(const Estimate& estimate) {
  Term term{estimate.point, std::nullopt, std::nullopt};
  if (estimate.low) term.below = squared(estimate.point - *estimate.low);
  if (estimate.high) term.above = squared(*estimate.high - estimate.point);
  return term;
}

/// Undefined unless the estimate exists and is above 0.
std::optional<Term> logarithm(const MaybeEstimate& estimate) {
  if (!estimate || !(estimate->point > 0) || !std::isfinite(estimate->point)) return std::nullopt;
  const double value = std::log(estimate->point);
  Term term{value, std::nullopt, std::nullopt};
  if (estimate->low && *estimate->low > 0) term.below = squared(value - std::log(*estimate->low));
  if (estimate->high && *estimate->high > 0) term.above = squared(std::log(*estimate->high) - value);
  return term;
}

Term operator-(const Term& term) {
  return {-term.value, term.above, term.below};
}

Term operator+(const Term& a, const Term& b) {
  return {a.value + b.value, a.below + b.below, a.above + b.above};
}

double common_confidence(std::initializer_list<const MaybeEstimate*> inputs, const char* operation) {
  const double first = (*inputs.begin())->value().confidence;
  for (const auto* input : inputs)
    if ((*input)->confidence != first)
      throw std::invalid_argument(
          fmt::format("{}: intervals of confidence {} and {}", operation, first, (*input)->confidence));
  return first;
}

Estimate estimate_of(const Term& term, double confidence, const char* method) {
  Estimate estimate{term.value, std::nullopt, std::nullopt, confidence, method};
  if (term.below && term.above) {
    estimate.low = term.value - std::sqrt(*term.below);
    estimate.high = term.value + std::sqrt(*term.above);
  }
  return estimate;
}

Estimate exponential(const Term& term, double confidence) {
  auto estimate = estimate_of(term, confidence, "variance recovery, log scale");
  estimate.point = std::exp(estimate.point);
  if (estimate.low) estimate.low = std::exp(*estimate.low);
  if (estimate.high) estimate.high = std::exp(*estimate.high);
  return estimate;
}

MaybeEstimate ratio(const MaybeEstimate& above, const MaybeEstimate& below, const char* operation) {
  const auto numerator = logarithm(above), denominator = logarithm(below);
  if (!numerator || !denominator) return std::nullopt;
  return exponential(*numerator + -*denominator, common_confidence({&above, &below}, operation));
}

/// What the score is divided by. It falls with a delta below 0, so the limits change places; where the delta
/// may be on either side of 0, |Δ| may be as little as 0.
Estimate divisor(const Estimate& delta, Penalty penalty) {
  const auto of = [&](double d) { return 1 + (penalty == Penalty::loss ? std::max(0.0, -d) : std::abs(d)); };
  Estimate result{of(delta.point), std::nullopt, std::nullopt, delta.confidence, delta.method};
  if (!delta.low || !delta.high) return result;
  const bool either = *delta.low < 0 && *delta.high > 0;
  result.low = either ? 1 : std::min(of(*delta.low), of(*delta.high));
  result.high = std::max(of(*delta.low), of(*delta.high));
  return result;
}

/// Fit to be put together with others of this confidence: what is exact is so at any, an interval of another
/// one is not used.
MaybeEstimate at_confidence(MaybeEstimate estimate, double confidence, bool exact) {
  if (!estimate || estimate->confidence == confidence) return estimate;
  const bool one_value =
      !estimate->low || (estimate->low == estimate->point && estimate->high == estimate->point);
  estimate->confidence = confidence;
  estimate->low = exact && one_value ? std::optional(estimate->point) : std::nullopt;
  estimate->high = estimate->low;
  return estimate;
}

MaybeEstimate ratio_of(const MetricComparison* row, double confidence) {
  if (row == nullptr || !row->ratio || !(row->ratio->point > 0)) return std::nullopt;
  // A count that differs between processes has a range, and the ratio does not tell.
  const bool exact = row->nature == Nature::exact && row->before && row->before->low == row->before->high &&
                     row->after && row->after->low == row->after->high;
  return at_confidence(row->ratio, confidence, exact);
}

void add(std::vector<NormalisedMetric>& found, const char* name, const MaybeEstimate& estimate) {
  if (estimate && std::isfinite(estimate->point)) found.push_back({name, *estimate});
}

/// Before ÷ after.
MaybeEstimate inverse(const MaybeEstimate& ratio) {
  if (!ratio) return std::nullopt;
  Estimate result{1 / ratio->point, {}, {}, ratio->confidence, ratio->method};
  if (ratio->low && ratio->high && *ratio->low > 0) {
    result.low = 1 / *ratio->high;
    result.high = 1 / *ratio->low;
  }
  return result;
}

}  // namespace

MaybeEstimate speed_up(const MaybeEstimate& before, const MaybeEstimate& after) {
  return ratio(before, after, "speed_up");
}

MaybeEstimate compression(const MaybeEstimate& before, const MaybeEstimate& after) {
  return ratio(before, after, "compression");
}

MaybeEstimate energy_ratio(const MaybeEstimate& before, const MaybeEstimate& after) {
  return ratio(before, after, "energy_ratio");
}

MaybeEstimate retention(const MaybeEstimate& before, const MaybeEstimate& after) {
  return ratio(after, before, "retention");
}

MaybeEstimate accuracy_delta(const MaybeEstimate& before, const MaybeEstimate& after) {
  if (!before || !after || !std::isfinite(before->point) || !std::isfinite(after->point)) return std::nullopt;
  return estimate_of(linear(*after) + -linear(*before),
                     common_confidence({&before, &after}, "accuracy_delta"), "variance recovery");
}

MaybeEstimate efficiency(const MaybeEstimate& speed_up, const MaybeEstimate& compression,
                         const MaybeEstimate& accuracy_delta, Penalty penalty) {
  if (!accuracy_delta) return std::nullopt;
  const auto speed = logarithm(speed_up), size = logarithm(compression);
  const auto cost = logarithm(divisor(*accuracy_delta, penalty));
  if (!speed || !size || !cost) return std::nullopt;
  return exponential(*speed + *size + -*cost,
                     common_confidence({&speed_up, &compression, &accuracy_delta}, "efficiency"));
}

MaybeEstimate geometric_mean(std::span<const MaybeEstimate> ratios) {
  if (ratios.empty()) return std::nullopt;
  Term sum{0, 0.0, 0.0};
  for (const auto& ratio : ratios) {
    const auto term = logarithm(ratio);
    if (!term) return std::nullopt;
    common_confidence({&ratios.front(), &ratio}, "geometric_mean");
    sum = sum + *term;
  }
  const auto n = static_cast<double>(ratios.size());
  const auto scaled = [&](std::optional<double> square) {
    return square ? std::optional(*square / (n * n)) : std::nullopt;
  };
  return exponential({sum.value / n, scaled(sum.below), scaled(sum.above)}, ratios.front()->confidence);
}

std::vector<NormalisedMetric> normalised_metrics(const BenchmarkComparison& pair, double confidence) {
  const auto* bytes = pair.metric("model_bytes");
  if (bytes == nullptr) bytes = pair.metric("parameter_bytes");
  const auto* accuracy = pair.metric("accuracy");
  const auto faster = inverse(ratio_of(pair.metric("time"), confidence));
  const auto smaller = inverse(ratio_of(bytes, confidence));
  MaybeEstimate delta, kept;
  if (accuracy != nullptr) {
    const bool exact = accuracy->nature == Nature::exact;
    const auto before = at_confidence(accuracy->before, confidence, exact),
               after = at_confidence(accuracy->after, confidence, exact);
    delta = accuracy_delta(before, after);
    // A share's ratio knows of these trials only.
    kept = accuracy->nature == Nature::share ? retention(before, after) : ratio_of(accuracy, confidence);
  }
  std::vector<NormalisedMetric> found;
  add(found, "speed-up", faster);
  add(found, "compression", smaller);
  add(found, "accuracy delta", delta);
  add(found, "retention", kept);
  add(found, "energy ratio", inverse(ratio_of(pair.metric("energy"), confidence)));
  add(found, "efficiency", efficiency(faster, smaller, delta));
  return found;
}

std::vector<NormalisedMetric> normalised_against(const BenchmarkResult& base,
                                                 const BenchmarkResult& variant) {
  const auto value = [](const BenchmarkResult& result, const char* name) -> MaybeEstimate {
    const auto* metric = result.metric(name);
    if (metric == nullptr || !metric->available()) return std::nullopt;
    return at_confidence(metric->summary.time, usual_confidence, metric->nature == Nature::exact);
  };
  const char* size = variant.metric("model_bytes") != nullptr ? "model_bytes" : "parameter_bytes";
  const auto time = value(variant, "time"), bytes = value(variant, size),
             accuracy = value(variant, "accuracy");
  const auto faster = speed_up(value(base, "time"), time), smaller = compression(value(base, size), bytes);
  const auto delta = accuracy_delta(value(base, "accuracy"), accuracy);
  // From ns to ms, from bytes to megabytes.
  const auto millionths = [](MaybeEstimate estimate) {
    if (!estimate) return estimate;
    estimate->point /= 1e6;
    if (estimate->low) *estimate->low /= 1e6;
    if (estimate->high) *estimate->high /= 1e6;
    return estimate;
  };
  std::vector<NormalisedMetric> found;
  add(found, "speed-up", faster);
  add(found, "compression", smaller);
  add(found, "accuracy delta", delta);
  add(found, "retention", retention(value(base, "accuracy"), accuracy));
  add(found, "energy ratio", energy_ratio(value(base, "energy"), value(variant, "energy")));
  add(found, "efficiency", efficiency(faster, smaller, delta));
  add(found, "efficiency (any change)", efficiency(faster, smaller, delta, Penalty::change));
  add(found, "accuracy per MB", ratio(accuracy, millionths(bytes), "accuracy per MB"));
  add(found, "accuracy per ms", ratio(accuracy, millionths(time), "accuracy per ms"));
  return found;
}

}  // namespace tare
