// Confidence intervals of one sample's mean, median, quantile, or any statistic.
//
// Every function returns an Estimate that names its method. An empty sample gives std::nullopt; a sample too
// small for the interval gives the point without limits. Confidence outside (0, 1) throws
// std::invalid_argument.
//
// Coverage of the nominal 95 % intervals in per cent, by simulation; coverage_test.cpp holds these numbers
// to 1.5 points. Log-normal has σ = 1, bimodal is two equal normal clusters 6σ apart, AR(1) has φ = 0.6.
//
//                            n   normal  log-normal  exponential  bimodal  AR(1)
//   mean_t                  10     95.0        84.3         90.2     94.5   68.0
//                           30     94.8        88.0         92.4     94.9   66.9
//                          100     94.8        91.7         94.4     95.0   66.8
//   mean_dependent          10     96.9        88.4         93.0     95.9   89.9
//                           30     96.1        89.6         93.8     96.2   93.1
//                          100     95.6        92.5         95.1     95.7   94.0
//   median_interval         10     94.8        94.8         95.0     92.0   72.2
//                           30     94.8        94.8         94.9     95.5   74.2
//                          100     94.7        94.7         95.2     94.8   73.9
//   median_dependent        10     99.1        99.1         99.0     98.6   91.2
//                           30     97.1        97.1         97.1     96.8   94.6
//                          100     95.8        95.8         96.0     95.9   94.6
//   bootstrap of the mean   10     89.5        82.2         87.0     95.2   58.6
//                           30     93.1        89.0         92.0     94.8   62.7
//                          100     94.1        91.5         93.7     94.2   66.1
//
// Read: no interval of the mean keeps its level on few, strongly skewed values; only the corrected ones keep
// it on dependent values, from 30 on; the bootstrap is no cure for small samples. The median keeps it nearly
// everywhere.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "bench/analyse/estimators.hpp"
#include "bench/model/summary.hpp"

namespace tare {

/// Student's t interval of the mean: independent, roughly symmetric values.
std::optional<Estimate> mean_t(Values values, double confidence = 0.95);

/// The mean of values in the order they were taken. The standard error is inflated by the AR(1) variance
/// factor with the bias-corrected φ of dependence.hpp, s² is corrected for the same dependence, and t has
/// effective n − 1 degrees of freedom.
std::optional<Estimate> mean_dependent(Values series, double confidence = 0.95);

/// The median between two order statistics, exact by the binomial law and interpolated between neighbouring
/// ranks to the confidence asked for (Hettmansperger and Sheather 1986). No limits below 6 values at 95 %.
std::optional<Estimate> median_interval(Values values, double confidence = 0.95);

/// Any quantile between two order statistics, exact by the binomial law and not interpolated: conservative.
/// Limits that lie beyond the smallest or largest value are absent: p99 has an upper limit from 368 values
/// on.
std::optional<Estimate> quantile_interval(Values values, double p, double confidence = 0.95);

/// The median of values in the order they were taken: ranks around the middle as wide as `effective_n`
/// independent values would need, with a t quantile of `degrees` degrees of freedom.
std::optional<Estimate> median_at_effective_n(Values values, double effective_n, double degrees,
                                              double confidence = 0.95);

/// The same with the effective n of the signs around the median under a Gaussian AR(1) copula, whose φ comes
/// from the lag-1 correlation of the normal scores: neither outliers nor skewness move it.
std::optional<Estimate> median_dependent(Values series, double confidence = 0.95);

/// The share of successes among independent trials (Wilson 1927); coverage close to nominal even for few
/// trials and shares near 0 or 1. std::nullopt without trials.
std::optional<Estimate> wilson_interval(std::size_t successes, std::size_t trials, double confidence = 0.95);

using Statistic = std::function<double(Values)>;

/// Bias-corrected and accelerated bootstrap (Efron 1987) of any statistic of independent values. The same
/// seed gives the same interval on every platform. No limits below 2 values, or when the statistic never
/// varies.
std::optional<Estimate> bootstrap(Values values, const Statistic& statistic, std::uint64_t seed,
                                  double confidence = 0.95, std::size_t resamples = 2000);

/// The acceleration constant of BCa from the jackknife; 0 when leaving out a value never changes the
/// statistic.
double jackknife_acceleration(Values values, const Statistic& statistic);

}  // namespace tare
