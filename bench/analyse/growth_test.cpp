#include "bench/analyse/growth.hpp"

#include <cmath>
#include <gtest/gtest.h>

namespace tare {
namespace {

BenchmarkResult result(std::string name, Parameters parameters, double ns) {
  BenchmarkResult r;
  r.id = {std::move(name), std::move(parameters)};
  Metric time;
  time.name = "time";
  time.summary.time = Estimate{ns, ns, ns, 0.95, ""};
  r.metrics = {time};
  return r;
}

TEST(GrowthAlongAParameter, is_fitted_for_each_family) {
  std::vector<BenchmarkResult> results;
  for (const int n : {10, 100, 1000, 10000}) {
    results.push_back(result("sort", {{"n", std::to_string(n)}, {"kind", "a"}}, 3.0 * n * std::log(n)));
    results.push_back(result("sort", {{"n", std::to_string(n)}, {"kind", "b"}}, 5.0 * n * n));
  }
  const auto findings = find_growth(results);
  ASSERT_EQ(findings.size(), 2u);
  EXPECT_EQ(findings[0].benchmark, "sort/kind=a");
  EXPECT_EQ(findings[0].parameter, "n");
  EXPECT_EQ(findings[0].closest, "n log n");
  EXPECT_EQ(findings[0].first, 10);
  EXPECT_EQ(findings[0].last, 10000);
  EXPECT_EQ(findings[1].closest, "n²");
  EXPECT_NEAR(findings[1].exponent.point, 2, 1e-9);
  EXPECT_NEAR(findings[1].factor, 5, 1e-6);
  ASSERT_EQ(findings[1].points.size(), 4u);
  EXPECT_EQ(findings[1].points[2].n, 1000);
  EXPECT_DOUBLE_EQ(findings[1].points[2].time.point, 5e6);
}

TEST(GrowthAlongAParameter, needs_three_sizes_and_real_times) {
  std::vector<BenchmarkResult> results{result("a", {{"n", "1"}}, 1), result("a", {{"n", "2"}}, 2),
                                       result("a", {{"n", "x"}}, 3)};
  EXPECT_TRUE(find_growth(results).empty()) << "two sizes and a word";
  results.push_back(result("a", {{"n", "4"}}, 4));
  results.back().outcome = Outcome::check_failed;
  EXPECT_TRUE(find_growth(results).empty()) << "a wrong answer has no time";
  results.back().outcome = Outcome::ok;
  EXPECT_EQ(find_growth(results).size(), 1u);
  for (auto& r : results) r.id.parameters[0].first = "threads";
  EXPECT_TRUE(find_growth(results).empty()) << "threads are not a size";
}

}  // namespace
}  // namespace tare
