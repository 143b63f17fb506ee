#include "bench/analyse/dependence.hpp"

#include <gtest/gtest.h>

namespace tare {
namespace {

TEST(Dependence, inflation_is_the_sum_of_the_autocorrelations) {
  EXPECT_DOUBLE_EQ(variance_inflation(0, 10), 1);
  double sum = 1, power = 1;
  for (int k = 1; k < 12; ++k) sum += 2 * (1 - k / 12.0) * (power *= 0.6);
  EXPECT_NEAR(variance_inflation(0.6, 12), sum, 1e-12);
}

TEST(Dependence, does_not_reward_alternation) {
  const std::vector<double> up_and_down{1, 2, 1, 2, 1, 2, 1, 2, 1, 2};
  EXPECT_LT(*lag1(up_and_down), -0.8);
  EXPECT_EQ(effective_n(up_and_down), 10.0);
}

TEST(Dependence, never_looks_across_the_boundary_of_two_series) {
  // Alternating inside, but the second lies far above the first: across the boundary they would look
  // dependent.
  const std::vector<std::vector<double>> two{{1, 2, 1, 2, 1, 2}, {101, 102, 101, 102, 101, 102}};
  EXPECT_NEAR(*lag1(two), -5.0 / 6, 1e-12);
}

TEST(Dependence, is_undefined_without_neighbours_or_spread) {
  EXPECT_FALSE(lag1(std::vector<double>{1, 2}));
  EXPECT_FALSE(lag1(std::vector<double>{3, 3, 3, 3}));
  EXPECT_FALSE(effective_n(std::vector<double>{}));
  EXPECT_FALSE(lag1(std::vector<std::vector<double>>{{1}, {2}, {3}}));
}

TEST(Dependence, takes_the_bias_off_and_stays_within_bounds) {
  EXPECT_NEAR(dependence(0.5, 30), 16.0 / 26, 1e-12);
  EXPECT_EQ(dependence(-0.5, 30), 0);
  EXPECT_EQ(dependence(0.99, 30), 0.9);
  EXPECT_EQ(dependence(-0.25, 4), 0);
}

}  // namespace
}  // namespace tare
