#include "bench/analyse/warm_up.hpp"

#include <gtest/gtest.h>

#include "bench/analyse/simulated.hpp"

namespace tare {
namespace {

std::vector<double> noisy(std::vector<double> levels, double sigma = 1) {
  Random random(11);
  for (auto& v : levels) v += sigma * simulated::normal(random);
  return levels;
}

std::vector<double> levels(std::initializer_list<std::pair<int, double>> parts) {
  std::vector<double> values;
  for (const auto& [count, height] : parts)
    values.insert(values.end(), static_cast<std::size_t>(count), height);
  return values;
}

TEST(WarmUp, of_a_step_ends_at_the_step) {
  EXPECT_EQ(find_warm_up(noisy(levels({{7, 130}, {33, 100}}))), (WarmUp{Steadiness::warming, 7}));
}

TEST(WarmUp, of_two_steps_ends_at_the_second) {
  EXPECT_EQ(find_warm_up(noisy(levels({{10, 200}, {10, 130}, {40, 100}}))),
            (WarmUp{Steadiness::warming, 20}));
}

TEST(WarmUp, of_a_long_series_is_found_in_blocks) {
  const auto found = find_warm_up(noisy(levels({{400, 130}, {3600, 100}})));
  EXPECT_EQ(found.steadiness, Steadiness::warming);
  EXPECT_NEAR(static_cast<double>(found.begin), 400, 20);
}

TEST(WarmUp, is_not_a_single_slow_sample) {
  EXPECT_EQ(find_warm_up(noisy(levels({{1, 500}, {39, 100}}))), WarmUp{});
}

TEST(WarmUp, is_not_a_change_too_small_to_matter) {
  EXPECT_EQ(find_warm_up(noisy(levels({{10, 100.3}, {30, 100}}), 0.01)), WarmUp{});
  EXPECT_EQ(find_warm_up(noisy(levels({{10, 101}, {30, 100}}), 0.01)), (WarmUp{Steadiness::warming, 10}));
}

TEST(WarmUp, of_a_short_burst_is_flat) {
  EXPECT_EQ(find_warm_up(noisy(levels({{30, 100}, {8, 140}, {30, 100}}))), WarmUp{});
}

TEST(WarmUp, a_step_up_is_slowing) {
  EXPECT_EQ(find_warm_up(noisy(levels({{25, 100}, {25, 120}}))), (WarmUp{Steadiness::slowing, 0}));
}

TEST(WarmUp, a_fall_without_end_has_no_steady_state) {
  std::vector<double> falling;
  for (int i = 0; i < 60; ++i) falling.push_back(200 - i);
  EXPECT_EQ(find_warm_up(noisy(falling)), (WarmUp{Steadiness::no_steady_state, 0}));
}

TEST(WarmUp, a_drop_near_the_end_has_no_steady_state) {
  EXPECT_EQ(find_warm_up(noisy(levels({{40, 150}, {8, 100}}))), (WarmUp{Steadiness::no_steady_state, 0}));
}

TEST(WarmUp, of_equal_or_few_values_is_flat) {
  EXPECT_EQ(find_warm_up(std::vector<double>(50, 3.0)), WarmUp{});
  EXPECT_EQ(find_warm_up(std::vector<double>(50, 0.0)), WarmUp{});
  EXPECT_EQ(find_warm_up(std::vector<double>{9, 9, 9, 1, 1, 1, 1, 1, 1}), WarmUp{});
  EXPECT_EQ(find_warm_up(std::vector<double>{}), WarmUp{});
}

}  // namespace
}  // namespace tare
