// What the analysis says about one metric. Undefined is std::nullopt, never 0.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "bench/model/warning.hpp"

namespace tare {

/// A number with its interval. Without an interval (n = 1) low and high are empty.
struct Estimate {
  double point = 0;
  std::optional<double> low;
  std::optional<double> high;
  double confidence = 0.95;
  std::string method;  ///< "t on process medians", "BCa bootstrap", "order statistic", "exact", …

  bool operator==(const Estimate&) const = default;
  /// Half the interval's width relative to the point; empty when undefined.
  [[nodiscard]] std::optional<double> relative_half_width() const {
    if (!low || !high || point == 0) return std::nullopt;
    return (*high - *low) / 2 / (point < 0 ? -point : point);
  }
};

/// Tukey's fences: mild beyond 1.5, severe beyond 3 interquartile ranges.
struct Outliers {
  std::size_t low_severe = 0;
  std::size_t low_mild = 0;
  std::size_t high_mild = 0;
  std::size_t high_severe = 0;

  bool operator==(const Outliers&) const = default;
  [[nodiscard]] std::size_t severe() const { return low_severe + high_severe; }
  [[nodiscard]] std::size_t all() const { return severe() + low_mild + high_mild; }
};

enum class Steadiness { flat, warming, slowing, no_steady_state };
const char* name_of(Steadiness steadiness);

struct Summary {
  std::size_t n = 0;          ///< samples used, after the warm-up
  std::size_t processes = 0;  ///< that contributed at least one sample
  std::size_t warm_up = 0;    ///< samples left out at the start, all processes together
  Steadiness steadiness = Steadiness::flat;

  std::optional<Estimate> time;    ///< the headline: mean of the process medians, t interval over processes
  std::optional<Estimate> mean;    ///< over all samples, interval corrected for dependence
  std::optional<Estimate> median;  ///< over all samples, order-statistic interval
  std::optional<double> deviation;
  std::optional<double> mad;
  std::optional<double> variation;  ///< deviation / mean
  std::optional<double> minimum, p50, p90, p99, maximum;
  Outliers outliers;
  std::optional<double> lag1;
  std::optional<double> effective_n;
  std::optional<double> between_share;  ///< of the variance that lies between processes, 0 … 1
  std::vector<Warning> warnings;

  bool operator==(const Summary&) const = default;
};

}  // namespace tare
