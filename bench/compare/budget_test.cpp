#include "bench/compare/budget.hpp"

#include <gmock/gmock.h>
#include <regex>

namespace tare {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Kind = Limit::Kind;

const Limit five_percent{Kind::relative, 0.05, "", "5%"};

MetricComparison noisy(double low, double ratio, double high, Better better = Better::less) {
  MetricComparison m;
  m.metric = "time";
  m.unit = "ns";
  m.better = better;
  m.before = Estimate{1e6, 0.99e6, 1.01e6, 0.95, ""};
  m.after = Estimate{1e6 * ratio, 1e6 * low, 1e6 * high, 0.95, ""};
  m.ratio = Estimate{ratio, low, high, 0.95, ""};
  return m;
}

MetricComparison exact(double before, double after, Better better = Better::less) {
  MetricComparison m;
  m.metric = "allocations";
  m.unit = "1";
  m.better = better;
  m.nature = Nature::exact;
  m.before = Estimate{before, before, before, 1, "exact"};
  m.after = Estimate{after, after, after, 1, "exact"};
  return m;
}

BenchmarkComparison pair_of(std::string name, std::vector<MetricComparison> metrics) {
  BenchmarkComparison pair;
  pair.before = {name, {}};
  pair.after = {std::move(name), {}};
  pair.metrics = std::move(metrics);
  return pair;
}

GateFinding judged(const MetricComparison& metric, const Limit& limit) {
  Comparison comparison;
  comparison.benchmarks = {pair_of("b", {metric})};
  const auto result = judge(comparison, {{"", metric.metric, {limit}}});
  EXPECT_EQ(result.findings.size(), 1u);
  EXPECT_EQ(result.outcome, result.findings.at(0).outcome);
  return result.findings.at(0);
}

TEST(Judge, a_noisy_metric_needs_its_whole_interval) {
  EXPECT_EQ(judged(noisy(1.061, 1.073, 1.085), five_percent).outcome, GateOutcome::beyond);
  EXPECT_EQ(judged(noisy(0.99, 1.02, 1.0499), five_percent).outcome, GateOutcome::within);
  EXPECT_EQ(judged(noisy(1.04, 1.06, 1.08), five_percent).outcome, GateOutcome::undecided);
  EXPECT_EQ(judged(noisy(0.4, 0.5, 0.6), five_percent).outcome, GateOutcome::within);
  EXPECT_EQ(judged(noisy(1.061, 1.073, 1.085), five_percent).observed, "+7.3 % [+6.1 %, +8.5 %]");
}

TEST(Judge, the_direction_decides_what_is_worse) {
  EXPECT_EQ(judged(noisy(0.8, 0.9, 0.94, Better::more), five_percent).outcome, GateOutcome::beyond);
  EXPECT_EQ(judged(noisy(1.1, 1.2, 1.3, Better::more), five_percent).outcome, GateOutcome::within);
  EXPECT_EQ(judged(noisy(0.8, 0.9, 0.94, Better::neither), five_percent).outcome, GateOutcome::beyond);
  EXPECT_EQ(judged(noisy(1.06, 1.1, 1.2, Better::neither), five_percent).outcome, GateOutcome::beyond);
  EXPECT_EQ(judged(noisy(0.96, 1, 1.04, Better::neither), five_percent).outcome, GateOutcome::within);
  EXPECT_EQ(judged(noisy(0.94, 1, 1.04, Better::neither), five_percent).outcome, GateOutcome::undecided);
  EXPECT_THAT(judged(noisy(0.8, 0.9, 0.94, Better::more), five_percent).message, HasSubstr("shrank"));
}

TEST(Judge, an_exact_metric_is_judged_exactly) {
  const Limit none{Kind::absolute, 0, "", "0"};
  EXPECT_EQ(judged(exact(3, 3), none).outcome, GateOutcome::within);
  EXPECT_EQ(judged(exact(3, 4), none).outcome, GateOutcome::beyond);
  EXPECT_EQ(judged(exact(3, 4), none).observed, "3 → 4");
  EXPECT_EQ(judged(exact(4, 3), none).outcome, GateOutcome::within);
  EXPECT_EQ(judged(exact(4, 3, Better::neither), none).outcome, GateOutcome::beyond);
  EXPECT_EQ(judged(exact(100, 102), {Kind::absolute, 2, "", "2"}).outcome, GateOutcome::within);
  EXPECT_EQ(judged(exact(100, 103), {Kind::absolute, 2, "", "2"}).outcome, GateOutcome::beyond);
  EXPECT_EQ(judged(exact(100, 129), {Kind::relative, 0.29, "", "29%"}).outcome, GateOutcome::within);
  EXPECT_EQ(judged(exact(100, 130), {Kind::relative, 0.29, "", "29%"}).outcome, GateOutcome::beyond);
  EXPECT_EQ(judged(exact(100, 130), {Kind::relative, 0.29, "", "29%"}).observed, "100 → 130 (+30.00 %)");
  EXPECT_EQ(judged(exact(0, 0), five_percent).outcome, GateOutcome::within);
  EXPECT_EQ(judged(exact(0, 1), five_percent).outcome, GateOutcome::beyond);
}

TEST(Judge, an_exact_metric_that_varied_is_judged_by_its_range) {
  auto metric = exact(100, 101);
  metric.after->low = 99;
  metric.after->high = 103;
  EXPECT_EQ(judged(metric, {Kind::absolute, 2, "", "2"}).outcome, GateOutcome::undecided);
  EXPECT_EQ(judged(metric, {Kind::absolute, 3, "", "3"}).outcome, GateOutcome::within);
}

TEST(Judge, absolute_changes_and_values) {
  const auto metric = noisy(1.061, 1.073, 1.085);
  EXPECT_EQ(judged(metric, {Kind::absolute, 6e4, "ns", "60 us"}).outcome, GateOutcome::beyond);
  EXPECT_EQ(judged(metric, {Kind::absolute, 7e4, "ns", "70 us"}).outcome, GateOutcome::undecided);
  EXPECT_EQ(judged(metric, {Kind::absolute, 9e4, "ns", "90 us"}).outcome, GateOutcome::within);
  EXPECT_EQ(judged(metric, {Kind::absolute, 9e4, "ns", "90 us"}).observed, "+73.0 µs [+61.0 µs, +85.0 µs]");
  EXPECT_EQ(judged(metric, {Kind::at_most, 1.05e6, "ns", "1.05 ms"}).outcome, GateOutcome::beyond);
  EXPECT_EQ(judged(metric, {Kind::at_most, 1.07e6, "ns", "1.07 ms"}).outcome, GateOutcome::undecided);
  EXPECT_EQ(judged(metric, {Kind::at_most, 1.1e6, "ns", "1.1 ms"}).outcome, GateOutcome::within);
  EXPECT_EQ(judged(metric, {Kind::at_least, 1.1e6, "ns", "1.1 ms"}).outcome, GateOutcome::beyond);
  EXPECT_EQ(judged(metric, {Kind::at_least, 1e6, "ns", "1 ms"}).outcome, GateOutcome::within);
  EXPECT_EQ(judged(exact(2e-5, 1e-5), {Kind::at_most, 1e-5, "", "1e-5"}).outcome, GateOutcome::within);
  EXPECT_EQ(judged(exact(1e-6, 2e-5), {Kind::at_most, 1e-5, "", "1e-5"}).outcome, GateOutcome::beyond);
}

TEST(Judge, without_an_interval_nothing_noisy_is_decided) {
  auto metric = noisy(1, 2, 3);
  metric.ratio = Estimate{2, {}, {}, 0.95, ""};
  EXPECT_EQ(judged(metric, five_percent).outcome, GateOutcome::undecided);
  metric.ratio.reset();
  metric.before = Estimate{0, {}, {}, 0.95, ""};
  EXPECT_EQ(judged(metric, five_percent).outcome, GateOutcome::undecided);
}

TEST(Judge, a_ratio_that_does_not_exist_is_replaced_by_the_difference) {
  auto metric = noisy(1, 1, 1);
  metric.ratio.reset();
  metric.before = Estimate{0, 0.0, 0.0, 0.95, ""};
  metric.after = Estimate{0, 0.0, 0.0, 0.95, ""};
  EXPECT_EQ(judged(metric, five_percent).outcome, GateOutcome::within);
  metric.after = Estimate{5, 4.0, 6.0, 0.95, ""};
  EXPECT_EQ(judged(metric, five_percent).outcome, GateOutcome::beyond);
}

TEST(Judge, units_must_fit) {
  const auto wrong = judged(noisy(1, 1, 1), {Kind::absolute, 1024, "B", "1 KiB"});
  EXPECT_EQ(wrong.outcome, GateOutcome::failed);
  EXPECT_THAT(wrong.message, HasSubstr("1 KiB is in B and the metric in ns"));
  EXPECT_THAT(judged(noisy(1, 1, 1), {Kind::absolute, 5, "", "5"}).message, HasSubstr("has no unit"));
  auto own = exact(1, 2);
  own.unit = "widgets";
  EXPECT_EQ(judged(own, {Kind::absolute, 5, "", "5"}).outcome, GateOutcome::within);
}

TEST(Judge, a_metric_that_is_gone_is_failed_and_one_that_came_undecided) {
  auto gone = exact(1, 1);
  gone.after.reset();
  EXPECT_EQ(judged(gone, five_percent).outcome, GateOutcome::failed);
  EXPECT_THAT(judged(gone, five_percent).message, HasSubstr("is gone"));
  auto came = exact(1, 1);
  came.before.reset();
  EXPECT_EQ(judged(came, five_percent).outcome, GateOutcome::undecided);
  EXPECT_EQ(judged(came, {Kind::at_most, 1, "", "1"}).outcome, GateOutcome::within);
  came.after.reset();
  EXPECT_EQ(judged(came, five_percent).outcome, GateOutcome::undecided);
}

TEST(Judge, what_cannot_be_compared_is_failed) {
  Comparison comparison;
  comparison.benchmarks = {pair_of("crash", {}), pair_of("unfair", {}), pair_of("skip", {})};
  comparison.benchmarks[0].outcome = Outcome::check_failed;
  comparison.benchmarks[0].message = "after: wrong";
  comparison.benchmarks[1].comparable = false;
  comparison.benchmarks[1].differences = {{"threads", "1", "2"}};
  comparison.benchmarks[2].outcome = Outcome::skipped;
  comparison.only_before = {"lost"};
  comparison.only_after = {"fresh"};
  const auto result = judge(comparison, {{"", "time", {five_percent}}});
  ASSERT_EQ(result.findings.size(), 4u);
  EXPECT_EQ(result.findings[0].outcome, GateOutcome::failed);
  EXPECT_EQ(result.findings[0].message, "check failed: after: wrong");
  EXPECT_EQ(result.findings[1].outcome, GateOutcome::failed);
  EXPECT_THAT(result.findings[1].message, HasSubstr("threads 1 / 2"));
  EXPECT_EQ(result.findings[2].outcome, GateOutcome::undecided);
  EXPECT_EQ(result.findings[3].outcome, GateOutcome::failed);
  EXPECT_EQ(result.findings[3].benchmark, "lost");
  EXPECT_THAT(result.uncovered, ElementsAre("fresh"));
  EXPECT_EQ(result.outcome, GateOutcome::failed);
}

TEST(Judge, the_last_match_decides_alone) {
  Comparison comparison;
  comparison.benchmarks = {pair_of("mlp/a", {noisy(1.05, 1.06, 1.07)}),
                           pair_of("sort", {noisy(1.05, 1.06, 1.07)}), pair_of("free", {noisy(3, 3, 3)})};
  const Budgets budgets{{"", "time", {{Kind::relative, 0.1, "", "10%"}}},
                        {"^mlp/", "time", {{Kind::relative, 0.2, "", "20%"}}},
                        {"mlp/a$", "time", {{Kind::relative, 0.01, "", "1%"}}},
                        {"free", "time", {}}};
  const auto result = judge(comparison, budgets);
  ASSERT_EQ(result.findings.size(), 2u);
  EXPECT_EQ(result.findings[0].budget, "time = 1%");
  EXPECT_EQ(result.findings[0].outcome, GateOutcome::beyond);
  EXPECT_EQ(result.findings[1].budget, "time = 10%");
  EXPECT_EQ(result.findings[1].outcome, GateOutcome::within);
  EXPECT_THAT(result.uncovered, ElementsAre("free"));
  EXPECT_THAT(result.unused, ElementsAre("^mlp/: time = 20%"));
  EXPECT_EQ(result.outcome, GateOutcome::beyond);
}

TEST(Judge, a_metric_nobody_has_fails_only_where_it_was_asked_for) {
  Comparison comparison;
  comparison.benchmarks = {pair_of("b", {exact(1, 1)})};
  const auto by_default = judge(comparison, {{"", "tape_bytes", {five_percent}}});
  EXPECT_TRUE(by_default.findings.empty());
  EXPECT_EQ(by_default.outcome, GateOutcome::failed);
  EXPECT_THAT(by_default.uncovered, ElementsAre("b"));
  EXPECT_THAT(by_default.unused, ElementsAre("[default] tape_bytes = 5%"));
  const auto asked = judge(comparison, {{"b", "tape_bytes", {five_percent}}});
  ASSERT_EQ(asked.findings.size(), 1u);
  EXPECT_EQ(asked.findings[0].outcome, GateOutcome::failed);
  EXPECT_THAT(asked.findings[0].message, HasSubstr("neither side has"));
}

TEST(Judge, the_gravest_finding_is_the_outcome) {
  const auto outcome = [](std::vector<MetricComparison> metrics) {
    Comparison comparison;
    for (auto& metric : metrics) comparison.benchmarks.push_back(pair_of("b", {std::move(metric)}));
    return judge(comparison, {{"", "time", {five_percent}}}).outcome;
  };
  const auto good = noisy(1, 1, 1);
  const auto unsure = noisy(0.9, 1, 1.2);
  const auto bad = noisy(1.2, 1.2, 1.2);
  EXPECT_EQ(outcome({good, good}), GateOutcome::within);
  EXPECT_EQ(outcome({good, unsure}), GateOutcome::undecided);
  EXPECT_EQ(outcome({unsure, bad, good}), GateOutcome::beyond);
  EXPECT_EQ(outcome({}), GateOutcome::failed);
}

TEST(Judge, a_bad_pattern_is_misuse) {
  EXPECT_THROW((void)judge({}, {{"[", "time", {}}}), std::regex_error);
}

}  // namespace
}  // namespace tare
