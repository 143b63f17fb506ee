#include "bench/analyse/intervals.hpp"

#include <gtest/gtest.h>
#include <stdexcept>

#include "bench/analyse/dependence.hpp"

namespace tare {
namespace {

// Expected values: tools/reference_values.py.
const std::vector<double> data{12.1, 10.4, 11.8, 15.2, 9.9, 10.7, 30.5, 11.1, 10.2, 12.9, 11.5, 10.8};
const std::vector<double> walk{5.0, 5.3, 5.1, 5.6, 5.2, 5.7, 5.6, 5.3, 5.0, 5.2,
                               4.8, 4.7, 5.1, 5.4, 5.0, 5.5, 5.2, 5.3, 5.6, 4.9};

TEST(Intervals, of_the_mean_agree_with_scipy) {
  EXPECT_NEAR(*mean_t(data)->low, 9.49008199088, 1e-10);
  EXPECT_NEAR(*mean_t(data)->high, 16.6932513425, 1e-10);
  EXPECT_NEAR(*mean_t(data, 0.99)->low, 8.00947649328, 1e-10);
  EXPECT_EQ(mean_t(data, 0.99)->confidence, 0.99);
}

TEST(Intervals, of_the_mean_widen_with_dependence) {
  EXPECT_NEAR(*lag1(walk), 0.114909390445, 1e-10);
  EXPECT_NEAR(*effective_n(walk), 13.4533660775, 1e-10);
  EXPECT_NEAR(*mean_dependent(walk)->low, 5.05561486159, 1e-10);
  EXPECT_NEAR(*mean_dependent(walk)->high, 5.39438513841, 1e-10);
}

TEST(Intervals, of_the_median_agree_with_hettmansperger_and_sheather) {
  EXPECT_EQ(median_interval(data)->point, 11.3);
  EXPECT_NEAR(*median_interval(data)->low, 10.4789355322, 1e-10);
  EXPECT_NEAR(*median_interval(data)->high, 12.6895052474, 1e-10);
  EXPECT_NEAR(*median_interval(data, 0.9)->low, 10.6400763359, 1e-10);
  EXPECT_NEAR(*median_interval(data, 0.9)->high, 12.2597964377, 1e-10);
}

TEST(Intervals, of_a_quantile_are_exact_and_conservative) {
  std::vector<double> ranks;
  for (int i = 1; i <= 100; ++i) ranks.push_back(i);
  // P(X ≤ 39) = 0.0176, P(X ≤ 40) = 0.0284 for X binomial(100, 1/2): ranks 40 and 61.
  EXPECT_EQ(*quantile_interval(ranks, 0.5)->low, 40);
  EXPECT_EQ(*quantile_interval(ranks, 0.5)->high, 61);
  EXPECT_TRUE(quantile_interval(ranks, 0.99)->low);
  EXPECT_FALSE(quantile_interval(ranks, 0.99)->high);
  EXPECT_FALSE(quantile_interval(ranks, 0.01)->low);
  std::vector<double> many;
  for (int i = 0; i < 367; ++i) many.push_back(i);
  EXPECT_FALSE(quantile_interval(many, 0.99)->high);
  many.push_back(367);
  EXPECT_EQ(quantile_interval(many, 0.99)->high, 367);
}

TEST(Intervals, by_bootstrap_agree_with_scipy) {
  const auto estimate = bootstrap(data, [](Values v) { return *mean(v); }, 1, 0.95, 200'000);
  EXPECT_NEAR(*estimate->low, 11.225, 0.02);
  EXPECT_NEAR(*estimate->high, 19.325, 0.1);
  EXPECT_NEAR(jackknife_acceleration(data, [](Values v) { return *mean(v); }), 0.129622354836, 1e-10);
}

TEST(Intervals, by_bootstrap_depend_on_the_seed_alone) {
  const Statistic statistic = [](Values v) { return *median(v); };
  EXPECT_EQ(bootstrap(data, statistic, 7), bootstrap(data, statistic, 7));
  const Statistic average = [](Values v) { return *mean(v); };
  EXPECT_NE(bootstrap(data, average, 7), bootstrap(data, average, 8));
}

TEST(Intervals, are_absent_where_the_sample_is_too_small) {
  const std::vector<double> none, one{3.0}, five{1, 2, 3, 4, 5};
  const Statistic statistic = [](Values v) { return *mean(v); };
  EXPECT_FALSE(mean_t(none) || mean_dependent(none) || median_interval(none) || median_dependent(none));
  EXPECT_FALSE(quantile_interval(none, 0.5) || bootstrap(none, statistic, 1));
  for (const auto& estimate : {mean_t(one), mean_dependent(one), median_interval(one), median_dependent(one),
                               quantile_interval(one, 0.5), bootstrap(one, statistic, 1)}) {
    ASSERT_TRUE(estimate);
    EXPECT_EQ(estimate->point, 3.0) << estimate->method;
    EXPECT_FALSE(estimate->low || estimate->high) << estimate->method;
  }
  EXPECT_FALSE(median_interval(five)->low);
  EXPECT_TRUE(median_interval(std::vector<double>{1, 2, 3, 4, 5, 6})->low);
}

TEST(Intervals, of_equal_values_are_a_point) {
  const std::vector<double> same(10, 4.0);
  EXPECT_EQ(*mean_t(same)->low, 4.0);
  EXPECT_EQ(*mean_dependent(same)->high, 4.0);
  EXPECT_EQ(*median_dependent(same)->high, 4.0);
  EXPECT_EQ(*median_interval(same)->low, 4.0);
}

TEST(Intervals, refuse_an_impossible_confidence) {
  EXPECT_THROW((void)mean_t(data, 1.0), std::invalid_argument);
  EXPECT_THROW((void)median_interval(data, 0), std::invalid_argument);
  EXPECT_THROW((void)quantile_interval(data, 1.0), std::invalid_argument);
  EXPECT_THROW((void)bootstrap(data, [](Values) { return 0.0; }, 1, 0.95, 1), std::invalid_argument);
}

TEST(Intervals, never_leave_the_range_of_the_values_for_a_median) {
  const auto estimate = median_at_effective_n(data, 1, 1);
  EXPECT_EQ(*estimate->low, 9.9);
  EXPECT_EQ(*estimate->high, 30.5);
}

}  // namespace
}  // namespace tare
