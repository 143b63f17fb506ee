#include "bench/analyse/outliers.hpp"

#include <gtest/gtest.h>

namespace tare {
namespace {

TEST(Outliers, are_counted_by_side_and_class) {
  // Quartiles 5 and 9 of the whole: mild beyond −1 and 15, severe beyond −7 and 21.
  const std::vector<double> values{5, 5, 6, 7, 7, 7, 8, 9, 9, -2, -8, 16, 22};
  EXPECT_EQ(count_outliers(values), (Outliers{1, 1, 1, 1}));
  EXPECT_EQ(count_outliers(values).severe(), 2u);
  EXPECT_EQ(count_outliers(std::vector<double>{1, 2, 1000}), Outliers{});
}

// Expected values: tools/reference_values.py, by linear programming from the definition.
TEST(Dip, agrees_with_its_definition) {
  const std::vector<double> data{12.1, 10.4, 11.8, 15.2, 9.9, 10.7, 30.5, 11.1, 10.2, 12.9, 11.5, 10.8};
  EXPECT_NEAR(*dip(data), 0.05, 1e-10);
  const std::vector<double> clusters{1, 1.1, 1.25, 1.3, 1.42, 5, 5.1, 5.3, 5.35, 5.5};
  EXPECT_NEAR(*dip(clusters), 0.219362745098, 1e-10);
}

TEST(Dip, has_known_values_at_its_ends) {
  EXPECT_FALSE(dip(std::vector<double>{}));
  EXPECT_DOUBLE_EQ(*dip(std::vector<double>{1}), 0.5);
  EXPECT_DOUBLE_EQ(*dip(std::vector<double>{1, 2, 3, 4, 5}), 0.1);
  EXPECT_NEAR(*dip(std::vector<double>{0, 0, 0, 0, 1, 1, 1, 1}), 0.25, 1e-12);
}

TEST(TwoClusters, leave_little_of_the_variance) {
  const std::vector<double> apart{0, 0.1, 0.2, 10, 10.1, 10.2};
  EXPECT_LT(*two_cluster_rest(apart), 0.001);
  std::vector<double> even;
  for (int i = 0; i < 1000; ++i) even.push_back(i);
  EXPECT_NEAR(*two_cluster_rest(even), 0.25, 1e-5);
  EXPECT_FALSE(two_cluster_rest(std::vector<double>{1, 1, 1, 1}));
}

TEST(Multimodal, is_not_made_by_a_coarse_clock) {
  std::vector<double> coarse;
  for (int i = 0; i < 50; ++i) {
    coarse.push_back(100);
    coarse.push_back(101);
  }
  EXPECT_FALSE(is_multimodal(coarse));
  for (int i = 0; i < 50; ++i) coarse.push_back(99 + i % 4);
  EXPECT_FALSE(is_multimodal(coarse));
}

TEST(Multimodal, sees_clusters_on_a_coarse_clock) {
  std::vector<double> coarse;
  for (int i = 0; i < 50; ++i) {
    coarse.push_back(100 + i % 2);
    coarse.push_back(110 + i % 2);
  }
  EXPECT_TRUE(is_multimodal(coarse));
}

TEST(Multimodal, is_never_said_of_few_values) {
  EXPECT_FALSE(is_multimodal(std::vector<double>{1, 1.1, 1.2, 9, 9.1, 9.2}));
}

}  // namespace
}  // namespace tare
