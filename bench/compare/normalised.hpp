// Figures that say what a change bought, from the two sides' estimates: how many times faster, how many times
// smaller, how much less accurate, and one score for all three.
//
// Intervals: the distances of the limits from their points are squared and added (method of variance
// estimates recovery, Zou and Donner 2008), for products and ratios on the log scale, where for symmetric
// intervals it is the delta method. The inputs are taken as independent: sides that were measured paired
// have a better interval from their log-ratios (location.hpp). An input without an interval gives a result
// without one, as does a limit at or below 0 in a product or ratio.
//
// Undefined (std::nullopt) are results of a missing input, and ratios of anything that is zero or negative.
// Inputs of unequal confidence throw std::invalid_argument.
//
// Coverage of the nominal 95 % in per cent, by simulation (normalised_simulation_test.cpp), from t intervals
// of n normal values a side with 1 … 10 % spread; the geometric mean is that of three speed-ups:
//
//     n   speed_up  accuracy_delta  efficiency  geometric_mean
//     5       96.6            96.6        97.3            98.8
//    20       95.5            95.5        95.5            96.0
//
// Read: on the safe side for few values, because t quantiles of few degrees are added as if each were needed.
#pragma once

#include <optional>
#include <span>

#include "bench/model/comparison.hpp"

namespace tare {

using MaybeEstimate = std::optional<Estimate>;

/// Time before ÷ time after: 2 is twice as fast.
MaybeEstimate speed_up(const MaybeEstimate& before, const MaybeEstimate& after);
/// Bytes before ÷ bytes after.
MaybeEstimate compression(const MaybeEstimate& before, const MaybeEstimate& after);
/// Accuracy after − accuracy before, as a fraction: −0.01 is one point lost.
MaybeEstimate accuracy_delta(const MaybeEstimate& before, const MaybeEstimate& after);
/// Accuracy after ÷ accuracy before.
MaybeEstimate retention(const MaybeEstimate& before, const MaybeEstimate& after);

/// Joules before ÷ joules after: 2 is half the energy.
MaybeEstimate energy_ratio(const MaybeEstimate& before, const MaybeEstimate& after);

/// How the efficiency score treats the accuracy delta Δ.
enum class Penalty {
  loss,   ///< ÷ (1 − Δ) when accuracy was lost; a gain is not punished
  change  ///< ÷ (1 + |Δ|): any change is
};

/// speed-up · compression ÷ penalty.
MaybeEstimate efficiency(const MaybeEstimate& speed_up, const MaybeEstimate& compression,
                         const MaybeEstimate& accuracy_delta, Penalty penalty = Penalty::loss);

/// Of ratios, each counting the same. The interval is that of these benchmarks' mean; it says nothing about
/// others. std::nullopt when there are none, or when one of them is undefined.
MaybeEstimate geometric_mean(std::span<const MaybeEstimate> ratios);

/// All that a comparison's metrics allow: the speed-up and the compression from the ratios of "time" and of
/// "model_bytes" or else "parameter_bytes", accuracy delta and retention from "accuracy", the energy ratio,
/// and the efficiency when there are speed-up, compression and accuracy. Exact metrics have an interval of no
/// width.
std::vector<NormalisedMetric> normalised_metrics(const BenchmarkComparison& pair, double confidence);

/// The same of two summarised results of one run, taken as independent; besides, "efficiency (any change)"
/// with Penalty::change, and the variant's own "accuracy per MB" and "accuracy per ms".
std::vector<NormalisedMetric> normalised_against(const BenchmarkResult& base, const BenchmarkResult& variant);

}  // namespace tare
