// Comparisons of invented results, whose truth is known.
#include "bench/compare/compare.hpp"

#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bench/analyse/simulated.hpp"
#include "bench/analyse/summarise.hpp"
#include "bench/compare/process_values.hpp"

namespace tare {
namespace {

using simulated::normal;
using testing::HasSubstr;

/// Processes of samples around `level` ns: a process effect, and noise that only ever adds.
Metric times(Random& random, double level, std::size_t processes, std::size_t samples, double between,
             double within) {
  Metric metric{"time", "ns", Better::less, Nature::noisy, "measured", {}, {}, {}};
  for (std::uint32_t p = 0; p < processes; ++p) {
    const double own = level * std::exp(between * normal(random));
    for (std::size_t i = 0; i < samples; ++i)
      metric.samples.push_back({p, 100, 100 * own * (1 + std::abs(within * normal(random))), {}});
  }
  return metric;
}

BenchmarkResult result_of(Metric metric) {
  BenchmarkResult result;
  result.id = {"b", {}};
  result.metrics.push_back(std::move(metric));
  summarise(result);
  return result;
}

BenchmarkResult result_at(double level, std::uint64_t seed, std::size_t processes = 20) {
  Random random(seed);
  return result_of(times(random, level, processes, 40, 0.002, 0.05));
}

BenchmarkResult with_count(double count, Better better = Better::less, std::string unit = "1") {
  auto result = result_at(100, 1);
  result.metrics.push_back({"allocations",
                            unit,
                            better,
                            Nature::exact,
                            "measured",
                            {},
                            {{0, 1, count, {}}, {1, 1, count, {}}},
                            {}});
  summarise(result);
  return result;
}

BenchmarkComparison compared(const BenchmarkResult& before, const BenchmarkResult& after,
                             CompareOptions options = {}) {
  Comparison comparison;
  comparison.paired = true;
  comparison.benchmarks.push_back(compare_pairs(before, after, {0.05, {1.0}}, options));
  conclude(comparison, options);
  return comparison.benchmarks.front();
}

TEST(ProcessValues, the_best_quarter_is_the_fastest_for_a_time) {
  Metric metric{"time", "ns", Better::less, Nature::noisy, "measured", {}, {}, {}};
  for (const double total : {800.0, 200.0, 100.0, 400.0, 300.0, 500.0, 700.0, 600.0})
    metric.samples.push_back({3, 10, total, {}});
  const auto values = process_values(metric);
  ASSERT_EQ(values.size(), 1u);
  EXPECT_EQ(values[0].process, 3u);
  EXPECT_DOUBLE_EQ(values[0].best_log, (std::log(10.0) + std::log(20.0)) / 2);
  EXPECT_DOUBLE_EQ(values[0].typical_log, std::log(50.0));
}

TEST(ProcessValues, the_best_quarter_is_the_largest_where_more_is_better) {
  Metric metric{"rate", "1", Better::more, Nature::noisy, "measured", {}, {}, {}};
  for (const double total : {1.0, 2.0, 3.0, 4.0}) metric.samples.push_back({0, 1, total, {}});
  EXPECT_DOUBLE_EQ(process_values(metric)[0].best_log, std::log(4.0));
}

TEST(ProcessValues, waiting_of_the_best_quarter_is_told) {
  Metric metric{"time", "ns", Better::less, Nature::noisy, "measured", {1, 0, 0, 0}, {}, {}};
  for (int i = 0; i < 8; ++i) metric.samples.push_back({0, 1, 1000.0 + i, {}});
  metric.samples[0].interference.wait_ns = 1001;
  metric.samples[5].interference.wait_ns = 900;
  EXPECT_NEAR(process_values(metric)[0].waited_log, -std::log(1 - 1001.0 / 2001), 1e-12);
  for (auto& sample : metric.samples) sample.interference.wait_ns = 50'000;
  EXPECT_NEAR(process_values(metric)[0].waited_log, std::log(20.0), 1e-12) << "never more than all of it";
  metric.overhead = {};
  EXPECT_EQ(process_values(metric)[0].waited_log, 0) << "told times know no waiting";
}

TEST(ProcessValues, waiting_is_taken_off_where_it_is_other_programs) {
  Metric metric{"time", "ns", Better::less, Nature::noisy, "measured", {1e-9, 0, 0, 0}, {}, {}};
  for (int i = 0; i < 8; ++i) metric.samples.push_back({0, 10, 1000.0 + 100 * i, {}});
  for (int i = 0; i < 8; ++i) metric.samples[i].interference.wait_ns = static_cast<std::uint64_t>(100 * i);
  const auto kept = process_values(metric, metric.overhead)[0];
  const auto off = process_values(metric, metric.overhead, Waiting::taken_off)[0];
  EXPECT_NEAR(kept.best_log, (std::log(100) + std::log(110)) / 2, 1e-9);
  EXPECT_NEAR(off.best_log, std::log(100), 1e-9);
  EXPECT_EQ(off.typical_log, kept.typical_log) << "the typical sample is as it was read";
  for (auto& sample : metric.samples) sample.interference.wait_ns = 50'000;
  EXPECT_NEAR(process_values(metric, metric.overhead, Waiting::taken_off)[0].best_log, std::log(5.25), 0.05)
      << "never all of it";
}

TEST(ProcessValues, a_process_with_a_zero_has_no_logarithm) {
  Metric metric{"time", "ns", Better::less, Nature::noisy, "measured", {}, {{0, 1, 0, {}}, {1, 1, 5, {}}},
                {}};
  const auto values = process_values(metric);
  ASSERT_EQ(values.size(), 1u);
  EXPECT_EQ(values[0].process, 1u);
}

TEST(Compare, an_error_in_one_sides_overhead_is_no_difference) {
  auto before = result_at(100, 1), after = result_at(100, 5);
  before.metrics[0].overhead = {10, 0.1, 2.0, 0.01};
  after.metrics[0].overhead = {10, 0.1, 3.5, 0.01};
  const auto row = *compared(before, after).metric("time");
  EXPECT_EQ(row.verdict, Verdict::same);
  EXPECT_NEAR(row.ratio->point, 1, 0.003);
  EXPECT_NEAR(row.before->point, 97.2, 2);
}

TEST(ProcessRatios, only_processes_of_both_sides_count) {
  const std::vector<ProcessValue> before{{0, 1, 1, 0}, {1, 2, 2, 0}, {3, 4, 4, 0}};
  const std::vector<ProcessValue> after{{1, 2.5, 3, 0}, {2, 9, 9, 0}, {3, 4.25, 4, 0}};
  EXPECT_EQ(process_ratios(before, after).best, (std::vector<double>{0.5, 0.25}));
  EXPECT_EQ(process_ratios(before, after).typical, (std::vector<double>{1, 0}));
}

TEST(Compare, a_slower_side_is_worse_with_the_ratio_in_its_interval) {
  const auto pair = compared(result_at(100, 1), result_at(103, 2));
  const auto& row = *pair.metric("time");
  EXPECT_EQ(row.verdict, Verdict::worse);
  ASSERT_TRUE(row.ratio && row.ratio->low && row.ratio->high);
  EXPECT_LT(*row.ratio->low, 1.03);
  EXPECT_GT(*row.ratio->high, 1.03);
  EXPECT_NEAR(row.mean_ratio->point, row.ratio->point, 0.002);
  EXPECT_NEAR(row.before->point, 100, 2);
  EXPECT_NEAR(row.after->point, 103, 2);
  EXPECT_LT(*row.p, 0.001);
  EXPECT_FALSE(row.processes_needed);
  EXPECT_EQ(pair.processes, 20u);
}

TEST(Compare, swapping_the_sides_swaps_the_verdict) {
  EXPECT_EQ(compared(result_at(103, 1), result_at(100, 2)).metric("time")->verdict, Verdict::better);
}

TEST(Compare, like_sides_are_the_same_within_the_margin_and_undecided_within_a_narrower_one) {
  CompareOptions options;
  const auto same = *compared(result_at(100, 1), result_at(100, 5), options).metric("time");
  EXPECT_EQ(same.verdict, Verdict::same) << same.reason;
  EXPECT_THAT(same.reason, HasSubstr("1.0 %"));
  options.margin = 0.0001;
  const auto narrow = *compared(result_at(100, 1), result_at(100, 5), options).metric("time");
  EXPECT_EQ(narrow.verdict, Verdict::undecided);
  ASSERT_TRUE(narrow.processes_needed);
  EXPECT_GT(*narrow.processes_needed, 20u);
}

TEST(Compare, few_processes_are_undecided_and_say_so) {
  const auto row = *compared(result_at(100, 1, 4), result_at(150, 2, 4)).metric("time");
  EXPECT_EQ(row.verdict, Verdict::undecided);
  EXPECT_EQ(row.reason, "too few repetitions");
  EXPECT_FALSE(row.ratio->low);
  EXPECT_EQ(row.processes_needed, 12u);
}

TEST(Compare, what_waiting_explains_is_no_regression) {
  auto before = result_at(100, 1), after = result_at(150, 5);
  for (auto* side : {&before, &after}) side->metrics[0].overhead.fixed = 1e-9;
  for (auto& sample : after.metrics[0].samples) sample.interference.wait_ns = 5000;
  const auto row = *compared(before, after).metric("time");
  EXPECT_EQ(row.verdict, Verdict::undecided);
  EXPECT_EQ(row.warnings.at(0).doubt, Doubt::uneven_interference);
  for (auto& sample : before.metrics[0].samples) sample.interference.wait_ns = 3333;
  EXPECT_EQ(compared(before, after).metric("time")->verdict, Verdict::worse)
      << "both waited a third of the time";
}

TEST(Compare, waiting_that_hits_both_sides_at_random_does_not_hinder_a_verdict) {
  auto before = result_at(100, 1), after = result_at(150, 5);
  Random random(9);
  for (auto* side : {&before, &after}) {
    side->metrics[0].overhead.fixed = 1e-9;
    for (auto& sample : side->metrics[0].samples) {
      sample.interference.wait_ns = static_cast<std::uint64_t>(0.5 * random.uniform() * sample.total);
      sample.total += static_cast<double>(sample.interference.wait_ns);
    }
  }
  const auto row = *compared(before, after).metric("time");
  EXPECT_EQ(row.verdict, Verdict::worse);
  EXPECT_NEAR(row.ratio->point, 1.5, 0.02);
}

TEST(Compare, what_only_the_typical_sample_shows_is_not_called_the_same) {
  Random random(3);
  const auto before = result_of(times(random, 100, 20, 40, 0.002, 1e-5));
  auto slowed = times(random, 100, 20, 40, 0.002, 1e-5);
  for (std::size_t i = 0; i < slowed.samples.size(); ++i)
    if (i % 10 < 7) slowed.samples[i].total *= 1.5;
  const auto row = *compared(before, result_of(slowed)).metric("time");
  EXPECT_EQ(row.verdict, Verdict::undecided);
  ASSERT_EQ(row.warnings.size(), 1u);
  EXPECT_EQ(row.warnings[0].doubt, Doubt::intermittent);
}

TEST(Compare, exact_metrics_are_compared_exactly) {
  const auto more = *compared(with_count(3), with_count(4)).metric("allocations");
  EXPECT_EQ(more.verdict, Verdict::worse);
  EXPECT_EQ(more.difference, 1);
  EXPECT_FALSE(more.p);
  EXPECT_EQ(compared(with_count(3), with_count(3)).metric("allocations")->verdict, Verdict::same);
  EXPECT_EQ(compared(with_count(3), with_count(0)).metric("allocations")->verdict, Verdict::better);
  EXPECT_EQ(compared(with_count(3, Better::more), with_count(4, Better::more)).metric("allocations")->verdict,
            Verdict::better);
  EXPECT_EQ(
      compared(with_count(3, Better::neither), with_count(4, Better::neither)).metric("allocations")->verdict,
      Verdict::undecided);
}

TEST(Compare, shares_of_the_same_trials_are_compared_as_counts) {
  const auto right = [](double count) {
    auto result = result_at(100, 1);
    result.metrics.push_back({"accuracy",
                              "1",
                              Better::more,
                              Nature::share,
                              "measured",
                              {},
                              {{0, 449, count, {}}, {1, 449, count, {}}},
                              {}});
    summarise(result);
    return result;
  };
  const auto worse = *compared(right(444), right(443)).metric("accuracy");
  EXPECT_EQ(worse.verdict, Verdict::worse) << "one answer less on the same examples";
  EXPECT_TRUE(worse.after->low < worse.after->point) << "others might tell another story";
  EXPECT_EQ(compared(right(444), right(444)).metric("accuracy")->verdict, Verdict::same);
}

TEST(Compare, a_count_that_wavers_is_undecided) {
  auto after = with_count(4);
  after.metrics[1].samples[1].total = 5;
  summarise(after);
  EXPECT_EQ(compared(with_count(3), after).metric("allocations")->verdict, Verdict::undecided);
}

TEST(Compare, units_and_directions_must_agree) {
  const auto pair = compared(with_count(3), with_count(3, Better::less, "B"));
  EXPECT_EQ(pair.outcome, Outcome::failed);
  EXPECT_THAT(pair.message, HasSubstr("'allocations' is 1 (less, exact) before and B (less, exact) after"));
  EXPECT_TRUE(pair.metrics.empty());
  EXPECT_EQ(compared(with_count(3), with_count(3, Better::more)).outcome, Outcome::failed);
}

TEST(Compare, a_zero_time_has_no_ratio) {
  auto after = result_at(100, 2);
  after.metrics[0].samples[7].total = 0;
  summarise(after);
  const auto pair = compared(result_at(100, 1), after);
  EXPECT_EQ(pair.outcome, Outcome::failed);
  EXPECT_THAT(pair.message, HasSubstr("after: time is zero"));
}

TEST(Compare, below_resolution_costs_the_time_only) {
  auto before = with_count(3), after = with_count(4);
  after.metrics[0].overhead = {0, 0, 99.99, 1};
  const auto pair = compared(before, after);
  EXPECT_EQ(pair.outcome, Outcome::ok);
  const auto& time = *pair.metric("time");
  EXPECT_EQ(time.verdict, Verdict::undecided);
  EXPECT_FALSE(time.ratio);
  EXPECT_EQ(time.warnings.at(0).doubt, Doubt::below_resolution);
  EXPECT_EQ(pair.metric("allocations")->verdict, Verdict::worse);
}

TEST(Compare, the_side_that_failed_is_named) {
  auto after = result_at(100, 2);
  after.outcome = Outcome::check_failed;
  after.message = "gradient off by 3";
  const auto pair = compared(result_at(100, 1), after);
  EXPECT_EQ(pair.outcome, Outcome::check_failed);
  EXPECT_EQ(pair.message, "after: gradient off by 3");
}

TEST(Compare, a_metric_with_few_readings_shows_its_range_and_no_verdict) {
  auto before = result_at(100, 1), after = result_at(100, 2);
  const auto add = [](BenchmarkResult& result, double a, double b) {
    result.metrics.push_back(
        {"peak_bytes", "B", Better::less, Nature::noisy, "measured", {}, {{0, 1, a, {}}, {1, 1, b, {}}}, {}});
    summarise(result);
  };
  add(before, 100, 110);
  add(after, 220, 231);
  const auto row = *compared(before, after).metric("peak_bytes");
  EXPECT_EQ(row.verdict, Verdict::undecided);
  EXPECT_FALSE(row.p);
  EXPECT_DOUBLE_EQ(*row.ratio->low, 2.0);
  EXPECT_DOUBLE_EQ(*row.ratio->high, 2.31);
}

TEST(Conclude, other_metrics_do_not_make_a_time_less_certain) {
  CompareOptions options;
  Comparison comparison;
  for (std::uint64_t i = 0; i < 4; ++i)
    comparison.benchmarks.push_back(
        compare_pairs(result_at(100, 1), result_at(100, 100 + i), {0.0125, {1.0}}, options));
  for (auto& pair : comparison.benchmarks) {
    pair.metrics.push_back(pair.metrics[0]);
    pair.metrics.back().metric = "latency_p99";
    pair.metrics.push_back(pair.metrics[0]);
    pair.metrics.back().metric = "peak_live";
    for (auto& row : pair.metrics) row.p = 0.01;
  }
  conclude(comparison, options);
  for (const auto& pair : comparison.benchmarks) {
    EXPECT_DOUBLE_EQ(*pair.metrics[0].corrected_p, 0.04);
    EXPECT_DOUBLE_EQ(*pair.metrics[1].corrected_p, 0.08);
    EXPECT_DOUBLE_EQ(*pair.metrics[2].corrected_p, 0.08);
  }
}

TEST(Conclude, the_correction_counts_every_benchmark_of_the_suite) {
  CompareOptions options;
  Comparison comparison;
  for (int i = 0; i < 10; ++i)
    comparison.benchmarks.push_back(compare_pairs(
        result_at(100, 1), result_at(100, 100 + static_cast<std::uint64_t>(i)), {0.005, {1.0}}, options));
  comparison.benchmarks[3].metrics[0].p = 0.02;
  conclude(comparison, options);
  EXPECT_EQ(comparison.correction, "Holm");
  EXPECT_DOUBLE_EQ(*comparison.benchmarks[3].metrics[0].corrected_p, 0.2);
  EXPECT_NE(comparison.benchmarks[3].metrics[0].verdict, Verdict::worse);
  options.correction = Correction::none;
  conclude(comparison, options);
  EXPECT_DOUBLE_EQ(*comparison.benchmarks[3].metrics[0].corrected_p, 0.02);
}

TEST(Conclude, what_it_would_take_grows_with_the_suite) {
  CompareOptions options;
  Comparison comparison;
  for (int i = 0; i < 200; ++i)
    comparison.benchmarks.push_back(
        compare_pairs(result_at(100, 1, 7), result_at(200, 2, 7), {0.05 / 200, {1.0}}, options));
  conclude(comparison, options);
  const auto& row = comparison.benchmarks[0].metrics[0];
  EXPECT_EQ(row.verdict, Verdict::undecided) << "7 pairs cannot be surer than 1 in 64";
  EXPECT_EQ(row.processes_needed, 13u);
}

TEST(Conclude, the_geometric_mean_has_the_measurements_uncertainty) {
  CompareOptions options;
  Comparison comparison;
  comparison.benchmarks.push_back(
      compare_pairs(result_at(100, 1), result_at(200, 2), {0.025, {1.0}}, options));
  comparison.benchmarks.push_back(
      compare_pairs(result_at(100, 3), result_at(50, 4), {0.025, {1.0}}, options));
  conclude(comparison, options);
  ASSERT_TRUE(comparison.geometric_mean);
  EXPECT_NEAR(comparison.geometric_mean->point, 1, 0.01);
  EXPECT_LT(*comparison.geometric_mean->low, 1);
  EXPECT_GT(*comparison.geometric_mean->high, 1);
  EXPECT_LT(*comparison.geometric_mean->high - *comparison.geometric_mean->low, 0.02);
}

TEST(Decides, looks_now_and_then_and_stops_at_a_clear_difference) {
  Looks looks{0.05, {}};
  EXPECT_FALSE(decides(result_at(100, 1, 5), result_at(200, 2, 5), 0.1, looks));
  EXPECT_TRUE(looks.fractions.empty()) << "fewer than six cannot decide, so the look is saved";
  EXPECT_FALSE(decides(result_at(100, 1, 6), result_at(200, 2, 6), 0.15, looks))
      << "1 in 32 is not sure enough yet";
  EXPECT_FALSE(decides(result_at(100, 1, 7), result_at(200, 2, 7), 0.17, looks));
  EXPECT_EQ(looks.fractions, (std::vector<double>{0.15})) << "too soon after the last look";
  EXPECT_TRUE(decides(result_at(100, 1, 12), result_at(200, 2, 12), 0.3, looks));
  EXPECT_EQ(fewest_pairs(0.05), least_pairs);
  EXPECT_EQ(fewest_pairs(0.05 / 200), 13U) << "2 in 8192";
  Looks of_suite{0.05 / 200, {}};
  EXPECT_FALSE(decides(result_at(100, 1, 12), result_at(200, 2, 12), 0.3, of_suite));
  EXPECT_TRUE(of_suite.fractions.empty()) << "nor can twelve among two hundred benchmarks";
  Looks last{0.05, {0.95}};
  EXPECT_FALSE(decides(result_at(100, 1), result_at(100, 5), 1, last));
  EXPECT_EQ(last.fractions.size(), 2u) << "the end is always looked at";
}

TEST(CompareRuns, matches_names_and_says_what_has_no_partner) {
  tare::Run before, after;
  before.id = 4;
  after.id = 7;
  before.results = {result_at(100, 1), result_at(100, 3)};
  before.results[1].id.name = "gone";
  after.results = {result_at(110, 2), result_at(100, 4)};
  after.results[1].id.name = "fresh";
  const auto comparison = compare_runs(before, after, {});
  ASSERT_EQ(comparison.benchmarks.size(), 1u);
  EXPECT_EQ(comparison.benchmarks[0].metric("time")->verdict, Verdict::worse);
  EXPECT_EQ(comparison.only_before, std::vector<std::string>{"gone"});
  EXPECT_EQ(comparison.only_after, std::vector<std::string>{"fresh"});
  EXPECT_FALSE(comparison.paired);
  EXPECT_EQ(comparison.warnings.at(0).doubt, Doubt::uncontrolled_drift);
  EXPECT_EQ(comparison.before.run, 4);
}

TEST(CompareRuns, refuses_other_work_and_stamps_what_was_allowed) {
  tare::Run before, after;
  before.results = {result_at(100, 1)};
  after.results = {result_at(110, 2)};
  after.results[0].workload.threads = 2;
  const auto refused = compare_runs(before, after, {}).benchmarks.front();
  EXPECT_FALSE(refused.comparable);
  EXPECT_TRUE(refused.metrics.empty());
  EXPECT_THAT(refused.message, HasSubstr("threads is 1 before and 2 after; --allow threads"));
  CompareOptions options;
  options.allowed = {"threads"};
  const auto stamped = compare_runs(before, after, options).benchmarks.front();
  EXPECT_TRUE(stamped.comparable);
  EXPECT_EQ(stamped.differences, (std::vector<Difference>{{"threads", "1", "2"}}));
  EXPECT_EQ(stamped.metric("time")->verdict, Verdict::worse);
}

}  // namespace
}  // namespace tare
