#include "bench/compare/equivalence.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <stdexcept>

#include "bench/analyse/simulated.hpp"

namespace tare {
namespace {

std::vector<double> logs(double sign) {
  std::vector<double> values{0.021, -0.004, 0.013, 0.034, 0.008, -0.011, 0.087, 0.016, 0.002, 0.019};
  for (double& v : values) v *= sign;
  return values;
}

// Expected values: t.test of R 4.2.2 with alternative "less" and "greater", the larger of both.
TEST(Equivalence, agrees_with_r) {
  for (const double sign : {1.0, -1.0}) {
    const auto location = *mean_location(logs(sign));
    EXPECT_NEAR(equivalence_p(location, 0.05), 0.002694189657025, 1e-12);
    EXPECT_NEAR(equivalence_p(location, 0.02), 0.4330855183464, 1e-11);
  }
}

TEST(Equivalence, is_not_proven_outside_the_margin) {
  EXPECT_GT(equivalence_p(*mean_location(logs(1)), 0.01), 0.5);
}

TEST(Equivalence, is_claimed_at_the_margin_no_more_often_than_alpha) {
  Random random(5);
  int claimed = 0;
  constexpr int replications = 20'000;
  for (int i = 0; i < replications; ++i)
    claimed +=
        equivalence_p(*mean_location(simulated::normal_series(random, 10, 0.01, 0.004)), 0.01) < 0.05 ? 1 : 0;
  EXPECT_NEAR(claimed / static_cast<double>(replications), 0.05, 0.004);
}

TEST(Equivalence, needs_a_margin) {
  EXPECT_THROW((void)equivalence_p(*mean_location(logs(1)), 0), std::invalid_argument);
  EXPECT_THROW((void)equivalence_p(*mean_location(logs(1)), NAN), std::invalid_argument);
}

}  // namespace
}  // namespace tare
