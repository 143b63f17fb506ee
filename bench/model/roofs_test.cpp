#include "bench/model/roofs.hpp"

#include <gtest/gtest.h>

namespace tare {
namespace {

MachineRoofs invented() {
  MachineRoofs roofs;
  roofs.peaks = {{1, 100e9}, {2, 180e9}};
  roofs.bandwidths = {
      {"L1", 200e9, 1, 32000}, {"DRAM", 20e9, 1, 0}, {"L1", 400e9, 2, 64000}, {"DRAM", 30e9, 2, 0}};
  return roofs;
}

TEST(Roofs, of_threads_are_those_of_the_next_fewer) {
  const auto roofs = invented();
  EXPECT_EQ(roofs.with_threads(1).peaks, (std::vector<MachineRoofs::Peak>{{1, 100e9}}));
  EXPECT_EQ(roofs.with_threads(7).peaks, (std::vector<MachineRoofs::Peak>{{2, 180e9}}));
  EXPECT_EQ(roofs.with_threads(0).bandwidths.front().threads, 1);
  EXPECT_EQ(roofs.with_threads(2).bandwidths.size(), 2U);
}

TEST(Roofs, the_slower_of_computing_and_moving_is_the_least_time) {
  EXPECT_DOUBLE_EQ(*least_ns(invented(), 1e9, 1e6, 1), 1e7);  // compute bound
  EXPECT_DOUBLE_EQ(*least_ns(invented(), 1e6, 2e9, 1), 1e8);  // from memory
  EXPECT_DOUBLE_EQ(*least_ns(invented(), 1, 20000, 1), 100);  // from the first-level cache
  EXPECT_DOUBLE_EQ(*least_ns(invented(), 0, 60000, 2), 150);  // two caches hold more
  EXPECT_DOUBLE_EQ(*least_ns(invented(), 0, 60000, 1), 3000);
  EXPECT_FALSE(least_ns(invented(), 0, 0, 1));
  EXPECT_FALSE(least_ns({}, 1, 1, 1));
  EXPECT_FALSE(least_ns({{{1, 1e9}}, {{"L1", 1e9, 1, 100}}}, 1, 200, 1)) << "no level holds it";
}

BenchmarkResult measured(double ns) {
  BenchmarkResult result;
  result.throughput = {0, 2e9, 1e6};
  result.workload.dtype = "f32";
  result.workload.threads = 1;
  Metric time;
  time.name = "time";
  time.summary.time = Estimate{ns, {}, {}, 0.95, "exact"};
  result.metrics.push_back(time);
  return result;
}

TEST(Roofs, the_share_is_the_least_time_over_the_measured) {
  EXPECT_DOUBLE_EQ(*share_of_roof(invented(), measured(2e8)), 0.5);
}

TEST(Roofs, no_share_without_time_work_or_single_precision) {
  auto result = measured(2e8);
  result.workload.dtype = "f64";
  EXPECT_FALSE(share_of_roof(invented(), result));
  result = measured(2e8);
  result.throughput.flops = 0;
  EXPECT_FALSE(share_of_roof(invented(), result));
  result = measured(0);
  EXPECT_FALSE(share_of_roof(invented(), result));
  result = measured(2e8);
  result.outcome = Outcome::failed;
  EXPECT_FALSE(share_of_roof(invented(), result));
  result = measured(2e8);
  result.metrics.clear();
  EXPECT_FALSE(share_of_roof(invented(), result));
}

}  // namespace
}  // namespace tare
