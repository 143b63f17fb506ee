// Values far from the rest, and samples that fall into several clusters.
#pragma once

#include <optional>

#include "bench/analyse/estimators.hpp"
#include "bench/model/summary.hpp"

namespace tare {

struct Fences {
  double low = 0;
  double high = 0;
};
/// So many interquartile ranges beyond the quartiles. The values must not be empty.
Fences tukey_fences(Values ascending, double ranges);

/// Tukey's fences: mild beyond 1.5 interquartile ranges from the quartiles, severe beyond 3. Nothing is an
/// outlier among fewer than 4 values. When more than half of the values are equal the range is 0, and every
/// other value counts as severe.
Outliers count_outliers(Values values);

/// Hartigan's dip (1985): the largest distance between the empirical distribution and the nearest unimodal
/// one, between 1 / 2n and 1 / 4. Undefined for an empty sample.
std::optional<double> dip(Values values);

/// The share of the variance left inside two clusters when the sample is cut where that leaves least, each
/// cluster holding at least a tenth of the values: 1 − 2/π for a normal law, 1/4 for a uniform one, near 0
/// for two clusters far apart. Values beyond Tukey's severe fences count as lying on them. Undefined below 4
/// values or without spread.
std::optional<double> two_cluster_rest(Values values);

/// Whether the values fall into several clusters: √n · dip above 0.53 (its 95 % quantile for uniform values,
/// n ≥ 100), or above 0.29 + 0.7 / √n while two clusters leave less than 0.235 of the variance. The dip alone
/// finds two equal clusters 4σ apart in 85 % of samples of 100; with the second clause it is 95 %.
///
/// False alarms by simulation (outliers_test.cpp): below 2 % on normal, log-normal, exponential and AR(1)
/// values from 30 to 500. A law that is flat and has no peak is called multimodal in up to 25 % of samples.
/// Values read on a coarse scale are first spread evenly over the step of that scale, since ties alone would
/// look like clusters. Fewer than 20 values are never called multimodal.
bool is_multimodal(Values values);

}  // namespace tare
