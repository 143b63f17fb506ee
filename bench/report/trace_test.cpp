#include "bench/report/trace.hpp"

#include <gtest/gtest.h>

#include "bench/report/invented_content.hpp"

namespace tare {
namespace {

TEST(ChromeTrace, has_a_process_per_benchmark_a_thread_per_mode_and_microseconds) {
  const auto events = chrome_trace({testing_report::full_breakdown()}).at("traceEvents");
  ASSERT_EQ(events.size(), 6u);
  EXPECT_EQ(
      events[0],
      (Json{
          {"name", "process_name"}, {"ph", "M"}, {"pid", 1}, {"tid", 0}, {"args", {{"name", "mlp/train"}}}}));
  EXPECT_EQ(events[1].at("args").at("name"), "eager");
  const auto& relu = events[3];
  EXPECT_EQ(relu.at("name"), "relu");
  EXPECT_EQ(relu.at("ph"), "X");
  EXPECT_EQ(relu.at("ts"), 3.5);
  EXPECT_EQ(relu.at("dur"), 1.0);
  EXPECT_EQ(relu.at("tid"), 1);
  EXPECT_EQ(relu.at("args").at("regime"), "bandwidth");
  EXPECT_EQ(events[5].at("tid"), 2);
}

TEST(ChromeTrace, of_nothing_is_an_empty_trace) {
  EXPECT_TRUE(chrome_trace({}).at("traceEvents").empty());
}

}  // namespace
}  // namespace tare
