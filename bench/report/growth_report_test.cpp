#include "bench/report/growth_report.hpp"

#include <gtest/gtest.h>

namespace tare {
namespace {

TEST(GrowthReport, shows_exponent_interval_and_the_closest_law) {
  const auto text =
      growth_report({{"sort/doubles", "n", 100, 100000, {1.13, 1.05, 1.21, 0.95, "t"}, "n log n", 0.031},
                     {"flat", "n", 1, 8, {0.01, {}, {}, 0.95, "t"}, "1", 0.0}});
  for (const char* word : {"sort/doubles", "n 100…100 k", "1.13", "[1.05, 1.21]", "n log n", "3.1 %", "–"}) {
    EXPECT_NE(text.find(word), std::string::npos) << word << " in\n" << text;
  }
}

TEST(GrowthReport, is_silent_without_findings) {
  EXPECT_EQ(growth_report({}), "");
}

}  // namespace
}  // namespace tare
