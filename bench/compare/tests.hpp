// Tests of two samples, or of one, each with its statistic, its two-sided p and its method's name.
//
// They assume independent values: of processes, not of the samples inside one. What is not defined gives
// std::nullopt: too few values, or none that differ. A value that is not finite throws std::invalid_argument.
//
// False alarms at 5 %, in per cent, by simulation (tests_simulation_test.cpp), for two samples of n values.
// In "wider" the second has three times the spread of the first, and the first 2n values.
//
//                      n   normal  log-normal  wider
//   welch_t            8      4.7         3.9    5.0
//                     30      5.0         5.0    5.0
//   mann_whitney       8      5.1         5.1    9.7
//                     30      4.7         4.7   10.9
//   permutation_test   8      4.8         5.0   15.0
//                     30      4.7         4.5   14.4
//   wilcoxon           8      4.0         4.0    3.9
//                     30      5.1         5.1    5.1
//
// Read: only Welch's test asks about means alone; the ranks and permutations also find a difference in
// spread. Cliff's 95 % intervals covered a true 0 in 94.7 … 95.2 % of the same settings.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "bench/analyse/estimators.hpp"
#include "bench/compare/location.hpp"
#include "bench/model/summary.hpp"

namespace tare {

struct TestResult {
  double statistic = 0;
  double p = 1;                   ///< two-sided
  std::optional<double> degrees;  ///< of freedom, where it has any
  std::string method;

  bool operator==(const TestResult&) const = default;
};

/// That the mean is `null`.
std::optional<TestResult> one_sample_t(Values values, double null = 0);

/// mean(a) − mean(b), whatever the variances (Welch 1947, degrees of freedom by Satterthwaite).
std::optional<Location> welch_difference(Values a, Values b);
/// That it is 0.
std::optional<TestResult> welch_t(Values a, Values b);

/// That neither side tends to be larger (Mann and Whitney 1947); the statistic is U of `a`. Exact when a side
/// has at most 8 values, the other at most 500, and none are tied; otherwise normal, with corrections for
/// ties and continuity. As SciPy's mannwhitneyu.
std::optional<TestResult> mann_whitney(Values a, Values b);

/// That the differences are symmetric around 0 (Wilcoxon 1945); the statistic is the smaller sum of ranks.
/// Exact up to 50 differences without ties and zeros; otherwise zeros are dropped and the law is normal,
/// corrected for ties. As SciPy's wilcoxon.
std::optional<TestResult> wilcoxon(Values differences);

/// That both samples come from one law, by |difference of means| over all ways to share the values out:
/// every one of them if there are at most `draws`, otherwise so many random ones, counting the observed one
/// (Phipson and Smyth 2010). The statistic is mean(a) − mean(b).
std::optional<TestResult> permutation_test(Values a, Values b, std::uint64_t seed = 1,
                                           std::size_t draws = 20'000);

/// P(a > b) − P(a < b), with Cliff's (1996) asymmetric interval from the unbiased variance. No limits when
/// all of a lie on one side of all of b, or below two values a side.
std::optional<Estimate> cliffs_delta(Values a, Values b, double confidence = 0.95);

}  // namespace tare
