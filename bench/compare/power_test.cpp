#include "bench/compare/power.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <stdexcept>

#include "bench/analyse/simulated.hpp"
#include "bench/compare/location.hpp"

namespace tare {
namespace {

// Expected values: tools/reference_values.py; power.t.test(strict = TRUE) of R 4.2.2 agrees.
TEST(Power, agrees_with_scipy) {
  EXPECT_NEAR(power(0.02, 0.025, 10), 0.607787357079, 1e-11);
  EXPECT_NEAR(power(0.02, 0.025, 6, 0.00025), 0.00444336476115, 1e-12);
  EXPECT_NEAR(power(0.02, 0.025, 10, 0.05, Design::independent), 0.388668513575, 1e-11);
  EXPECT_NEAR(power(0.02, 0.025, 40, 0.01, Design::independent), 0.813511047762, 1e-11);
}

TEST(Power, is_the_same_in_both_directions) {
  EXPECT_NEAR(power(1 / 1.02 - 1, 0.025, 10), power(0.02, 0.025, 10), 1e-12);
}

TEST(Power, of_no_effect_is_alpha) {
  EXPECT_NEAR(power(0, 0.025, 10, 0.01), 0.01, 1e-12);
}

TEST(RunsNeeded, agrees_with_r) {
  EXPECT_EQ(runs_needed(0.02, 0.025), 15) << "14.55";
  EXPECT_EQ(runs_needed(0.02, 0.025, 0.9, 0.01, Design::independent), 50) << "49.12";
  EXPECT_EQ(runs_needed(0.001, 0.05), 19'644) << "19643.7";
}

TEST(RunsNeeded, is_the_smallest_number_that_suffices) {
  for (const double effect : {0.005, 0.01, 0.05, 0.5}) {
    const auto n = *runs_needed(effect, 0.02, 0.9, 0.01);
    EXPECT_GE(power(effect, 0.02, n, 0.01), 0.9);
    EXPECT_TRUE(n == 2 || power(effect, 0.02, n - 1, 0.01) < 0.9);
  }
}

TEST(RunsNeeded, has_ends) {
  EXPECT_EQ(runs_needed(10, 1e-4), 2);
  EXPECT_FALSE(runs_needed(0, 0.02));
  EXPECT_FALSE(runs_needed(1e-9, 0.02));
}

TEST(VisibleEffect, agrees_with_scipy) {
  EXPECT_NEAR(visible_effect(0.025, 10), 0.0252126292896, 1e-12);
  EXPECT_NEAR(visible_effect(0.025, 10, 0.8, 0.05, Design::independent), 0.0336783816539, 1e-12);
  EXPECT_NEAR(visible_effect(0.025, 4, 0.9, 0.00025), 0.451612964535, 1e-11);
}

TEST(VisibleEffect, has_the_power_asked_for) {
  for (const std::size_t n : {2, 4, 10, 40, 400})
    for (const double alpha : {0.05, 0.00025})
      EXPECT_NEAR(power(visible_effect(0.01, n, 0.8, alpha), 0.01, n, alpha), 0.8, 1e-9) << n << " " << alpha;
}

TEST(Power, is_how_often_an_effect_is_found) {
  Random random(3);
  int found = 0;
  constexpr int replications = 20'000;
  for (int i = 0; i < replications; ++i)
    found +=
        p_value(*mean_location(simulated::normal_series(random, 10, std::log(1.02), 0.025))) < 0.05 ? 1 : 0;
  EXPECT_NEAR(found / static_cast<double>(replications), 0.6078, 0.011);
}

TEST(Power, refuses_what_makes_no_sense) {
  EXPECT_THROW((void)power(0.02, 0, 10), std::invalid_argument);
  EXPECT_THROW((void)power(-1, 0.01, 10), std::invalid_argument);
  EXPECT_THROW((void)power(0.02, 0.01, 1), std::invalid_argument);
  EXPECT_THROW((void)power(0.02, 0.01, 10, 1), std::invalid_argument);
  EXPECT_THROW((void)runs_needed(0.02, 0.01, 1), std::invalid_argument);
  EXPECT_THROW((void)visible_effect(NAN, 10), std::invalid_argument);
}

}  // namespace
}  // namespace tare
