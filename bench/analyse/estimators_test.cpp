#include "bench/analyse/estimators.hpp"

#include <gtest/gtest.h>
#include <stdexcept>

namespace tare {
namespace {

// Expected values: tools/reference_values.py.
const std::vector<double> data{12.1, 10.4, 11.8, 15.2, 9.9, 10.7, 30.5, 11.1, 10.2, 12.9, 11.5, 10.8};

TEST(Estimators, agree_with_numpy_and_scipy) {
  EXPECT_NEAR(*mean(data), 13.0916666667, 1e-10);
  EXPECT_NEAR(*deviation(data), 5.66848678434, 1e-10);
  EXPECT_NEAR(*median(data), 11.3, 1e-10);
  EXPECT_NEAR(*quantile(data, 0.1), 10.22, 1e-10);
  EXPECT_NEAR(*quantile(data, 0.25), 10.625, 1e-10);
  EXPECT_NEAR(*quantile(data, 0.9), 14.97, 1e-10);
  EXPECT_NEAR(*quantile(data, 0.99), 28.817, 1e-10);
  EXPECT_NEAR(*mad(data), 0.85, 1e-10);
  EXPECT_NEAR(mad_to_deviation, 1.48260221851, 1e-10);
  EXPECT_NEAR(*variation(data), 0.432984350172, 1e-10);
  EXPECT_NEAR(*skewness(data), 3.09534275113, 1e-10);
}

TEST(Estimators, are_undefined_where_there_is_nothing_to_say) {
  const std::vector<double> none, one{3.0}, same{3.0, 3.0, 3.0}, around_zero{-1.0, 1.0};
  EXPECT_FALSE(mean(none) || deviation(none) || median(none) || quantile(none, 0.5) || mad(none));
  EXPECT_FALSE(variation(none) || skewness(none));
  EXPECT_EQ(mean(one), 3.0);
  EXPECT_EQ(median(one), 3.0);
  EXPECT_EQ(quantile(one, 0.99), 3.0);
  EXPECT_EQ(mad(one), 0.0);
  EXPECT_FALSE(deviation(one) || variation(one));
  EXPECT_EQ(deviation(same), 0.0);
  EXPECT_FALSE(skewness(same));
  EXPECT_FALSE(variation(around_zero));
}

TEST(Estimators, reach_both_ends_of_the_sample) {
  EXPECT_EQ(quantile(data, 0), 9.9);
  EXPECT_EQ(quantile(data, 1), 30.5);
  EXPECT_EQ(median(std::vector<double>{3, 1, 2}), 2.0);
}

TEST(Estimators, keep_their_digits_beside_a_large_offset) {
  std::vector<double> far;
  for (int i = 0; i < 1000; ++i) far.push_back(1e9 + i % 2);
  EXPECT_NEAR(*deviation(far), 0.5002501876, 1e-9);
}

TEST(Estimators, refuse_a_quantile_outside_zero_to_one) {
  EXPECT_THROW((void)quantile(data, 1.5), std::invalid_argument);
  EXPECT_THROW((void)quantile(data, -0.1), std::invalid_argument);
}

}  // namespace
}  // namespace tare
