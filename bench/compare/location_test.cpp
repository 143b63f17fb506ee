#include "bench/compare/location.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <stdexcept>

namespace tare {
namespace {

using Numbers = std::vector<double>;

const Numbers logs{0.021, -0.004, 0.013, 0.034, 0.008, -0.011, 0.087, 0.016, 0.002, 0.019};

// Expected values: tools/reference_values.py.
TEST(Location, of_the_mean_agrees_with_scipy) {
  const auto location = mean_location(logs);
  EXPECT_NEAR(location->centre, 0.0185, 1e-14);
  EXPECT_NEAR(location->standard_error, 0.00865030506848, 1e-13);
  EXPECT_EQ(location->degrees, 9);
  EXPECT_NEAR(p_value(*location), 0.0611550727954, 1e-11);
  EXPECT_NEAR(p_value(*location, 0.01), 0.351468262658, 1e-11);
  const auto estimate = interval(*location, 0.01);
  EXPECT_NEAR(*estimate.low, -0.00961206885716, 1e-12);
  EXPECT_NEAR(*estimate.high, 0.0466120688572, 1e-12);
  EXPECT_DOUBLE_EQ(estimate.confidence, 0.99);
}

TEST(Location, is_undefined_without_spread) {
  EXPECT_FALSE(mean_location(Numbers{}));
  EXPECT_FALSE(mean_location(Numbers{1}));
  EXPECT_FALSE(mean_location(Numbers{1, 1, 1}));
}

TEST(Location, has_no_limits_at_level_zero) {
  EXPECT_FALSE(interval(*mean_location(logs), 0).low);
}

TEST(Location, refuses_what_makes_no_sense) {
  EXPECT_THROW((void)mean_location(Numbers{1, NAN}), std::invalid_argument);
  EXPECT_THROW((void)sign_flip_p(Numbers{INFINITY}), std::invalid_argument);
}

TEST(SignFlip, counts_every_choice_of_signs) {
  EXPECT_DOUBLE_EQ(*sign_flip_p(Numbers{1, 2, 3, 4}), 0.125);
  EXPECT_DOUBLE_EQ(*sign_flip_p(logs), 0.025390625);
  EXPECT_DOUBLE_EQ(*sign_flip_p(Numbers{3, 4, 5, 6}, 2), 0.125);
  EXPECT_DOUBLE_EQ(*sign_flip_p(Numbers{5}), 1);
  EXPECT_FALSE(sign_flip_p(Numbers{}));
}

TEST(SignFlip, draws_when_there_are_many) {
  Numbers values;
  for (int i = 0; i < 100; ++i) values.push_back(std::sin(i) + 0.15);
  const auto p = sign_flip_p(values, 0, 3);
  EXPECT_EQ(p, sign_flip_p(values, 0, 3));
  EXPECT_NEAR(*p, p_value(*mean_location(values)), 0.01);
  for (double& v : values) v += 10;
  EXPECT_DOUBLE_EQ(*sign_flip_p(values, 0, 3, 999), 0.001);
}

}  // namespace
}  // namespace tare
