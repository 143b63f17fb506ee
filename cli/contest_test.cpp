// Contests of commands whose times are told.
#include "cli/contest.hpp"

#include <algorithm>
#include <cmath>
#include <gmock/gmock.h>
#include <map>
#include <random>
#include <set>

namespace tare::cli {
namespace {

using std::chrono::milliseconds;
using testing::Each;
using testing::HasSubstr;
using testing::SizeIs;

constexpr double ms = 1e6;

/// Commands with told times on a told clock.
struct Stage {
  std::vector<double> means;  ///< ns
  double noise = 0.01;
  double shell = 1 * ms;
  double drift = 0;                            ///< relative, per execution
  std::map<std::size_t, Executed> wrong = {};  ///< by the number of the execution
  std::vector<std::size_t> order = {};
  std::vector<std::optional<int>> cpus = {};
  double clock = 0;
  std::mt19937_64 random{7};

  std::vector<BenchmarkResult> commands() const {
    std::vector<BenchmarkResult> results(means.size());
    for (std::size_t i = 0; i < means.size(); ++i)
      results[i].id.name = std::string(1, static_cast<char>('a' + i));
    return results;
  }
  Executed execute(std::size_t which, std::optional<int> cpu) {
    const auto number = order.size();
    order.push_back(which);
    cpus.push_back(cpu);
    std::normal_distribution<double> normal(0, noise);
    Executed executed;
    const double mean = which == means.size() ? shell : means[which] + shell;
    executed.wall_ns = mean * std::exp(normal(random) + drift * static_cast<double>(number));
    executed.cpu_ns = executed.wall_ns / 2;
    executed.peak_rss_bytes = 5e6;
    clock += executed.wall_ns / 1e9;
    if (const auto found = wrong.find(number); found != wrong.end()) return found->second;
    return executed;
  }
  Contest hold(const ContestPlan& plan, const CompareOptions& options = {}) {
    ContestHooks hooks;
    hooks.run = [this](std::size_t which, std::optional<int> cpu) {
      return Result<Executed>(execute(which, cpu));
    };
    hooks.clock = [this] { return clock; };
    return hold_contest(commands(), plan, options, hooks);
  }
};

ContestPlan exactly(std::size_t rounds) {
  ContestPlan plan;
  plan.rounds = rounds;
  plan.seed = 3;
  return plan;
}

Comparison concluded(Contest contest, const CompareOptions& options = {}) {
  Comparison comparison;
  comparison.benchmarks = std::move(contest.pairs);
  conclude(comparison, options);
  return comparison;
}

Verdict verdict_of(Stage stage, const ContestPlan& plan) {
  const auto comparison = concluded(stage.hold(plan));
  EXPECT_THAT(comparison.benchmarks, SizeIs(1));
  const auto* time = comparison.benchmarks.at(0).metric("time");
  EXPECT_NE(time, nullptr) << comparison.benchmarks.at(0).message;
  return time == nullptr ? Verdict::undecided : time->verdict;
}

TEST(Contest, faster_slower_same_undecided) {
  EXPECT_EQ(verdict_of({{10 * ms, 9 * ms}}, exactly(20)), Verdict::better);
  EXPECT_EQ(verdict_of({{10 * ms, 11 * ms}}, exactly(20)), Verdict::worse);
  EXPECT_EQ(verdict_of({{10 * ms, 10 * ms}, 0.001}, exactly(20)), Verdict::same);
  EXPECT_EQ(verdict_of({{10 * ms, 10 * ms}, 0.2}, exactly(20)), Verdict::undecided);
  EXPECT_EQ(verdict_of({{10 * ms, 20 * ms}}, exactly(3)), Verdict::undecided)
      << "three rounds cannot be sure";
}

TEST(Contest, a_round_is_everybody_forward_and_backward) {
  Stage stage{{1 * ms, 1 * ms, 1 * ms}};
  const auto contest = stage.hold(exactly(30));
  EXPECT_EQ(contest.rounds, 30);
  ASSERT_THAT(stage.order, SizeIs(30 * 8));
  std::map<std::size_t, int> firsts;
  for (std::size_t begin = 0; begin < stage.order.size(); begin += 8) {
    const std::vector<std::size_t> round(stage.order.begin() + static_cast<long>(begin),
                                         stage.order.begin() + static_cast<long>(begin) + 8);
    EXPECT_EQ(round, std::vector<std::size_t>(round.rbegin(), round.rend()));
    EXPECT_EQ(std::set<std::size_t>(round.begin(), round.end()).size(), 4);
    ++firsts[round.front()];
  }
  EXPECT_THAT(firsts, SizeIs(4)) << "the order is drawn anew";
}

TEST(Contest, rounds_take_turns_on_the_cpus_and_share_one) {
  Stage stage{{1 * ms, 1 * ms}};
  auto plan = exactly(4);
  plan.cpus = {3, 5};
  plan.shell = false;
  stage.hold(plan);
  ASSERT_THAT(stage.cpus, SizeIs(16));
  for (std::size_t i = 0; i < 16; ++i) EXPECT_EQ(stage.cpus[i], stage.cpus[i / 4 * 4]);
  EXPECT_NE(stage.cpus[0], stage.cpus[4]);
  EXPECT_EQ(stage.cpus[0], stage.cpus[8]);
}

TEST(Contest, drift_is_no_difference) {
  Stage stage{{10 * ms, 10 * ms}, 0.001, 0, 0.005};
  auto plan = exactly(40);
  plan.shell = false;
  const auto comparison = concluded(stage.hold(plan));
  const auto* time = comparison.benchmarks.at(0).metric("time");
  ASSERT_NE(time, nullptr);
  EXPECT_NEAR(time->ratio->point, 1, 0.005) << "although a round is 2 % slower at its end";
  EXPECT_LT(*time->ratio->low, 1);
  EXPECT_GT(*time->ratio->high, 1);
}

TEST(Contest, a_round_counts_by_the_better_of_two_times) {
  Stage stage{{10 * ms, 10 * ms}, 0.0001};
  auto plan = exactly(10);
  plan.shell = false;
  Executed disturbed;
  disturbed.wall_ns = 90 * ms;
  for (std::size_t round = 0; round < 10; ++round) stage.wrong[4 * round] = disturbed;
  const auto contest = stage.hold(plan);
  EXPECT_NEAR(contest.pairs[0].metric("time")->ratio->point, 1, 0.001);
}

TEST(Contest, the_shell_is_taken_off_and_the_samples_stay) {
  Stage stage{{1 * ms, 3 * ms}, 0.001, 4 * ms};
  const auto contest = stage.hold(exactly(10));
  const auto& time = contest.results[0].metrics[0];
  EXPECT_NEAR(time.overhead.fixed, 4 * ms, 0.01 * ms);
  EXPECT_GT(time.overhead.fixed_error, 0);
  EXPECT_THAT(time.samples, SizeIs(20));
  for (const auto& sample : time.samples) EXPECT_NEAR(sample.total, 5 * ms, 0.1 * ms);
  EXPECT_NEAR(time.summary.time->point, 1 * ms, 0.02 * ms);
  EXPECT_NEAR(contest.pairs[0].metric("time")->ratio->point, 3, 0.05);
}

TEST(Contest, few_rounds_still_know_the_shell) {
  Stage stage{{10 * ms}, 0.01};
  const auto contest = stage.hold(exactly(1));
  EXPECT_EQ(std::count(stage.order.begin(), stage.order.end(), std::size_t{1}), 20);
  EXPECT_THAT(contest.results[0].metrics[0].samples, SizeIs(2));
}

TEST(Contest, what_is_not_above_the_shell_has_no_time_but_may_be_compared) {
  const auto doubted = testing::Contains(testing::Field(&Warning::doubt, Doubt::below_resolution));
  const auto contest = Stage{{0, 20 * ms}, 0.05}.hold(exactly(10));
  const auto& summary = contest.results[0].metrics[0].summary;
  EXPECT_FALSE(summary.time);
  EXPECT_THAT(summary.warnings, doubted);
  const auto comparison = concluded(contest);
  ASSERT_EQ(comparison.benchmarks[0].outcome, Outcome::ok);
  const auto* time = comparison.benchmarks[0].metric("time");
  EXPECT_EQ(time->verdict, Verdict::worse);
  EXPECT_NEAR(time->ratio->point, 21, 2) << "with the shell in both";
  EXPECT_THAT(time->warnings, doubted);
  EXPECT_THAT(time->warnings[0].text, HasSubstr("--no-shell"));
}

TEST(Contest, ends_early_only_when_all_are_decided) {
  ContestPlan plan;
  plan.budget = milliseconds(10000);
  Stage plain{{10 * ms, 20 * ms}};
  EXPECT_LT(plain.hold(plan).seconds, 4);
  Stage one_open{{10 * ms, 20 * ms, 10.05 * ms}, 0.3};
  const auto contest = one_open.hold(plan);
  EXPECT_GT(contest.seconds, 9.5);
  EXPECT_LE(contest.seconds, 10.5);
  Stage same{{10 * ms, 10 * ms, 20 * ms}, 0.001};
  EXPECT_LT(same.hold(plan).seconds, 4) << "the same is decided too";
}

TEST(Contest, as_many_rounds_as_a_verdict_takes_whatever_the_budget) {
  ContestPlan plan;
  plan.budget = milliseconds(1);
  Stage stage{{10 * ms, 20 * ms}};
  const auto contest = stage.hold(plan);
  EXPECT_EQ(contest.rounds, 6);
  EXPECT_EQ(concluded(contest).benchmarks[0].metric("time")->verdict, Verdict::worse);
  plan.alpha = 0.05 / 2;
  const auto both = concluded(Stage{{10 * ms, 20 * ms, 30 * ms}}.hold(plan));
  EXPECT_EQ(both.benchmarks[0].rounds, 7);
  EXPECT_EQ(both.benchmarks[0].metric("time")->verdict, Verdict::worse);
}

TEST(Contest, false_alarms_stay_below_the_level_with_early_looks) {
  ContestPlan plan;
  plan.budget = milliseconds(2000);
  int alarms = 0;
  constexpr int contests = 120;
  for (int i = 0; i < contests; ++i) {
    Stage stage{{10 * ms, 10 * ms}, 0.1};
    stage.random.seed(static_cast<std::uint64_t>(i));
    plan.seed = static_cast<std::uint64_t>(i);
    const auto verdict = concluded(stage.hold(plan)).benchmarks[0].metric("time")->verdict;
    alarms += verdict == Verdict::better || verdict == Verdict::worse ? 1 : 0;
  }
  // 5 % of 120 is 6; 14 or more have a chance of 1 in 300 at exactly 5 %.
  EXPECT_LT(alarms, 14);
  EXPECT_GT(alarms, 0);
}

TEST(Contest, the_verdict_is_on_time_alone) {
  const auto comparison = concluded(Stage{{10 * ms, 20 * ms}}.hold(exactly(10)));
  for (const auto& row : comparison.benchmarks[0].metrics) {
    EXPECT_EQ(row.p.has_value(), row.metric == "time");
    EXPECT_EQ(row.verdict == Verdict::worse, row.metric == "time") << row.metric;
  }
  EXPECT_THAT(comparison.benchmarks[0].metrics, SizeIs(3));
}

TEST(Contest, a_failure_keeps_the_rounds_before_it) {
  Stage stage{{10 * ms, 20 * ms, 30 * ms}};
  Executed crash;
  crash.outcome = Outcome::crashed;
  crash.ending = "signal 11 (Segmentation fault)";
  for (std::size_t i = 80; i < 90; ++i) stage.wrong[i] = crash;  // in the 11th round of 8 executions
  const auto contest = stage.hold(exactly(20));
  EXPECT_EQ(contest.rounds, 10);
  int crashed = 0;
  for (const auto& result : contest.results) {
    crashed += result.outcome == Outcome::crashed ? 1 : 0;
    EXPECT_THAT(result.metrics[0].samples, SizeIs(20));
  }
  EXPECT_EQ(crashed, 1);
}

TEST(Contest, who_failed_before_is_left_out) {
  Stage stage{{10 * ms, 20 * ms, 30 * ms}};
  auto commands = stage.commands();
  commands[1].outcome = Outcome::failed;
  commands[1].message = "exit code 1";
  ContestHooks hooks;
  hooks.run = [&](std::size_t which, std::optional<int> cpu) {
    return Result<Executed>(stage.execute(which, cpu));
  };
  const auto contest = hold_contest(commands, exactly(6), {}, hooks);
  EXPECT_THAT(stage.order, Each(testing::Ne(1U)));
  EXPECT_EQ(contest.pairs[0].outcome, Outcome::failed);
  EXPECT_THAT(contest.pairs[0].message, HasSubstr("exit code 1"));
  EXPECT_EQ(contest.pairs[1].outcome, Outcome::ok);

  commands[2].outcome = Outcome::failed;
  stage.order.clear();
  const auto nobody = hold_contest(commands, exactly(6), {}, hooks);
  EXPECT_THAT(stage.order, SizeIs(0));
  EXPECT_EQ(nobody.results[0].outcome, Outcome::skipped);
  EXPECT_EQ(nobody.pairs[1].outcome, Outcome::failed);
}

TEST(Contest, memory_that_is_unknown_once_is_not_told) {
  Stage stage{{10 * ms}};
  Executed small;
  small.wall_ns = 10 * ms;
  stage.wrong[0] = stage.wrong[1] = stage.wrong[2] = small;
  const auto contest = stage.hold(exactly(6));
  EXPECT_FALSE(contest.results[0].metric("peak_rss")->available());
  EXPECT_THAT(contest.results[0].metric("peak_rss")->samples, SizeIs(0));
}

TEST(Contest, too_near_to_the_shell_the_shell_stays_in_the_ratio) {
  Stage stage{{0.5 * ms, 1.5 * ms}, 0.4};
  const auto contest = stage.hold(exactly(40));
  ASSERT_EQ(contest.pairs[0].outcome, Outcome::ok) << contest.pairs[0].message;
  const auto* time = contest.pairs[0].metric("time");
  EXPECT_LT(time->ratio->point, 2.3) << "2.5 ÷ 1.5, not 1.5 ÷ 0.5";
  EXPECT_THAT(time->warnings, testing::Contains(testing::Field(&Warning::doubt, Doubt::overhead)));
}

}  // namespace
}  // namespace tare::cli
