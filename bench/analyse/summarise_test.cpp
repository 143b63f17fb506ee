#include "bench/analyse/summarise.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>

#include "bench/analyse/processes.hpp"
#include "bench/analyse/simulated.hpp"

namespace tare {
namespace {

bool doubts(const Summary& summary, Doubt doubt) {
  return std::any_of(summary.warnings.begin(), summary.warnings.end(),
                     [&](const Warning& warning) { return warning.doubt == doubt; });
}

Metric time_metric() {
  Metric metric;
  metric.name = "time";
  metric.unit = "ns";
  return metric;
}

/// Values per iteration around `centre`, in batches of 100 iterations.
void add_process(Metric& metric, std::uint32_t process, const std::vector<double>& values) {
  for (const double v : values) metric.samples.push_back({process, 100, v * 100, {}});
}

Metric quiet(int processes, std::size_t samples, double centre = 1000, double sigma = 5) {
  auto metric = time_metric();
  Random random(4);
  for (int p = 0; p < processes; ++p)
    add_process(metric, static_cast<std::uint32_t>(p),
                simulated::normal_series(random, samples, centre, sigma));
  return metric;
}

TEST(Summarise, gives_the_mean_of_process_medians_with_a_t_interval) {
  auto metric = time_metric();
  add_process(metric, 0, {10, 11, 12});
  add_process(metric, 1, {12, 13, 14});
  add_process(metric, 2, {11, 12, 13});
  const auto summary = summarise(metric);
  ASSERT_TRUE(summary.time);
  EXPECT_DOUBLE_EQ(summary.time->point, 12);
  // t(0.975, 2) · 1 / √3.
  EXPECT_NEAR(*summary.time->high - 12, 4.302652729696 / std::sqrt(3), 1e-9);
  EXPECT_EQ(summary.time->method, "t on process medians");
  EXPECT_EQ(summary.n, 9u);
  EXPECT_EQ(summary.processes, 3u);
  EXPECT_EQ(summary.mean->method, "t on process means");
  EXPECT_NEAR(*summary.mean->high - 12, 4.302652729696 / std::sqrt(3), 1e-9);
}

TEST(Summarise, has_nothing_to_doubt_in_quiet_samples) {
  const auto summary = summarise(quiet(10, 30));
  EXPECT_EQ(summary.warnings, std::vector<Warning>{}) << summary.warnings[0].text;
  EXPECT_EQ(summary.steadiness, Steadiness::flat);
  EXPECT_LT(*summary.between_share, 0.2);
  EXPECT_LT(*summary.median->low, *summary.p50);
  EXPECT_NEAR(*summary.variation, 0.005, 0.001);
  EXPECT_LT(*summary.p50, *summary.p90);
  EXPECT_LT(*summary.p90, *summary.p99);
}

TEST(Summarise, says_that_one_process_is_not_enough) {
  const auto summary = summarise(quiet(1, 40));
  EXPECT_TRUE(doubts(summary, Doubt::one_process));
  EXPECT_FALSE(doubts(summary, Doubt::few_samples));
  ASSERT_TRUE(summary.time && summary.time->low);
  EXPECT_EQ(summary.time->method, "order statistic, corrected for dependence");
  EXPECT_TRUE(doubts(summarise(quiet(1, 5)), Doubt::few_samples));
  EXPECT_TRUE(doubts(summarise(quiet(2, 30)), Doubt::few_samples));
  EXPECT_FALSE(doubts(summarise(quiet(3, 30)), Doubt::few_samples));
}

TEST(Summarise, one_sample_has_a_point_without_limits) {
  const auto summary = summarise(quiet(1, 1));
  ASSERT_TRUE(summary.time);
  EXPECT_FALSE(summary.time->low);
  EXPECT_FALSE(summary.deviation || summary.lag1 || summary.between_share);
  EXPECT_FALSE(precise_enough(summary, 1));
}

TEST(Summarise, of_nothing_is_empty) {
  EXPECT_EQ(summarise(time_metric()), Summary{});
  auto metric = quiet(3, 10);
  metric.origin = "unavailable (no permission)";
  EXPECT_EQ(summarise(metric), Summary{});
}

TEST(Summarise, leaves_the_warm_up_out) {
  auto metric = time_metric();
  Random random(2);
  for (std::uint32_t p = 0; p < 5; ++p) {
    auto values = simulated::normal_series(random, 40, 100, 1);
    for (int i = 0; i < 8; ++i) values[static_cast<std::size_t>(i)] += 40;
    add_process(metric, p, values);
  }
  const auto summary = summarise(metric);
  EXPECT_EQ(summary.steadiness, Steadiness::warming);
  EXPECT_EQ(summary.warm_up, 40u);
  EXPECT_EQ(summary.n, 160u);
  EXPECT_LT(*summary.maximum, 110);
  EXPECT_TRUE(doubts(summary, Doubt::warming));
}

TEST(Summarise, a_rate_that_falls_is_slowing) {
  auto metric = quiet(1, 60, 0, 1);
  metric.unit = "1/s";
  for (std::size_t i = 0; i < 60; ++i) metric.samples[i].total += 100 * (200.0 - static_cast<double>(i));
  metric.better = Better::more;
  EXPECT_TRUE(doubts(summarise(metric), Doubt::slowing));
  metric.better = Better::less;
  EXPECT_TRUE(doubts(summarise(metric), Doubt::no_steady_state));
}

TEST(Summarise, one_odd_process_of_ten_does_not_speak_for_all) {
  auto metric = quiet(10, 30);
  for (std::size_t i = 0; i < 15; ++i) metric.samples[i].total *= 1.5;
  const auto summary = summarise(metric);
  EXPECT_EQ(summary.steadiness, Steadiness::flat);
  EXPECT_EQ(summary.warm_up, 15u);
}

TEST(Summarise, an_exact_metric_has_its_common_value) {
  auto metric = time_metric();
  metric.nature = Nature::exact;
  metric.unit = "1";
  metric.samples = {{0, 10, 30, {}}, {1, 100, 300, {}}, {2, 7, 21, {}}};
  const auto summary = summarise(metric);
  EXPECT_EQ(summary.time, (Estimate{3, 3, 3, 1.0, "exact"}));
  EXPECT_TRUE(summary.warnings.empty());
  EXPECT_TRUE(precise_enough(summary, 1e-9));
}

TEST(Summarise, an_exact_metric_that_changed_says_so) {
  auto metric = time_metric();
  metric.nature = Nature::exact;
  metric.unit = "1";
  metric.samples = {{0, 1, 3, {}}, {1, 1, 3, {}}, {2, 1, 5, {}}};
  const auto summary = summarise(metric);
  EXPECT_EQ(summary.time, (Estimate{3, 3, 5, 1.0, "range"}));
  EXPECT_TRUE(doubts(summary, Doubt::changed_count));
  EXPECT_FALSE(precise_enough(summary, 0.01));
}

TEST(Summarise, an_exact_zero_is_precise) {
  auto metric = time_metric();
  metric.nature = Nature::exact;
  metric.samples = {{0, 1, 0, {}}, {1, 1, 0, {}}};
  EXPECT_TRUE(precise_enough(summarise(metric), 0.01));
}

TEST(Summarise, gives_no_time_below_the_harness_own_cost) {
  // A body of nothing: what is read scatters around the overhead.
  auto metric = quiet(5, 30, 0.5, 0.01);
  metric.overhead = {20, 1, 0.3, 0.002};
  metric.overhead.per_iteration = 0.3;
  for (auto& sample : metric.samples) sample.total += -0.5 * 100 + 20 + 0.3 * 100;
  const auto summary = summarise(metric);
  EXPECT_TRUE(doubts(summary, Doubt::below_resolution));
  EXPECT_FALSE(summary.time || summary.mean || summary.median || summary.minimum || summary.p50);
  EXPECT_FALSE(doubts(summary, Doubt::overhead));
  EXPECT_EQ(summary.n, 150u);
  EXPECT_FALSE(precise_enough(summary, 1));
}

TEST(Summarise, gives_a_small_time_that_is_clearly_there) {
  auto metric = quiet(5, 30, 0.2, 0.01);
  metric.overhead = {20, 1, 0.3, 0.002};
  for (auto& sample : metric.samples) sample.total += 20 + 0.3 * 100;
  const auto summary = summarise(metric);
  ASSERT_TRUE(summary.time);
  EXPECT_NEAR(summary.time->point, 0.2, 0.01);
  EXPECT_TRUE(doubts(summary, Doubt::overhead));
}

TEST(Summarise, gives_no_time_within_the_error_of_the_overhead) {
  auto metric = quiet(5, 30, 2, 0.01);
  metric.overhead = {0, 0, 10, 1};
  for (auto& sample : metric.samples) sample.total += 10 * 100;
  EXPECT_TRUE(doubts(summarise(metric), Doubt::below_resolution));
  metric.overhead.per_iteration_error = 0.1;
  EXPECT_FALSE(doubts(summarise(metric), Doubt::below_resolution));
}

TEST(Summarise, gives_no_time_of_a_few_percent_of_the_overhead) {
  auto metric = quiet(5, 30, 0.3, 0.01);
  metric.overhead = {0, 0, 10, 0.001};
  for (auto& sample : metric.samples) sample.total += 10 * 100;
  EXPECT_TRUE(doubts(summarise(metric), Doubt::below_resolution));
}

TEST(Summarise, a_scattered_time_far_above_the_overhead_is_a_time) {
  auto metric = time_metric();
  metric.overhead = {25, 0.1, 0.3, 0.001};
  add_process(metric, 0, {5.8e6, 2.1e6, 11.9e6, 3.0e6, 9.4e6});
  const auto summary = summarise(metric);
  EXPECT_FALSE(doubts(summary, Doubt::below_resolution));
  EXPECT_TRUE(summary.median);
}

TEST(Summarise, never_gives_a_negative_time) {
  auto metric = time_metric();
  metric.overhead = {0, 0, 10, 0};
  add_process(metric, 0, std::vector<double>(20, 11.0));
  add_process(metric, 1, std::vector<double>(20, 11.0));
  add_process(metric, 2, std::vector<double>(15, 1.0));
  const auto summary = summarise(metric);
  EXPECT_FALSE(summary.time);
  EXPECT_TRUE(doubts(summary, Doubt::below_resolution));
}

TEST(Summarise, widens_by_the_error_of_what_was_subtracted) {
  auto metric = quiet(5, 30);
  metric.overhead = {20, 0, 10, 0};
  const auto sharp = summarise(metric);
  metric.overhead.per_iteration_error = 7;
  const auto blunt = summarise(metric);
  const double half_sharp = *sharp.time->high - sharp.time->point;
  EXPECT_NEAR(*blunt.time->high - blunt.time->point, std::hypot(half_sharp, 1.95996398454 * 7), 1e-6);
  EXPECT_GT(*blunt.mean->high, *sharp.mean->high);
  EXPECT_GT(*blunt.median->high, *sharp.median->high);
}

TEST(Summarise, warns_of_outliers_and_clusters) {
  auto metric = quiet(5, 40);
  for (std::size_t i = 0; i < metric.samples.size(); i += 13) metric.samples[i].total *= 3;
  EXPECT_TRUE(doubts(summarise(metric), Doubt::outliers));
  metric = quiet(5, 40);
  for (std::size_t i = 0; i < metric.samples.size(); i += 2) metric.samples[i].total *= 1.1;
  EXPECT_TRUE(doubts(summarise(metric), Doubt::multimodal));
}

TEST(Summarise, a_coarse_clock_makes_no_outliers) {
  auto metric = time_metric();
  add_process(metric, 0, std::vector<double>(30, 100.0));
  for (std::size_t i = 0; i < 30; i += 5) metric.samples[i].total += 100;
  EXPECT_FALSE(doubts(summarise(metric), Doubt::outliers));
  for (std::size_t i = 0; i < 30; i += 5) metric.samples[i].total += 1000;
  EXPECT_TRUE(doubts(summarise(metric), Doubt::outliers));
}

TEST(Summarise, warns_of_dependence) {
  auto metric = time_metric();
  Random random(9);
  for (std::uint32_t p = 0; p < 5; ++p) {
    auto values = simulated::ar1_series(random, 60, 0.7);
    for (auto& v : values) v = 100 + v;
    add_process(metric, p, values);
  }
  const auto summary = summarise(metric);
  EXPECT_TRUE(doubts(summary, Doubt::dependent));
  EXPECT_LT(*summary.effective_n, 150);
  EXPECT_GT(*summary.lag1, 0.5);
}

TEST(Summarise, warns_of_interference_only_when_it_weighs) {
  auto metric = quiet(5, 20, 1000, 5);  // samples of 0.1 ms
  for (auto& sample : metric.samples) sample.interference.wait_ns = 500;
  EXPECT_FALSE(doubts(summarise(metric), Doubt::interference));
  for (auto& sample : metric.samples) sample.interference.wait_ns = 5000;
  EXPECT_TRUE(doubts(summarise(metric), Doubt::interference));
  metric = quiet(5, 20, 1000, 5);
  for (auto& sample : metric.samples) sample.interference.involuntary_switches = 1;
  EXPECT_TRUE(doubts(summarise(metric), Doubt::interference));
  metric = quiet(5, 20, 1e6, 5);  // samples of 0.1 s: one switch is nothing
  for (auto& sample : metric.samples) sample.interference.involuntary_switches = 1;
  EXPECT_FALSE(doubts(summarise(metric), Doubt::interference));
}

TEST(Summarise, warns_where_the_interval_does_not_keep_its_level) {
  auto metric = time_metric();
  const double medians[] = {100, 100.1, 100.2, 100.3, 100.1, 180};
  for (std::uint32_t p = 0; p < 6; ++p) add_process(metric, p, {medians[p], medians[p] + 1, medians[p] - 1});
  EXPECT_TRUE(doubts(summarise(metric), Doubt::interval_unreliable));
  auto alone = time_metric();
  add_process(alone, 0, {1, 1.1, 1.2, 1.1, 1.3, 1.2, 1.1, 1.2, 1.1, 9, 1.2, 1.1});
  EXPECT_TRUE(doubts(summarise(alone), Doubt::interval_unreliable));
  auto wave = time_metric();
  add_process(wave, 0, {100, 101, 102, 103, 104, 105, 105, 104, 103, 102, 101, 100});
  EXPECT_TRUE(doubts(summarise(wave), Doubt::interval_unreliable));
}

TEST(Summarise, leaves_out_what_is_not_a_number) {
  auto metric = quiet(3, 10);
  metric.samples[3].total = std::numeric_limits<double>::quiet_NaN();
  const auto summary = summarise(metric);
  EXPECT_EQ(summary.n, 29u);
  EXPECT_TRUE(doubts(summary, Doubt::unavailable));
  EXPECT_TRUE(std::isfinite(summary.time->point));
}

TEST(Summarise, fills_every_metric_of_a_benchmark) {
  BenchmarkResult result;
  result.metrics = {quiet(3, 10), quiet(5, 10)};
  summarise(result);
  EXPECT_EQ(result.metrics[0].summary.processes, 3u);
  EXPECT_EQ(result.metrics[1].summary.processes, 5u);
}

TEST(PreciseEnough, compares_the_relative_half_width) {
  Summary summary;
  EXPECT_FALSE(precise_enough(summary, 0.5));
  summary.time = Estimate{100, 98.0, 102.0, 0.95, "t"};
  EXPECT_TRUE(precise_enough(summary, 0.02));
  EXPECT_FALSE(precise_enough(summary, 0.019));
}

// Expected value: tools/reference_values.py.
TEST(BetweenShare, is_the_anova_estimate) {
  const std::vector<std::vector<double>> groups{
      {10.1, 10.4, 9.8, 10.2}, {11.0, 11.3, 10.9}, {9.5, 9.9, 9.6, 9.7, 9.4}};
  EXPECT_NEAR(*between_share(groups), 0.91254436105, 1e-10);
  EXPECT_EQ(between_share(std::vector<std::vector<double>>{{1, 3}, {1, 3}}), 0.0);
  EXPECT_EQ(between_share(std::vector<std::vector<double>>{{1, 1}, {3, 3}}), 1.0);
  EXPECT_FALSE(between_share(std::vector<std::vector<double>>{{1, 2, 3}}));
  EXPECT_FALSE(between_share(std::vector<std::vector<double>>{{1}, {2}}));
  EXPECT_FALSE(between_share(std::vector<std::vector<double>>{{2, 2}, {2, 2}}));
}

TEST(CommonSteadiness, needs_two_processes_and_three_in_ten) {
  const WarmUp warming{Steadiness::warming, 3}, flat;
  EXPECT_EQ(common_steadiness(std::vector<WarmUp>{warming}), Steadiness::warming);
  EXPECT_EQ(common_steadiness(std::vector<WarmUp>{warming, flat}), Steadiness::flat);
  EXPECT_EQ(common_steadiness(std::vector<WarmUp>{warming, warming, flat, flat, flat}), Steadiness::warming);
  std::vector<WarmUp> ten(10, flat);
  ten[0] = ten[1] = warming;
  EXPECT_EQ(common_steadiness(ten), Steadiness::flat);
  ten[2] = warming;
  EXPECT_EQ(common_steadiness(ten), Steadiness::warming);
}

/// 444 of 449 right, in every process.
Metric share_of_trials(std::uint32_t processes) {
  Metric metric{"accuracy", "1", Better::more, Nature::share, "measured", {}, {}, {}};
  for (std::uint32_t p = 0; p < processes; ++p) metric.samples.push_back({p, 449, 444, {}});
  return metric;
}

TEST(Summarise, gives_a_share_wilsons_interval_however_many_processes_counted_it) {
  const auto one = summarise(share_of_trials(1)), many = summarise(share_of_trials(10));
  ASSERT_TRUE(one.time && one.time->low && one.time->high);
  EXPECT_NEAR(one.time->point, 444.0 / 449, 1e-12);
  EXPECT_NEAR(*one.time->low, 0.9741998990447701, 1e-12);
  EXPECT_NEAR(*one.time->high, 0.9952343067880162, 1e-12);
  EXPECT_EQ(*one.time, *many.time) << "the same trials tell no more";
  EXPECT_EQ(many.processes, 10U);
}

TEST(Summarise, doubts_a_share_that_differs_between_processes) {
  auto metric = share_of_trials(2);
  metric.samples[1].total = 443;
  const auto summary = summarise(metric);
  EXPECT_TRUE(doubts(summary, Doubt::changed_count));
  EXPECT_EQ(summary.time->method, "range");
}

}  // namespace
}  // namespace tare
