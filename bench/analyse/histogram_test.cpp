#include "bench/analyse/histogram.hpp"

#include <gtest/gtest.h>
#include <numeric>
#include <stdexcept>

namespace tare {
namespace {

TEST(Histogram, has_bins_after_freedman_and_diaconis) {
  std::vector<double> values(1000);
  std::iota(values.begin(), values.end(), 0.0);
  // IQR 499.5, so bins 99.9 wide over 999: ten of them.
  const auto result = histogram(values);
  EXPECT_EQ(result.counts, std::vector<std::size_t>(10, 100));
  EXPECT_EQ(result.high, 999);
  EXPECT_EQ(result.low, 0);
  EXPECT_EQ(histogram(values, 4).counts, std::vector<std::size_t>(4, 250));
}

TEST(Histogram, counts_the_far_tail_apart) {
  std::vector<double> values(100);
  std::iota(values.begin(), values.end(), 1000.0);
  values.push_back(1e6);
  values.push_back(-1e6);
  values.push_back(-2e6);
  const auto result = histogram(values);
  EXPECT_EQ(result.above, 1u);
  EXPECT_EQ(result.below, 2u);
  EXPECT_EQ(std::accumulate(result.counts.begin(), result.counts.end(), std::size_t{0}), 100u);
  EXPECT_EQ(result.low, 1000);
}

TEST(Histogram, stands_on_one_bin_when_all_values_are_equal) {
  const auto result = histogram(std::vector<double>{5, 5, 5});
  EXPECT_EQ(result, (Histogram{5, 5, {3}, 0, 0}));
  EXPECT_TRUE(histogram(std::vector<double>{}).counts.empty());
  EXPECT_THROW((void)histogram(std::vector<double>{1}, 0), std::invalid_argument);
}

TEST(Histogram, shows_the_whole_extent_when_most_values_are_equal) {
  const auto result = histogram(std::vector<double>{5, 5, 5, 5, 5, 5, 5, 6}, 10);
  EXPECT_EQ(result.counts.size(), 10u);
  EXPECT_EQ(result.counts.front(), 7u);
  EXPECT_EQ(result.counts.back(), 1u);
}

}  // namespace
}  // namespace tare
