#include "bench/report/compliance_report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bench/support/json.hpp"

namespace tare {
namespace {

using testing::HasSubstr;

Compliance one_of_two() {
  Compliance c;
  c.run = 7;
  c.seed = 3;
  c.version = "0.1.0";
  TaskFinding met;
  met.target = {"keyword spotting", "words/variant=int8", 0.9, 100e6};
  met.accuracy = Estimate{0.93, 0.91, 0.95, 0.95, "Wilson"};
  met.latency = Estimate{25e3, {}, {}, 0.95, "t"};
  met.p99_ns = 25e3;
  met.accuracy_met = met.latency_met = true;
  TaskFinding crashed;
  crashed.target = {"visual | wake words", "figures", 0.8, 200e6};
  crashed.problem = "signal 11";
  c.findings = {met, crashed};
  return c;
}

TEST(ComplianceReport, says_what_is_met_and_what_failed) {
  const auto text = compliance_markdown(one_of_two());
  EXPECT_THAT(text, HasSubstr("1 of 2 tasks meet their targets"));
  EXPECT_THAT(
      text, HasSubstr("| keyword spotting | yes | 0.9300 | 0.900 | 25.0 µs | 100 ms | words/variant=int8 |"));
  EXPECT_THAT(text, HasSubstr("| **no** | – | 0.800 | – | 200 ms | failed: signal 11 |"));
  EXPECT_THAT(text, HasSubstr("visual \\| wake words")) << "a name cannot leave its cell";
}

TEST(ComplianceReport, counts_every_task_in_json) {
  const auto json = parse_json(compliance_json(one_of_two())).value();
  EXPECT_EQ(json["summary"]["total"], 2);
  EXPECT_EQ(json["summary"]["compliant"], 1);
  EXPECT_EQ(json["summary"]["rate"], 0.5);
  EXPECT_EQ(json["summary"]["names"][0], "keyword spotting");
  EXPECT_EQ(json["tasks"][0]["p99_ns"], 25e3);
  EXPECT_TRUE(json["tasks"][1]["latency"].is_null()) << "undefined, not 0";
}

}  // namespace
}  // namespace tare
