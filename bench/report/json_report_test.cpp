#include "bench/report/json_report.hpp"

#include <gtest/gtest.h>

#include "bench/model/json.hpp"
#include "bench/report/invented_run.hpp"

namespace tare {
namespace {

using namespace testing_report;

TEST(JsonReport, reads_back_as_the_same_run) {
  auto run = normal_run();
  auto json = parse_json(json_report(run));
  ASSERT_TRUE(json);
  auto back = run_from_json(*json);
  ASSERT_TRUE(back);
  for (auto& result : run.results) {
    for (auto& metric : result.metrics) metric.summary = {};
  }
  EXPECT_EQ(*back, run);
}

TEST(JsonReport, can_leave_out_samples_and_indentation) {
  const auto line = json_report(normal_run(), false, -1);
  EXPECT_EQ(line.find('\n'), line.size() - 1);
  EXPECT_EQ(line.find("\"samples\""), std::string::npos);
  EXPECT_NE(json_report(normal_run()).find("\n  \"benchmarks\": ["), std::string::npos);
}

TEST(JsonReport, hostile_names_keep_their_length_and_stay_valid) {
  auto json = parse_json(json_report(hostile_run()));
  ASSERT_TRUE(json);
  EXPECT_EQ((*json)["benchmarks"][2]["name"].get<std::string>().size(), 10000u);
}

}  // namespace
}  // namespace tare
