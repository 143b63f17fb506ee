#include "bench/measure/plan.hpp"

#include <gtest/gtest.h>

namespace tare {
namespace {

using namespace std::chrono_literals;

TEST(PlanOfARun, gives_each_process_an_equal_share) {
  Plan plan;
  plan.budget = 10s;
  EXPECT_EQ(share_of_process(plan), 1s);
  plan.processes = 4;
  EXPECT_EQ(share_of_process(plan), 2500ms);
}

TEST(TargetSample, is_long_against_the_clock) {
  Plan plan;
  plan.budget = 5s;
  EXPECT_DOUBLE_EQ(target_sample_ns(plan, 1, 20), 10e6);
  plan.budget = 1ms;
  EXPECT_DOUBLE_EQ(target_sample_ns(plan, 1, 20), 100e3) << "never shorter than 100 µs";
  EXPECT_DOUBLE_EQ(target_sample_ns(plan, 1000, 20), 1e6) << "a coarse clock needs longer samples";
  EXPECT_DOUBLE_EQ(target_sample_ns(plan, 1, 500), 500e3) << "so does a slow one";
  plan.budget = std::chrono::hours(1);
  EXPECT_DOUBLE_EQ(target_sample_ns(plan, 1, 20), 50e6);
}

TEST(NextIterations, grows_until_the_sample_is_long_enough) {
  EXPECT_EQ(next_iterations(10, 1, 100, 100), 10u);
  EXPECT_EQ(next_iterations(10, 1, 50, 100), 22u);
  EXPECT_EQ(next_iterations(10, 1, 99, 100), 20u) << "at least twofold";
  EXPECT_EQ(next_iterations(10, 1, 0.001, 100), 100u) << "at most tenfold";
  EXPECT_EQ(next_iterations(10, 1, 0, 100), 100u);
  EXPECT_EQ(next_iterations(8, 8, 50, 100), 24u) << "a multiple of the granularity";
  EXPECT_EQ(next_iterations(1'000'000'000'000, 1, 0, 100), 1'000'000'000'000u)
      << "a body of no time at all ends";
}

TEST(AnotherProcess, is_wanted_until_precise_or_out_of_budget) {
  Plan plan;
  plan.budget = 10s;
  EXPECT_TRUE(wants_another_process(plan, {0, 100s, 0s, true})) << "one process at least";
  EXPECT_TRUE(wants_another_process(plan, {1, 1s, 1s, true})) << "precise means little before five processes";
  EXPECT_TRUE(wants_another_process(plan, {5, 5s, 1s, false}));
  EXPECT_FALSE(wants_another_process(plan, {5, 5s, 1s, true}));
  EXPECT_FALSE(wants_another_process(plan, {10, 5s, 1s, false}));
  EXPECT_FALSE(wants_another_process(plan, {2, 8s, 4s, false})) << "the next one would not fit";
  plan.processes = 3;
  EXPECT_TRUE(wants_another_process(plan, {2, 100s, 50s, true}));
  EXPECT_FALSE(wants_another_process(plan, {3, 0s, 0s, false}));
}

TEST(SamplesAtOnce, are_about_20_ms) {
  EXPECT_EQ(samples_at_once(1e6, 100), 20u);
  EXPECT_EQ(samples_at_once(1e6, 7), 7u);
  EXPECT_EQ(samples_at_once(1e9, 100), 1u);
  EXPECT_EQ(samples_at_once(0, 50), 50u);
}

}  // namespace
}  // namespace tare
