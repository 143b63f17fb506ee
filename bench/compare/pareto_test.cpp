#include "bench/compare/pareto.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

namespace tare {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

const ParetoMetric time_{"time", "ns", Better::less};
const ParetoMetric accuracy{"accuracy", "1", Better::more};
const ParetoMetric memory{"peak_bytes", "B", Better::less};

Estimate exactly(double point) {
  return {point, point, point, 0.95, "exact"};
}
Estimate about(double point, double half) {
  return {point, point - half, point + half, 0.95, "t"};
}

const ParetoPoint& point(const ParetoFront& front, const std::string& name) {
  for (const auto& p : front.points) {
    if (p.name == name) return p;
  }
  throw std::runtime_error("no point " + name);
}

std::vector<std::string> frontier(const ParetoFront& front) {
  std::vector<std::string> names;
  for (const auto& p : front.points) {
    if (p.frontier) names.push_back(p.name);
  }
  return names;
}

std::string chosen(const ParetoFront& front, const std::string& purpose) {
  for (const auto& r : front.recommendations) {
    if (r.purpose == purpose) return r.point;
  }
  return "nothing";
}

TEST(Pareto, dominated_points_name_who_dominates_them) {
  const auto front = pareto_front({time_, accuracy}, {{"fast", {exactly(1), exactly(0.90)}},
                                                      {"good", {exactly(3), exactly(0.99)}},
                                                      {"poor", {exactly(4), exactly(0.95)}},
                                                      {"worst", {exactly(5), exactly(0.80)}}});
  EXPECT_THAT(frontier(front), ElementsAre("fast", "good"));
  EXPECT_THAT(point(front, "poor").dominated_by, ElementsAre("good"));
  EXPECT_THAT(point(front, "worst").dominated_by, UnorderedElementsAre("fast", "good", "poor"));
}

TEST(Pareto, the_direction_of_each_metric_counts) {
  const std::vector<ParetoCandidate> two{{"low", {exactly(1)}}, {"high", {exactly(2)}}};
  EXPECT_THAT(frontier(pareto_front({time_}, two)), ElementsAre("low"));
  EXPECT_THAT(frontier(pareto_front({accuracy}, two)), ElementsAre("high"));
}

TEST(Pareto, overlapping_intervals_are_ties_and_decide_nothing) {
  const auto front = pareto_front({time_, accuracy}, {{"a", {about(100, 5), exactly(0.9)}},
                                                      {"b", {about(108, 5), exactly(0.9)}},
                                                      {"c", {about(120, 5), exactly(0.9)}}});
  // b is tied with both; c is slower than a beyond doubt, though not than b.
  EXPECT_THAT(point(front, "b").ties, UnorderedElementsAre("a"));
  EXPECT_THAT(point(front, "b").dominated_by, IsEmpty());
  EXPECT_THAT(point(front, "c").dominated_by, UnorderedElementsAre("a", "b"));
  EXPECT_THAT(frontier(front), ElementsAre("a", "b"));
}

TEST(Pareto, a_tie_in_one_metric_leaves_the_others_to_decide) {
  const auto front = pareto_front(
      {time_, accuracy}, {{"a", {exactly(1), about(0.949, 0.01)}}, {"b", {exactly(2), about(0.950, 0.01)}}});
  EXPECT_THAT(point(front, "b").dominated_by, ElementsAre("a"));
}

TEST(Pareto, equal_points_are_both_on_the_frontier) {
  const auto front = pareto_front({time_}, {{"a", {exactly(1)}}, {"b", {exactly(1)}}});
  EXPECT_THAT(frontier(front), ElementsAre("a", "b"));
  EXPECT_THAT(point(front, "a").ties, ElementsAre("b"));
}

TEST(Pareto, a_circle_of_dominance_is_a_frontier_of_ties) {
  // In each metric one pair is told apart and the third point ties with both.
  const Estimate low = about(10, 1), high = about(14, 1), wide = about(12, 4);
  const auto front = pareto_front({time_, time_, time_}, {{"a", {low, wide, high}},
                                                          {"b", {high, low, wide}},
                                                          {"c", {wide, high, low}},
                                                          {"d", {exactly(99), exactly(99), exactly(99)}}});
  EXPECT_THAT(frontier(front), ElementsAre("a", "b", "c"));
  EXPECT_THAT(point(front, "a").dominated_by, IsEmpty());
  EXPECT_THAT(point(front, "a").ties, ElementsAre("c"));
  EXPECT_THAT(point(front, "d").dominated_by, UnorderedElementsAre("a", "b", "c"));
}

TEST(Pareto, what_breaks_a_constraint_neither_leads_nor_dominates) {
  const auto front = pareto_front({time_, accuracy},
                                  {{"int8", {exactly(1), exactly(0.90)}},
                                   {"f16", {exactly(2), exactly(0.96)}},
                                   {"f32", {exactly(4), exactly(0.97)}},
                                   {"slow", {exactly(9), exactly(0.89)}}},
                                  {{"accuracy", true, 0.95}, {"time", false, 8}});
  EXPECT_THAT(frontier(front), ElementsAre("f16", "f32"));
  EXPECT_THAT(point(front, "int8").violates, ElementsAre("accuracy>=0.95"));
  EXPECT_THAT(point(front, "slow").violates, ElementsAre("accuracy>=0.95", "time<=8"));
  EXPECT_THAT(point(front, "slow").dominated_by, UnorderedElementsAre("f16", "f32"));
  EXPECT_EQ(chosen(front, "latency-critical"), "f16");
}

TEST(Pareto, recommends_for_each_purpose_that_a_metric_stands_for) {
  const auto front =
      pareto_front({time_, accuracy, memory}, {{"int8", {exactly(1e6), exactly(0.90), exactly(100)}},
                                               {"f16", {exactly(2e6), exactly(0.96), exactly(200)}},
                                               {"f32", {exactly(9e6), exactly(0.97), exactly(400)}}});
  EXPECT_EQ(chosen(front, "latency-critical"), "int8");
  EXPECT_EQ(chosen(front, "memory-constrained"), "int8");
  EXPECT_EQ(chosen(front, "accuracy-preserving"), "f32");
  EXPECT_EQ(chosen(front, "balanced"), "f16");
  EXPECT_THAT(front.recommendations[3].figures, HasSubstr("time 2.00 ms, accuracy 0.96"));
  EXPECT_EQ(chosen(pareto_front({accuracy}, {{"a", {exactly(1)}}}), "latency-critical"), "nothing");
  EXPECT_EQ(
      chosen(pareto_front({time_, accuracy}, {{"a", {exactly(1), exactly(0.5)}}}, {{"accuracy", true, 1}}),
             "balanced"),
      "nothing");
}

TEST(Pareto, ties_for_a_purpose_are_decided_by_the_other_metrics) {
  const auto front =
      pareto_front({time_, accuracy, memory}, {{"a", {about(100, 9), exactly(0.90), exactly(9)}},
                                               {"b", {about(101, 9), exactly(0.99), exactly(10)}},
                                               {"c", {about(500, 9), exactly(0.995), exactly(1)}}});
  EXPECT_EQ(chosen(front, "latency-critical"), "b");
  EXPECT_THAT(front.recommendations[0].reason, HasSubstr("tied with 1 more"));
}

TEST(Pareto, misuse_is_named) {
  EXPECT_THROW(pareto_front({time_, accuracy}, {{"a", {exactly(1)}}}), std::invalid_argument);
  EXPECT_THROW(pareto_front({{"n", "1", Better::neither}}, {}), std::invalid_argument);
  EXPECT_THROW(pareto_front({time_}, {{"a", {exactly(1)}}}, {{"accuracy", true, 1}}), std::invalid_argument);
}

TEST(Pareto, whatever_the_values_somebody_leads_and_everybody_else_is_explained) {
  EXPECT_TRUE(rc::check([] {
    const auto value = rc::gen::map(rc::gen::pair(rc::gen::inRange(0, 12), rc::gen::inRange(0, 4)),
                                    [](const std::pair<int, int>& p) { return about(p.first, p.second); });
    const auto values = *rc::gen::container<std::vector<std::vector<Estimate>>>(
        rc::gen::container<std::vector<Estimate>>(3, value));
    std::vector<ParetoCandidate> candidates;
    for (const auto& v : values) candidates.push_back({std::to_string(candidates.size()), v});
    const auto front = pareto_front({time_, accuracy, memory}, candidates);
    RC_ASSERT(candidates.empty() || !frontier(front).empty());
    for (const auto& p : front.points) RC_ASSERT(p.frontier == p.dominated_by.empty());
    RC_ASSERT(front.recommendations.size() == (candidates.empty() ? 0u : 4u));
  }));
}

BenchmarkResult variant(const std::string& name, double ns, std::optional<double> right) {
  BenchmarkResult result;
  result.id = {"mlp", {{"variant", name}}};
  Metric time{"time", "ns", Better::less, Nature::noisy, "measured", {}, {}, {}};
  time.summary.time = about(ns, 1);
  result.metrics.push_back(time);
  if (right) {
    Metric accurate{"accuracy", "1", Better::more, Nature::exact, "measured", {}, {}, {}};
    accurate.summary.time = exactly(*right);
    result.metrics.push_back(accurate);
  }
  Metric count{"operations", "1", Better::neither, Nature::exact, "measured", {}, {}, {}};
  count.summary.time = exactly(5);
  result.metrics.push_back(count);
  return result;
}

TEST(ParetoOf, takes_benchmarks_or_the_values_of_a_parameter) {
  const std::vector results{variant("f32", 100, 0.99), variant("int8", 50, 0.95), variant("broken", 1, {})};
  const auto whole = pareto_of(results, {{"latency", "accuracy"}, {}, ""});
  ASSERT_TRUE(whole) << whole.error().message;
  EXPECT_EQ(whole->points[0].name, "mlp/variant=f32");
  EXPECT_THAT(whole->left_out, ElementsAre("mlp/variant=broken: no accuracy"));
  const auto of = pareto_of(results, {{"time"}, {{"accuracy", true, 0.97}}, "variant"});
  EXPECT_EQ(of.value().metrics.size(), 2u);
  EXPECT_THAT(frontier(*of), ElementsAre("f32"));
}

TEST(ParetoOf, says_what_is_wrong) {
  const std::vector results{variant("f32", 100, 0.99), variant("f32", 50, 0.95)};
  const auto message = [&](const ParetoRequest& request) {
    return pareto_of(results, request).error().message;
  };
  EXPECT_THAT(message({{"speed"}, {}, ""}),
              HasSubstr("no benchmark has a metric 'speed'; there are accuracy, time"));
  EXPECT_THAT(message({{"operations"}, {}, ""}), HasSubstr("no better direction"));
  EXPECT_THAT(message({{"time"}, {}, "variant"}), HasSubstr("several benchmarks have variant=f32"));
  EXPECT_THAT(message({{"time"}, {}, "device"}), HasSubstr("has no parameter 'device'"));
}

TEST(ParseConstraint, reads_numbers_durations_and_sizes) {
  EXPECT_EQ(parse_constraint("accuracy>=0.95").value(), (ParetoConstraint{"accuracy", true, 0.95}));
  EXPECT_EQ(parse_constraint("latency <= 2ms").value(), (ParetoConstraint{"time", false, 2e6}));
  EXPECT_EQ(parse_constraint("memory<=4KiB").value(), (ParetoConstraint{"peak_bytes", false, 4096}));
  for (const auto* bad : {"", "accuracy", "accuracy>0.95", ">=1", "a>=", "a>=x", "a=>1", "a>=nan"}) {
    EXPECT_THAT(parse_constraint(bad).error().message, HasSubstr("is no constraint")) << bad;
  }
}

}  // namespace
}  // namespace tare
