// Confidence intervals of one sample's mean, median, quantile, or any statistic.
//
// Every function returns an Estimate that names its method. An empty sample gives std::nullopt; a sample too
// small for the interval gives the point without limits. Confidence outside (0, 1) throws
// std::invalid_argument.
//
// Coverage of the nominal 95 % intervals, by simulation (coverage_test.cpp holds these numbers to ±1.5
// points; log-normal has σ = 1, bimodal is two equal normal clusters 6σ apart, AR(1) has φ = 0.6):
//
//                            n     normal  log-normal  exponential  bimodal  AR(1)
//   mean_t                   10      @     @           @            @        @
//   mean_dependent           10      @
//   median_interval          10      @
//   median_dependent         10
//   bootstrap (mean)         10
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
