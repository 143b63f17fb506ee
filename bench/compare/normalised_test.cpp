#include "bench/compare/normalised.hpp"

#include <cmath>
#include <functional>
#include <gtest/gtest.h>
#include <stdexcept>
#include <vector>

#include "bench/analyse/intervals.hpp"
#include "bench/analyse/simulated.hpp"

namespace tare {
namespace {

Estimate around(double point, double low, double high) {
  return {point, low, high, 0.95, "t"};
}

/// Symmetric on the log scale.
Estimate within(double point, double factor) {
  return around(point, point / factor, point * factor);
}

void expect(const MaybeEstimate& found, double point, double low, double high) {
  ASSERT_TRUE(found);
  ASSERT_TRUE(found->low && found->high);
  EXPECT_NEAR(found->point, point, 1e-12);
  EXPECT_NEAR(*found->low, low, 1e-12);
  EXPECT_NEAR(*found->high, high, 1e-12);
}

TEST(Normalised, ratios_add_squared_distances_on_the_log_scale) {
  const double reach = std::sqrt(std::pow(std::log(1.1), 2) + std::pow(std::log(1.2), 2));
  const auto before = within(6, 1.1), after = within(3, 1.2);
  expect(speed_up(before, after), 2, 2 * std::exp(-reach), 2 * std::exp(reach));
  expect(compression(before, after), 2, 2 * std::exp(-reach), 2 * std::exp(reach));
  expect(retention(before, after), 0.5, std::exp(-reach) / 2, std::exp(reach) / 2);
}

TEST(Normalised, limits_of_a_ratio_come_from_the_right_sides) {
  const double low = std::hypot(std::log(6 / 5.0), std::log(4 / 3.0));
  const double high = std::hypot(std::log(6.5 / 6), std::log(3 / 2.9));
  expect(speed_up(around(6, 5, 6.5), around(3, 2.9, 4)), 2, 2 * std::exp(-low), 2 * std::exp(high));
}

TEST(Normalised, accuracy_delta_adds_squared_distances) {
  expect(accuracy_delta(around(0.9, 0.86, 0.92), around(0.8, 0.77, 0.84)), -0.1,
         -0.1 - std::hypot(0.03, 0.02), -0.1 + std::hypot(0.04, 0.04));
}

TEST(Normalised, exact_inputs_give_exact_results) {
  const Estimate four{4, 4, 4, 0.95, "exact"}, two{2, 2, 2, 0.95, "exact"};
  expect(compression(four, two), 2, 2, 2);
}

TEST(Efficiency, does_not_punish_a_gain) {
  const auto exact = [](double v) { return around(v, v, v); };
  EXPECT_NEAR(efficiency(exact(2), exact(3), exact(0.25))->point, 6, 1e-12);
  EXPECT_NEAR(efficiency(exact(2), exact(3), exact(-0.25))->point, 4.8, 1e-12);
  EXPECT_NEAR(efficiency(exact(2), exact(3), exact(0.25), Penalty::change)->point, 4.8, 1e-12);
  EXPECT_NEAR(efficiency(exact(2), exact(3), exact(-0.25), Penalty::change)->point, 4.8, 1e-12);
}

TEST(Efficiency, takes_its_interval_from_all_three) {
  const double low = std::hypot(std::log(1.1), std::log(1.2), std::log(1.3 / 1.2));
  const double high = std::hypot(std::log(1.1), std::log(1.2), std::log(1.2 / 1.1));
  for (const auto penalty : {Penalty::loss, Penalty::change})
    expect(efficiency(within(2, 1.1), within(3, 1.2), around(-0.2, -0.3, -0.1), penalty), 5,
           5 * std::exp(-low), 5 * std::exp(high));
}

TEST(Efficiency, knows_a_delta_that_may_be_zero) {
  const auto found = efficiency(around(1, 1, 1), around(1, 1, 1), around(0.1, -0.2, 0.4), Penalty::change);
  expect(found, 1 / 1.1, 1 / 1.4, 1);
  expect(efficiency(around(1, 1, 1), around(1, 1, 1), around(0.1, -0.2, 0.4)), 1, 1 / 1.2, 1);
}

TEST(GeometricMean, divides_the_distance_by_the_number) {
  const double reach = std::hypot(std::log(1.1), std::log(1.2)) / 2;
  expect(geometric_mean(std::vector<MaybeEstimate>{within(2, 1.1), within(8, 1.2)}), 4, 4 * std::exp(-reach),
         4 * std::exp(reach));
}

TEST(Normalised, is_undefined_for_missing_or_non_positive_inputs) {
  const auto good = within(2, 1.1);
  for (const MaybeEstimate& bad :
       {MaybeEstimate{}, MaybeEstimate{around(0, -1, 1)}, MaybeEstimate{around(-1, -2, 0)}}) {
    EXPECT_FALSE(speed_up(bad, good));
    EXPECT_FALSE(speed_up(good, bad));
    EXPECT_FALSE(retention(good, bad));
    EXPECT_FALSE(efficiency(bad, good, good));
    EXPECT_FALSE(efficiency(good, bad, good));
    EXPECT_FALSE(geometric_mean(std::vector<MaybeEstimate>{good, bad}));
  }
  EXPECT_FALSE(accuracy_delta(std::nullopt, good));
  EXPECT_FALSE(efficiency(good, good, std::nullopt));
  EXPECT_FALSE(geometric_mean({}));
}

TEST(Normalised, has_no_limits_where_an_input_has_none) {
  const Estimate single{2, std::nullopt, std::nullopt, 0.95, "t"};
  EXPECT_EQ(speed_up(within(4, 1.1), single)->point, 2);
  EXPECT_FALSE(speed_up(within(4, 1.1), single)->low);
  EXPECT_FALSE(speed_up(within(4, 1.1), around(2, -0.1, 4.1))->high) << "no logarithm of the lower limit";
  EXPECT_FALSE(accuracy_delta(single, single)->low);
}

TEST(Normalised, refuses_unequal_confidence) {
  auto other = within(2, 1.1);
  other.confidence = 0.99;
  EXPECT_THROW((void)speed_up(within(2, 1.1), other), std::invalid_argument);
  EXPECT_THROW((void)geometric_mean(std::vector<MaybeEstimate>{within(2, 1.1), other}),
               std::invalid_argument);
}

MetricComparison noisy_row(const char* name, Estimate before, Estimate after, Estimate ratio) {
  MetricComparison row;
  row.metric = name;
  row.before = std::move(before);
  row.after = std::move(after);
  row.ratio = std::move(ratio);
  return row;
}

MetricComparison exact_row(const char* name, double before, double after) {
  auto row = noisy_row(name, {before, before, before, 1, "exact"}, {after, after, after, 1, "exact"},
                       {after / before, {}, {}, 1, "exact"});
  row.nature = Nature::exact;
  return row;
}

const NormalisedMetric* named(const std::vector<NormalisedMetric>& all, const char* name) {
  for (const auto& one : all)
    if (one.name == name) return &one;
  return nullptr;
}

const MetricComparison half_time =
    noisy_row("time", {100, 99, 101, 0.99, ""}, {50, 49, 51, 0.99, ""}, {0.5, 0.4, 0.625, 0.99, "ranks"});

TEST(NormalisedMetrics, of_time_alone_are_the_speed_up) {
  BenchmarkComparison pair;
  EXPECT_TRUE(normalised_metrics(pair, 0.99).empty());
  pair.metrics = {half_time};
  const auto found = normalised_metrics(pair, 0.99);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0], (NormalisedMetric{"speed-up", {2, 1.6, 2.5, 0.99, "ranks"}}));
}

TEST(NormalisedMetrics, of_time_size_and_accuracy_have_an_efficiency_with_an_interval) {
  BenchmarkComparison pair;
  pair.metrics = {half_time, exact_row("parameter_bytes", 400, 100), exact_row("accuracy", 0.9, 0.88)};
  const auto found = normalised_metrics(pair, 0.99);
  ASSERT_EQ(found.size(), 5U);
  EXPECT_EQ(named(found, "compression")->estimate.point, 4);
  EXPECT_EQ(named(found, "compression")->estimate.low, 4) << "exact at any confidence";
  EXPECT_NEAR(named(found, "accuracy delta")->estimate.point, -0.02, 1e-12);
  EXPECT_NEAR(*named(found, "accuracy delta")->estimate.high, -0.02, 1e-12);
  EXPECT_NEAR(named(found, "retention")->estimate.point, 0.88 / 0.9, 1e-12);
  const auto& score = named(found, "efficiency")->estimate;
  EXPECT_NEAR(score.point, 2 * 4 / 1.02, 1e-9);
  EXPECT_NEAR(*score.low, 1.6 * 4 / 1.02, 1e-9);
  EXPECT_NEAR(*score.high, 2.5 * 4 / 1.02, 1e-9);
  EXPECT_EQ(score.confidence, 0.99);
}

TEST(NormalisedMetrics, prefer_the_bytes_of_the_model) {
  BenchmarkComparison pair;
  pair.metrics = {exact_row("parameter_bytes", 400, 100), exact_row("model_bytes", 400, 200)};
  EXPECT_EQ(named(normalised_metrics(pair, 0.95), "compression")->estimate.point, 2);
}

TEST(NormalisedMetrics, do_not_mix_confidences) {
  BenchmarkComparison pair;
  auto accuracy = noisy_row("accuracy", {0.9, 0.89, 0.91, 0.95, "t"}, {0.9, 0.89, 0.91, 0.95, "t"},
                            {1, 0.98, 1.02, 1, "range"});
  auto bytes = exact_row("model_bytes", 400, 100);
  bytes.after->high = 120;
  pair.metrics = {half_time, bytes, accuracy};
  const auto found = normalised_metrics(pair, 0.99);
  EXPECT_FALSE(named(found, "accuracy delta")->estimate.low);
  EXPECT_FALSE(named(found, "retention")->estimate.low);
  EXPECT_FALSE(named(found, "compression")->estimate.low) << "the count wavers";
  EXPECT_FALSE(named(found, "efficiency")->estimate.low);
}

TEST(NormalisedMetrics, of_zeros_are_left_out) {
  BenchmarkComparison pair;
  auto bytes = exact_row("model_bytes", 400, 0);
  pair.metrics = {half_time, bytes, exact_row("accuracy", 0.5, 0)};
  const auto found = normalised_metrics(pair, 0.99);
  EXPECT_EQ(named(found, "compression"), nullptr);
  EXPECT_EQ(named(found, "retention"), nullptr);
  EXPECT_EQ(named(found, "efficiency"), nullptr);
  EXPECT_NEAR(named(found, "accuracy delta")->estimate.point, -0.5, 1e-12);
}

BenchmarkResult summarised(double ns, double half, double bytes, double accuracy) {
  const auto metric = [](const char* name, Nature nature, Estimate value) {
    Metric m{name, "", Better::less, nature, "measured", {}, {}, {}};
    m.summary.time = value;
    return m;
  };
  BenchmarkResult result;
  result.metrics = {metric("time", Nature::noisy, around(ns, ns - half, ns + half)),
                    metric("model_bytes", Nature::exact, {bytes, bytes, bytes, 1, "exact"}),
                    metric("accuracy", Nature::share, around(accuracy, accuracy - 0.01, accuracy + 0.01))};
  return result;
}

TEST(NormalisedAgainst, has_every_figure_that_both_results_allow) {
  const auto base = summarised(4e6, 1e5, 4e6, 0.98), variant = summarised(2e6, 1e5, 1e6, 0.96);
  const auto found = normalised_against(base, variant);
  const std::vector<std::pair<const char*, double>> expected{
      {"speed-up", 2},           {"compression", 4},
      {"accuracy delta", -0.02}, {"retention", 0.96 / 0.98},
      {"efficiency", 8 / 1.02},  {"efficiency (any change)", 8 / 1.02},
      {"accuracy per MB", 0.96}, {"accuracy per ms", 0.48}};
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(found[i].name, expected[i].first);
    EXPECT_NEAR(found[i].estimate.point, expected[i].second, 1e-9) << found[i].name;
    ASSERT_TRUE(found[i].estimate.low && found[i].estimate.high) << found[i].name;
    EXPECT_EQ(*found[i].estimate.low < *found[i].estimate.high, found[i].name != "compression")
        << found[i].name;
  }
}

TEST(NormalisedAgainst, punishes_a_gain_only_by_the_formula_that_does) {
  const auto base = summarised(4e6, 1e5, 4e6, 0.90), variant = summarised(2e6, 1e5, 1e6, 0.95);
  const auto found = normalised_against(base, variant);
  EXPECT_NEAR(named(found, "efficiency")->estimate.point, 8, 1e-9);
  EXPECT_NEAR(named(found, "efficiency (any change)")->estimate.point, 8 / 1.05, 1e-9);
}

TEST(NormalisedAgainst, is_without_what_is_missing) {
  auto base = summarised(4e6, 1e5, 4e6, 0.9);
  const auto variant = summarised(2e6, 1e5, 1e6, 0.9);
  base.metrics.resize(1);
  const auto found = normalised_against(base, variant);
  EXPECT_NE(named(found, "speed-up"), nullptr);
  EXPECT_EQ(named(found, "compression"), nullptr);
  EXPECT_EQ(named(found, "retention"), nullptr);
  EXPECT_NE(named(found, "accuracy per ms"), nullptr) << "the variant's own";
}

TEST(NormalisedMetrics, of_a_share_have_the_interval_of_both_shares) {
  auto accuracy = exact_row("accuracy", 0.9, 0.88);
  accuracy.nature = Nature::share;
  accuracy.before = around(0.9, 0.87, 0.93);
  accuracy.after = around(0.88, 0.85, 0.91);
  BenchmarkComparison pair;
  pair.metrics = {accuracy};
  const auto found = normalised_metrics(pair, 0.95);
  EXPECT_NEAR(*named(found, "accuracy delta")->estimate.low, -0.02 - std::hypot(0.03, 0.03), 1e-9);
  EXPECT_TRUE(named(found, "retention")->estimate.low);
}

}  // namespace
}  // namespace tare
