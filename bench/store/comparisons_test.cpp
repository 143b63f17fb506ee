#include <gtest/gtest.h>

#include "bench/store/store_fixture.hpp"

namespace tare {
namespace {

Comparison of_runs(std::int64_t before, std::int64_t after, double ratio, bool identical) {
  Comparison comparison;
  comparison.before = {"old", before, "h"};
  comparison.after = {"new", after, "h"};
  comparison.identical = identical;
  BenchmarkComparison pair;
  pair.before = pair.after = {"b", {}};
  MetricComparison time;
  time.metric = "time";
  time.unit = "ns";
  time.ratio = Estimate{ratio, {}, {}, 0.95, ""};
  pair.metrics.push_back(time);
  comparison.benchmarks.push_back(pair);
  return comparison;
}

class Comparisons : public testing::Test {
 protected:
  Store open() { return Store::open(directory_ / "results.db", Store::Mode::create).value(); }
  std::int64_t add_run(Store& store, const std::string& cpu = "cpu") {
    tare::Run run;
    run.machine.cpu = cpu;
    return store.begin_run(run).value();
  }
  TemporaryDirectory directory_;
};

TEST_F(Comparisons, are_found_by_their_runs_the_newest_first) {
  auto store = open();
  const auto a = add_run(store), b = add_run(store);
  EXPECT_FALSE(store.find_comparison(a, b).value());
  ASSERT_TRUE(store.add_comparison(of_runs(a, b, 1.5, false)));
  ASSERT_TRUE(store.add_comparison(of_runs(a, b, 2.5, false)));
  const auto found = store.find_comparison(a, b).value();
  ASSERT_TRUE(found);
  EXPECT_EQ(*found, of_runs(a, b, 2.5, false));
  EXPECT_FALSE(store.find_comparison(b, a).value());
}

TEST_F(Comparisons, need_runs_that_are_there) {
  auto store = open();
  const auto a = add_run(store);
  EXPECT_FALSE(store.add_comparison(of_runs(a, a + 1, 1, false)));
}

TEST_F(Comparisons, of_identical_programs_on_this_machine_make_the_noise_floor) {
  auto store = open();
  const auto here = add_run(store), there = add_run(store, "another cpu");
  tare::Machine machine;
  machine.cpu = "cpu";
  EXPECT_FALSE(store.noise_floor(machine.fingerprint()).value());
  for (const double ratio : {1.001, 0.998, 1.004})
    ASSERT_TRUE(store.add_comparison(of_runs(here, here, ratio, true)));
  ASSERT_TRUE(store.add_comparison(of_runs(here, here, 3, false)));
  ASSERT_TRUE(store.add_comparison(of_runs(there, there, 2, true)));
  const auto floor = store.noise_floor(machine.fingerprint()).value();
  ASSERT_TRUE(floor);
  EXPECT_EQ(floor->comparisons, 3u);
  EXPECT_NEAR(floor->typical, 0.002, 1e-12);
  EXPECT_NEAR(floor->largest, 0.004, 1e-12);
}

}  // namespace
}  // namespace tare
