// An invented machine: 10 Gflop/s, 1 GB/s from memory, 10 GB/s from a cache of 1 MB. Every expected number is
// worked out by hand.
#include "bench/analyse/explain.hpp"

#include <gmock/gmock.h>

namespace tare {
namespace {

using testing::HasSubstr;

const MachineRoofs machine{
    {{1, 10e9}, {2, 20e9}}, {{"L2", 10e9, 1, 1'000'000}, {"DRAM", 1e9, 1, 0}, {"DRAM", 1e9, 2, 0}}, 0};

OpCost op(const char* name, OpKind kind, double ns, double flops, double bytes) {
  OpCost made;
  made.name = name;
  made.kind = kind;
  made.duration_ns = ns;
  made.flops = flops;
  made.bytes = bytes;
  return made;
}

/// A product at half the peak, and two operations on 10 MB at half the bandwidth, which become one.
Trace program(double slower = 1) {
  return {{"eager",
           {op("matmul", OpKind::matmul, 20e6 * slower, 1e8, 1e6),
            op("mul", OpKind::other, 20e6 * slower, 1e6, 1e7),
            op("relu", OpKind::other, 20e6 * slower, 1e6, 1e7)},
           60e6 * slower,
           1000},
          {"graph",
           {op("matmul", OpKind::matmul, 20e6 * slower, 1e8, 1e6),
            op("mul+relu", OpKind::other, 20e6 * slower, 2e6, 1e7)},
           40e6 * slower,
           1000}};
}

OpCost judged(OpCost cost, double overhead_ns = 100) {
  judge(cost, machine.with_threads(1), overhead_ns);
  return cost;
}

TEST(Judge, names_the_roof_that_is_met_and_says_why) {
  const auto computes = judged(op("matmul", OpKind::matmul, 40e6, 2e8, 1e6));
  EXPECT_EQ(computes.regime, Regime::compute);
  EXPECT_DOUBLE_EQ(computes.share_of_roof, 0.5);
  EXPECT_THAT(computes.reason, HasSubstr("200 Mflop take 20.0 ms at best"));
  const auto moves = judged(op("add", OpKind::other, 10e6, 1e6, 8e6));
  EXPECT_EQ(moves.regime, Regime::bandwidth);
  EXPECT_DOUBLE_EQ(moves.share_of_roof, 0.8);
  EXPECT_THAT(moves.reason, HasSubstr("takes 8.00 ms at best"));
  EXPECT_DOUBLE_EQ(judged(op("add", OpKind::other, 200e3, 1e5, 1e6)).share_of_roof, 0.5) << "from the cache";
  const auto calls = judged(op("add", OpKind::other, 500, 10, 80));
  EXPECT_EQ(calls.regime, Regime::overhead);
  EXPECT_THAT(calls.reason, HasSubstr("8.00 ns at best, calling an operation 100 ns"));
  EXPECT_THAT(judged(op("reshape", OpKind::other, 50, 0, 0)).reason, HasSubstr("neither computes nor moves"));
}

TEST(Judge, without_roofs_says_that_it_does_not_know) {
  auto cost = op("add", OpKind::other, 500, 10, 80);
  judge(cost, {}, 0);
  EXPECT_EQ(cost.share_of_roof, 0);
  EXPECT_THAT(cost.reason, HasSubstr("not known"));
}

TEST(Explain, takes_medians_and_keeps_the_timeline_in_order) {
  auto odd = program(3);
  const auto told = explain("b", {program(), program(1.1), odd}, machine, 1);
  ASSERT_TRUE(told) << told.error().message;
  const auto& eager = told->modes.front();
  EXPECT_DOUBLE_EQ(eager.ops[0].duration_ns, 22e6);
  EXPECT_DOUBLE_EQ(eager.wall_ns, 66e6);
  EXPECT_DOUBLE_EQ(eager.ops[1].start_ns, 22e6);
  EXPECT_DOUBLE_EQ(eager.ops[2].start_ns, 44e6);
  EXPECT_DOUBLE_EQ(eager.matmul_share(), 1.0 / 3);
  EXPECT_EQ(told->roofs.peaks.size(), 1u) << "those of one thread only";
  EXPECT_EQ(told->roofs.overhead_ns, 1000);
}

TEST(Explain, predicts_and_measures_what_fusing_brings) {
  // 20 ms of bytes at best become 10: of 40 ms that are not matmul, 20 are left.
  std::vector<Trace> repetitions(7, program());
  repetitions[0][0].wall_ns = 62e6;
  repetitions[1][0].wall_ns = 58e6;
  const auto told = explain("b", repetitions, machine, 1);
  ASSERT_TRUE(told);
  EXPECT_NEAR(*told->predicted_gain, 60.0 / 40, 1e-12);
  ASSERT_TRUE(told->measured_gain);
  EXPECT_DOUBLE_EQ(told->measured_gain->point, 1.5);
  ASSERT_TRUE(told->measured_gain->low && told->measured_gain->high);
  EXPECT_LT(*told->measured_gain->low, 1.5);
  EXPECT_GT(*told->measured_gain->high, 1.5);
  Trace alone{program().front()};
  EXPECT_FALSE(explain("b", {alone}, machine, 1)->measured_gain);
}

TEST(Explain, a_program_of_matmul_alone_has_nothing_to_fuse) {
  const ModeBreakdown mode{"eager", {op("matmul", OpKind::matmul, 20e6, 1e8, 1e6)}};
  EXPECT_FALSE(predicted_gain(mode, mode, machine));
}

TEST(Explain, refuses_executions_that_differ) {
  EXPECT_THAT(explain("b", {}, machine, 1).error().message, HasSubstr("nothing was traced"));
  auto other = program();
  other[0].ops.pop_back();
  EXPECT_THAT(explain("b", {program(), other}, machine, 1).error().message,
              HasSubstr("operation 3 is 'relu' once, then 'nothing'"));
  other = program();
  other[1].ops[1].name = "add";
  EXPECT_THAT(explain("b", {program(), other}, machine, 1).error().message, HasSubstr("mode 'graph'"));
  other.pop_back();
  EXPECT_THAT(explain("b", {program(), other}, machine, 1).error().message, HasSubstr("2 modes, another 1"));
  other = program();
  std::swap(other[0].mode, other[1].mode);
  EXPECT_FALSE(explain("b", {program(), other}, machine, 1));
}

TEST(Advice, puts_first_what_is_worth_most) {
  const auto told = explain("b", {program()}, machine, 1);
  ASSERT_EQ(told->advice.size(), 3u);
  EXPECT_THAT(told->advice[0], HasSubstr("Run it in mode graph: 1.50 times faster than eager, moving "));
  EXPECT_THAT(told->advice[1],
              HasSubstr("matmul takes 50 % of the time in mode graph at 50 % of the compute roof"));
  EXPECT_THAT(told->advice[1], HasSubstr("worth up to 25 %"));
  EXPECT_THAT(told->advice[2],
              HasSubstr("mul+relu takes 50 % of the time in mode graph at 50 % of the bandwidth"));
}

TEST(Advice, sees_overhead_and_gaps) {
  Trace trace{{"eager", {}, 10e3, 400}};
  for (int i = 0; i < 10; ++i) trace[0].ops.push_back(op("add", OpKind::other, 500, 10, 80));
  const auto told = explain("b", {trace}, machine, 1);
  ASSERT_EQ(told->advice.size(), 2u);
  EXPECT_THAT(told->advice[0], HasSubstr("50 % of the time in mode eager lies between the operations"));
  EXPECT_THAT(told->advice[1], HasSubstr("add (10 times) takes 50 % of the time"));
  EXPECT_THAT(told->advice[1], HasSubstr("overhead (500 ns each)"));
}

TEST(Advice, says_when_nothing_stands_out) {
  const Trace trace{{"eager", {op("matmul", OpKind::matmul, 10e6, 1e8, 1e6)}}};
  EXPECT_THAT(explain("b", {trace}, machine, 1)->advice.at(0), HasSubstr("Nothing stands out"));
}

}  // namespace
}  // namespace tare
