// The samples of one metric taken apart by process, and how much of the variance lies between processes.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "bench/analyse/estimators.hpp"
#include "bench/analyse/warm_up.hpp"
#include "bench/model/metric.hpp"

namespace tare {

/// One process's part: values per iteration with the overhead taken off, in the order they were taken.
struct ProcessSeries {
  std::uint32_t process = 0;
  std::vector<double> values;
  std::vector<const Sample*> samples;  ///< beside the values; they belong to the metric
};

/// In the order of the process numbers. Samples whose value is not a finite number are left out.
std::vector<ProcessSeries> by_process(const Metric& metric);

/// The class of each series, with its warm-up cut off. A metric of which more is better counts as slowing
/// when it falls.
std::vector<WarmUp> drop_warm_up(std::vector<ProcessSeries>& processes, Better better);

/// The class that speaks for all: the most frequent one that is not flat, provided that at least two
/// processes and three in ten show it (or the only process does); flat otherwise. With 5 % of false alarms in
/// each of ten processes this gives 1 % for all of them.
Steadiness common_steadiness(std::span<const WarmUp> found);

/// One-way random-effects analysis of variance (Searle 1971, unequal sizes by n₀): the estimated share of the
/// variance that lies between the series, within 0 … 1. Undefined below two series, without a series of two
/// values, or without any spread.
std::optional<double> between_share(std::span<const std::vector<double>> series);

}  // namespace tare
