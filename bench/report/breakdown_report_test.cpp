#include "bench/report/breakdown_report.hpp"

#include <gmock/gmock.h>

#include "bench/support/text.hpp"

namespace tare {
namespace {

using testing::HasSubstr;
using testing::Not;

Breakdown invented() {
  Breakdown b;
  b.benchmark = "mlp/size=8";
  b.roofs = {{{1, 10e9}}, {{"DRAM", 1e9, 1, 0}}, 250};
  b.modes = {{"eager",
              {{"matmul", OpKind::matmul, {}, 0, 60e6, 3e8, 1e6, Regime::compute, 0.5, "it computes"},
               {"relu", OpKind::other, {}, 60e6, 20e6, 1e6, 1e7, Regime::bandwidth, 0.5, "it moves"},
               {"relu", OpKind::other, {}, 80e6, 10e6, 1e6, 1e7, Regime::bandwidth, 1, "it moves"}},
              100e6},
             {"graph",
              {{"matmul", OpKind::matmul, {}, 0, 60e6, 3e8, 1e6, Regime::compute, 0.5, "it computes"}},
              60e6}};
  b.predicted_gain = 1.5;
  b.measured_gain = Estimate{1.625, 1.5, 1.75, 0.95, "order statistic"};
  b.advice = {"Run it as a graph.", "Buy a faster machine."};
  return b;
}

TEST(BreakdownReport, tells_roofs_operations_gain_and_advice) {
  const auto text = breakdown_report(invented(), {}, {});
  for (const char* words : {"mlp/size=8", "10.0 Gflop/s on 1 thread", "250 ns to call an operation",
                            "100 ms, 67 % matmul", "60.0 ms, 100 % matmul", "relu (bandwidth): it moves.",
                            "predicted 1.50", "measured 1.62 [1.50, 1.75]", "1. Run it as a graph.",
                            "2. Buy a faster machine.", "2 times faster", "8 times faster"}) {
    EXPECT_THAT(text, HasSubstr(words));
  }
  EXPECT_THAT(text,
              testing::ContainsRegex("relu +2 +30.0 ms +33 % +2.00 M +19.1 MiB +0.10 +67 % +bandwidth"));
}

TEST(BreakdownReport, answers_the_what_if) {
  // 60 of 90 become 7.06 of 37.06.
  EXPECT_THAT(breakdown_report(invented(), 8.5, {}),
              testing::ContainsRegex("8.50 times faster +37.1 ms +19 % +81 % +7.06 ms +100 % +0 %"));
}

TEST(BreakdownReport, keeps_within_its_width_and_ascii) {
  auto b = invented();
  b.modes[0].ops[1].name = std::string(300, 'x');
  b.modes[0].ops[2].name = "evil\x1b[31m";
  for (std::size_t i = 0; i < 30; ++i) {
    b.modes[0].ops.push_back(b.modes[0].ops[0]);
    b.modes[0].ops.back().name = "op" + std::to_string(i);
  }
  const auto text = breakdown_report(b, {}, {80, {}, true});
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
  EXPECT_THAT(text, Not(HasSubstr("█")));
  EXPECT_THAT(text, HasSubstr("and 21 more that take"));
  std::size_t begin = 0;
  for (std::size_t end = 0; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1)
    EXPECT_LE(display_width(text.substr(begin, end - begin)), 80u) << text.substr(begin, end - begin);
}

TEST(BreakdownReport, without_matmul_or_roofs_says_less) {
  auto b = invented();
  b.roofs = {};
  b.modes = {{"eager", {{"relu", OpKind::other, {}, 0, 0, 0, 0, Regime::overhead, 0}}}};
  const auto text = breakdown_report(b, 4, {});
  EXPECT_THAT(text, HasSubstr("At best: not known"));
  EXPECT_THAT(text, Not(HasSubstr("if matmul were")));
  EXPECT_THAT(text, Not(HasSubstr("predicted")));
}

}  // namespace
}  // namespace tare
