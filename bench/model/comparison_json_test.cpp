#include "bench/model/comparison_json.hpp"

#include <gtest/gtest.h>

namespace tare {
namespace {

Estimate estimate(double point) {
  return {point, point * 0.9, point * 1.1, 0.99, "t on log-ratios"};
}

/// No two fields alike, so that one taken for another is noticed.
Comparison full_comparison() {
  MetricComparison time;
  time.metric = "time/backward";
  time.unit = "ns";
  time.better = Better::more;
  time.nature = Nature::exact;
  time.before = estimate(100);
  time.after = estimate(55);
  time.ratio = estimate(0.55);
  time.difference = -45;
  time.p = 0.0004;
  time.corrected_p = 0.0016;
  time.verdict = Verdict::same;
  time.reason = "within 1 %";
  time.between_share = 0.35;
  time.visible = 0.012;
  time.processes_needed = 20;
  time.warnings = {{Doubt::uneven_interference, "one side was disturbed"}};
  BenchmarkComparison pair;
  pair.before = {"mlp", {{"n", "8"}}};
  pair.after = {"mlp2", {{"n", "9"}}};
  pair.outcome = Outcome::crashed;
  pair.message = "after: signal 11";
  pair.comparable = false;
  pair.differences = {{"threads", "1", "2"}};
  pair.metrics = {time, {}};
  pair.metrics[1].metric = "bare";
  pair.normalised = {{"speed-up", estimate(1.8)}, {"compression", {4, {}, {}, 0.99, "exact"}}};
  pair.processes = 8;
  pair.rounds = 192;
  pair.seconds = 6.1;
  Comparison c;
  c.before = {"old/bench", 7, "00ff"};
  c.after = {"new/bench", 8, "ff00"};
  c.paired = true;
  c.identical = true;
  c.confidence = 0.99;
  c.margin = 0.02;
  c.correction = "none";
  c.benchmarks = {pair};
  c.only_before = {"gone"};
  c.only_after = {"fresh", "other"};
  c.geometric_mean = estimate(0.8);
  c.warnings = {{Doubt::uncontrolled_drift, "stored"}};
  return c;
}

TEST(ComparisonJson, survives_the_round_trip) {
  const auto comparison = full_comparison();
  auto parsed = parse_json(to_text(to_json(comparison))).and_then([](const Json& json) {
    return comparison_from_json(json);
  });
  ASSERT_TRUE(parsed) << parsed.error().message;
  EXPECT_EQ(*parsed, comparison);
}

TEST(ComparisonJson, every_enumerator_survives) {
  for (int i = 0; i <= static_cast<int>(Verdict::undecided); ++i) {
    auto comparison = full_comparison();
    comparison.benchmarks[0].metrics[0].verdict = static_cast<Verdict>(i);
    EXPECT_EQ(comparison_from_json(to_json(comparison)).value(), comparison);
  }
  for (int i = 0; i <= static_cast<int>(GateOutcome::failed); ++i) {
    const GateFinding finding{"a", "time", "time = 5%", "+7 %", static_cast<GateOutcome>(i), "why"};
    EXPECT_EQ(finding_from_json(to_json(finding)).value(), finding);
  }
}

TEST(ComparisonJson, fields_of_a_later_writer_are_ignored) {
  auto json = to_json(full_comparison());
  json["later"] = 1;
  json["benchmarks"][0]["later"] = Json::array();
  json["benchmarks"][0]["metrics"][0]["later"] = nullptr;
  EXPECT_EQ(comparison_from_json(json).value(), full_comparison());
}

TEST(ComparisonJson, what_is_not_a_comparison_is_refused) {
  EXPECT_FALSE(comparison_from_json(Json::array()));
  EXPECT_FALSE(comparison_from_json(Json{{"schema", 2}}));
  const auto refused = [](auto change) {
    auto json = to_json(full_comparison());
    change(json);
    return !comparison_from_json(json).has_value();
  };
  EXPECT_TRUE(refused([](Json& j) { j["benchmarks"] = 3; }));
  EXPECT_TRUE(refused([](Json& j) { j["only_after"] = {1}; }));
  EXPECT_TRUE(refused([](Json& j) { j["benchmarks"][0].erase("before"); }));
  EXPECT_TRUE(refused([](Json& j) { j["benchmarks"][0]["outcome"] = "splendid"; }));
  EXPECT_TRUE(refused([](Json& j) { j["benchmarks"][0]["metrics"][0]["verdict"] = "splendid"; }));
  EXPECT_TRUE(refused([](Json& j) { j["benchmarks"][0]["metrics"][0]["p"] = "small"; }));
  EXPECT_TRUE(refused([](Json& j) { j["benchmarks"][0]["metrics"][0]["ratio"].erase("point"); }));
  EXPECT_TRUE(refused([](Json& j) { j["benchmarks"][0]["normalised"][0].erase("name"); }));
  EXPECT_TRUE(refused([](Json& j) { j["benchmarks"][0]["normalised"][0].erase("estimate"); }));
  EXPECT_TRUE(refused([](Json& j) { j["geometric_mean"] = 1; }));
}

TEST(GateJson, survives_the_round_trip) {
  const GateResult result{GateOutcome::beyond,
                          {{"a", "time", "time = 5%", "+7 % [+6 %, +8 %]", GateOutcome::beyond, "too slow"}},
                          {"b", "c"},
                          {"[default] tape_bytes = 0"}};
  auto json = to_json(result);
  json["later"] = true;
  EXPECT_EQ(gate_from_json(json).value(), result);
  json["outcome"] = "splendid";
  EXPECT_FALSE(gate_from_json(json));
}

}  // namespace
}  // namespace tare
