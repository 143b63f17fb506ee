// Coverage of every interval by simulation with fixed seeds. The table is the truth as measured;
// intervals.hpp shows it. Cells between 93 and 97 % must stay there; where a method fails, the failure itself
// is held.
#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <ostream>

#include "bench/analyse/intervals.hpp"
#include "bench/analyse/simulated.hpp"

namespace tare {
namespace {

using simulated::Law;

#ifdef TARE_FEWER_REPLICATIONS
constexpr int replications = 400, bootstrap_replications = 100;
#else
constexpr int replications = 10'000, bootstrap_replications = 2'000;
#endif

enum class Target { mean, median };

struct Method {
  const char* name;
  Target target;
  int replications;
  std::optional<Estimate> (*interval)(Values values, Random& random);
  double expected[3][5];  ///< per cent, for n = 10, 30, 100 and each law of simulated::laws
};

void PrintTo(const Method& method, std::ostream* out) {
  *out << method.name;
}

constexpr std::size_t sizes[] = {10, 30, 100};

const Method methods[] = {
    {"mean_t",
     Target::mean,
     replications,
     [](Values v, Random&) { return mean_t(v); },
     {{95.0, 84.3, 90.2, 94.5, 68.0}, {94.8, 88.0, 92.4, 94.9, 66.9}, {94.8, 91.7, 94.4, 95.0, 66.8}}},
    {"mean_dependent",
     Target::mean,
     replications,
     [](Values v, Random&) { return mean_dependent(v); },
     {{96.9, 88.4, 93.0, 95.9, 89.9}, {96.1, 89.6, 93.8, 96.2, 93.1}, {95.6, 92.5, 95.1, 95.7, 94.0}}},
    {"median_interval",
     Target::median,
     replications,
     [](Values v, Random&) { return median_interval(v); },
     {{94.8, 94.8, 95.0, 92.0, 72.2}, {94.8, 94.8, 94.9, 95.5, 74.2}, {94.7, 94.7, 95.2, 94.8, 73.9}}},
    {"median_dependent",
     Target::median,
     replications,
     [](Values v, Random&) { return median_dependent(v); },
     {{99.1, 99.1, 99.0, 98.6, 91.2}, {97.1, 97.1, 97.1, 96.8, 94.6}, {95.8, 95.8, 96.0, 95.9, 94.6}}},
    {"bootstrap of the mean",
     Target::mean,
     bootstrap_replications,
     [](Values v, Random& random) {
       return bootstrap(v, [](Values x) { return *mean(x); }, random.bits(), 0.95, 500);
     },
     {{89.5, 82.2, 87.0, 95.2, 58.6}, {93.1, 89.0, 92.0, 94.8, 62.7}, {94.1, 91.5, 93.7, 94.2, 66.1}}},
};

double coverage(const Method& method, Law law, std::size_t n) {
  Random random(11 * n + 5);
  const double truth =
      method.target == Target::mean ? simulated::true_mean(law) : simulated::true_median(law);
  int covered = 0;
  for (int i = 0; i < method.replications; ++i) {
    const auto values = simulated::draw(law, random, n);
    const auto estimate = method.interval(values, random);
    covered += *estimate->low <= truth && truth <= *estimate->high ? 1 : 0;
  }
  return covered / static_cast<double>(method.replications);
}

/// What a simulation of this size may be off by chance: 2.5 standard errors.
double chance(double p, int count) {
  return 2.5 * std::sqrt(p * (1 - p) / count);
}

class Coverage : public testing::TestWithParam<Method> {};

TEST_P(Coverage, is_what_the_header_says) {
  const auto& method = GetParam();
  for (std::size_t row = 0; row < 3; ++row) {
    for (std::size_t column = 0; column < 5; ++column) {
      const double expected = method.expected[row][column] / 100;
      const double measured = coverage(method, simulated::laws[column], sizes[row]);
      const auto where = testing::Message()
                         << method.name << ", n = " << sizes[row] << ", " << name_of(simulated::laws[column]);
      const double error = chance(expected, method.replications);
      EXPECT_NEAR(measured, expected, std::max(0.015, error)) << where;
      if (expected >= 0.93 && expected <= 0.97) {
        EXPECT_GE(measured, 0.93 - error) << where;
        EXPECT_LE(measured, 0.97 + error) << where;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Intervals, Coverage, testing::ValuesIn(methods), [](const auto& test) {
  std::string name = test.param.name;
  std::replace(name.begin(), name.end(), ' ', '_');
  return name;
});

TEST(QuantileCoverage, is_never_below_the_level) {
  for (const std::size_t n : {30, 100}) {
    Random random(n);
    int covered = 0;
    for (int i = 0; i < replications; ++i) {
      const auto values = simulated::draw(Law::exponential, random, n);
      const auto estimate = quantile_interval(values, 0.75);
      covered += *estimate->low <= std::log(4) && std::log(4) <= *estimate->high ? 1 : 0;
    }
    EXPECT_GE(covered / static_cast<double>(replications), 0.95 - chance(0.95, replications));
    EXPECT_LE(covered / static_cast<double>(replications), 0.98 + chance(0.98, replications));
  }
}

}  // namespace
}  // namespace tare
