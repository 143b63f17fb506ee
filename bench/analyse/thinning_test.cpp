#include "bench/analyse/thinning.hpp"

#include <gtest/gtest.h>
#include <numeric>

namespace tare {
namespace {

/// Two processes of so many samples around 100, each value different.
Metric flat_metric(std::uint32_t each) {
  Metric metric;
  metric.name = "time";
  metric.unit = "ns";
  metric.overhead.fixed = 10;
  for (std::uint32_t i = 0; i < 2 * each; ++i)
    metric.samples.push_back({i / each, 1, 110 + static_cast<double>(i * 7919 % 13) / 10, {}});
  return metric;
}

TEST(Thinning, keeps_everything_when_there_is_room) {
  const auto thinned = thin(flat_metric(30), 60);
  EXPECT_EQ(thinned.taken, 60u);
  EXPECT_EQ(thinned.every, 1u);
  ASSERT_EQ(thinned.values.size(), 60u);
  EXPECT_DOUBLE_EQ(thinned.values[0], 100);
  EXPECT_EQ(thinned.marks, std::string(60, '.'));
  EXPECT_EQ(thinned.processes[29], 0u);
  EXPECT_EQ(thinned.processes[30], 1u);
}

TEST(Thinning, takes_every_so_manieth_of_each_process_and_the_histogram_of_all) {
  const auto thinned = thin(flat_metric(50), 30);
  EXPECT_EQ(thinned.every, 4u);
  EXPECT_EQ(thinned.values.size(), 26u);
  EXPECT_EQ(std::count(thinned.processes.begin(), thinned.processes.end(), 1u), 13);
  EXPECT_EQ(std::accumulate(thinned.histogram.counts.begin(), thinned.histogram.counts.end(), std::size_t{0}),
            100u);
}

TEST(Thinning, marks_outliers_and_the_warm_up) {
  auto metric = flat_metric(40);
  for (std::uint32_t i = 0; i < 12; ++i) metric.samples[i].total = 310 - i * 1.0;
  metric.samples[70].total = 1000;
  const auto thinned = thin(metric, 1000);
  EXPECT_EQ(thinned.marks.substr(0, 13), "wwwwwwwwwwww.");
  EXPECT_EQ(thinned.marks[70], 'x');
  EXPECT_EQ(thinned.histogram.above, 1u);
}

TEST(Thinning, no_room_leaves_the_distribution) {
  const auto thinned = thin(flat_metric(50), 0);
  EXPECT_TRUE(thinned.values.empty());
  EXPECT_EQ(thinned.every, 0u);
  EXPECT_FALSE(thinned.histogram.counts.empty());
  EXPECT_EQ(thin(Metric{}, 100), ThinnedSamples{});
}

TEST(Thinning, benchmarks_of_a_page_share_its_samples) {
  EXPECT_EQ(samples_per_benchmark(0), 1000u);
  EXPECT_EQ(samples_per_benchmark(1), 1000u);
  EXPECT_EQ(samples_per_benchmark(100), 140u);
  EXPECT_EQ(samples_per_benchmark(500), 28u);
  EXPECT_EQ(samples_per_benchmark(5000), 0u);
}

}  // namespace
}  // namespace tare
