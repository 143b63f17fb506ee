#include "bench/compare/location.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <stdexcept>

namespace tare {
namespace {

using Numbers = std::vector<double>;

const Numbers logs{0.021, -0.004, 0.013, 0.034, 0.008, -0.011, 0.087, 0.016, 0.002, 0.019};
const Numbers errors{0.004, 0.006, 0.003, 0.012, 0.005, 0.009, 0.030, 0.004, 0.007, 0.005};

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

TEST(Location, of_the_trimmed_mean_agrees_with_scipy) {
  const auto fifth = trimmed_location(logs, 0.2);
  EXPECT_NEAR(fifth->centre, 0.0131666666667, 1e-13);
  EXPECT_NEAR(fifth->standard_error, 0.00438325939946, 1e-13);
  EXPECT_EQ(fifth->degrees, 5);
  EXPECT_EQ(fifth->method, "20 % trimmed mean, t");
  const auto tenth = trimmed_location(logs, 0.1);
  EXPECT_NEAR(tenth->centre, 0.013625, 1e-13);
  EXPECT_NEAR(tenth->standard_error, 0.00544368262811, 1e-13);
}

TEST(Location, of_few_values_is_not_trimmed) {
  const auto few = std::span(logs).first(4);
  const auto trimmed = trimmed_location(few, 0.2), plain = mean_location(few);
  EXPECT_DOUBLE_EQ(trimmed->centre, plain->centre);
  EXPECT_DOUBLE_EQ(trimmed->standard_error, plain->standard_error);
  EXPECT_EQ(trimmed->degrees, plain->degrees);
}

TEST(Location, trims_whole_values_of_a_share_that_has_no_exact_double) {
  EXPECT_EQ(trimmed_location(logs, 0.3)->degrees, 3);
}

TEST(Location, of_weighted_values_agrees_with_a_root_finder) {
  const auto location = weighted_location(logs, errors);
  EXPECT_NEAR(location->centre, 0.0129659557692, 1e-11);
  EXPECT_NEAR(location->standard_error, 0.00587975506114, 1e-11);
  EXPECT_EQ(location->degrees, 9);
}

TEST(Location, of_weighted_values_with_too_large_errors_has_no_variance_between) {
  auto large = errors;
  for (double& e : large) e *= 9;
  const auto location = weighted_location(logs, large);
  EXPECT_NEAR(location->centre, 0.0129026438116, 1e-12);
  EXPECT_NEAR(location->standard_error, 0.00312235100591, 1e-12);
}

TEST(Location, of_equal_weights_is_the_mean) {
  for (const double error : {1e-4, 1.0}) {
    const auto location = weighted_location(logs, Numbers(10, error));
    EXPECT_NEAR(location->centre, 0.0185, 1e-14);
    EXPECT_NEAR(location->standard_error, 0.00865030506848, 1e-12);
  }
}

TEST(Location, is_undefined_without_spread) {
  EXPECT_FALSE(mean_location(Numbers{}));
  EXPECT_FALSE(mean_location(Numbers{1}));
  EXPECT_FALSE(mean_location(Numbers{1, 1, 1}));
  EXPECT_FALSE(trimmed_location(Numbers{1, 2, 2, 2, 3}, 0.2)) << "what was left out is all that differed";
  EXPECT_FALSE(trimmed_location(Numbers{1, 2, 3, 4, 5}, 0.4)) << "one value is left";
  EXPECT_FALSE(weighted_location(Numbers{1, 1}, Numbers{1, 2}));
}

TEST(Location, has_no_limits_at_level_zero) {
  EXPECT_FALSE(interval(*mean_location(logs), 0).low);
}

TEST(Location, refuses_what_makes_no_sense) {
  EXPECT_THROW((void)mean_location(Numbers{1, NAN}), std::invalid_argument);
  EXPECT_THROW((void)trimmed_location(logs, 0.5), std::invalid_argument);
  EXPECT_THROW((void)weighted_location(logs, Numbers{1}), std::invalid_argument);
  EXPECT_THROW((void)weighted_location(Numbers{1, 2}, Numbers{1, 0}), std::invalid_argument);
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
