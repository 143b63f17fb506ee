#include "bench/measure/overhead.hpp"

#include <cmath>
#include <gtest/gtest.h>

namespace tare {
namespace {

TEST(HarnessCosts, are_positive_and_small) {
  const auto cost = measure_harness();
  EXPECT_GT(cost.resolution_ns, 0);
  EXPECT_GE(cost.overhead.fixed, 0);
  EXPECT_GE(cost.overhead.per_iteration, 0);
  EXPECT_GE(cost.overhead.fixed_error, 0);
}

TEST(OverheadPerBatch, shares_the_clock_among_the_states) {
  const auto shared = overhead_per_batch({40, 3, 0.5, 0.4}, 100);
  EXPECT_EQ(shared.fixed, 0);
  EXPECT_DOUBLE_EQ(shared.per_iteration, 0.9);
  EXPECT_DOUBLE_EQ(shared.per_iteration_error, std::hypot(0.4, 0.03));
}

}  // namespace
}  // namespace tare
