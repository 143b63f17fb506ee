#include "bench/analyse/scaling.hpp"

#include <cmath>
#include <gtest/gtest.h>

namespace tare {
namespace {

// Expected values: tools/reference_values.py.
TEST(Scaling, agrees_with_linregress) {
  const std::vector<ScalingPoint> points{{8, 31}, {64, 410}, {256, 2150}, {1024, 10400}, {4096, 50100}};
  const auto fit = fit_scaling(points);
  ASSERT_TRUE(fit) << fit.error().message;
  EXPECT_NEAR(fit->exponent.point, 1.18321445176, 1e-10);
  EXPECT_NEAR(*fit->exponent.low, 1.13475329413, 1e-10);
  EXPECT_NEAR(*fit->exponent.high, 1.23167560939, 1e-10);
  EXPECT_NEAR(fit->factor, 2.83441405669, 1e-10);
  ASSERT_EQ(fit->candidates.size(), 6u);
  EXPECT_EQ(fit->candidates[0].growth, Growth::linearithmic);
  EXPECT_NEAR(fit->candidates[0].factor, 1.56431006733, 1e-10);
  EXPECT_NEAR(fit->candidates[0].residual, 0.0894559485311, 1e-10);
  EXPECT_EQ(fit->candidates[1].growth, Growth::linear);
  EXPECT_NEAR(fit->candidates[1].residual, 0.400833670458, 1e-10);
}

TEST(Scaling, recognises_every_growth) {
  const auto at = [](Growth growth, double n) {
    const double values[] = {1, std::log(n), n, n * std::log(n), n * n, n * n * n};
    return 7 * values[static_cast<int>(growth)];
  };
  for (int i = 0; i <= static_cast<int>(Growth::cubic); ++i) {
    const auto growth = static_cast<Growth>(i);
    std::vector<ScalingPoint> points;
    for (double n = 4; n < 5000; n *= 4) points.push_back({n, at(growth, n)});
    const auto fit = fit_scaling(points);
    ASSERT_TRUE(fit);
    EXPECT_EQ(fit->candidates[0].growth, growth) << name_of(growth);
    EXPECT_NEAR(fit->candidates[0].factor, 7, 1e-9);
    EXPECT_NEAR(fit->candidates[0].residual, 0, 1e-9);
  }
}

TEST(Scaling, leaves_logarithms_out_when_a_size_is_one) {
  const auto fit = fit_scaling(std::vector<ScalingPoint>{{1, 1}, {2, 2}, {4, 4}});
  ASSERT_TRUE(fit);
  EXPECT_EQ(fit->candidates.size(), 4u);
  EXPECT_EQ(fit->candidates[0].growth, Growth::linear);
}

TEST(Scaling, is_undefined_with_a_reason) {
  const auto few = fit_scaling(std::vector<ScalingPoint>{{1, 1}, {2, 2}, {2, 2.1}});
  ASSERT_FALSE(few);
  EXPECT_NE(few.error().message.find("at least 3"), std::string::npos);
  const auto negative = fit_scaling(std::vector<ScalingPoint>{{1, 1}, {2, -2}, {3, 3}});
  ASSERT_FALSE(negative);
  EXPECT_NE(negative.error().message.find("-2"), std::string::npos);
}

}  // namespace
}  // namespace tare
