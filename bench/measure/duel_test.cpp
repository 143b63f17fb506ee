// Duels against workers on threads of this process, whose bodies tell their times: nothing here depends on
// how fast the machine is.
#include "bench/measure/duel.hpp"

#include <gtest/gtest.h>
#include <set>

#include "bench/define/context.hpp"
#include "bench/define/registry.hpp"

namespace tare {
namespace {

using namespace std::chrono_literals;

DuelPlan small_plan() {
  DuelPlan plan;
  plan.plan.processes = 3;
  plan.plan.budget = 1s;
  plan.plan.meters = {};
  plan.rounds = 4;
  return plan;
}

/// Two registries with one benchmark each, and a record of who was asked in which order.
struct Ring {
  Registry before, after;
  std::atomic<bool> cancelled{false};
  std::string order;  ///< "A" or "B" per call of a body

  void add(Registry& registry, char side, std::chrono::nanoseconds time) {
    registry.add("b",
                 [this, side, time](Context& c) {
                   c.measure_told([this, side, time] {
                     order += side;
                     return time;
                   });
                 },
                 {});
  }
  StartOnCpu start(const Registry& registry) {
    return [&](Instant, std::optional<int>) { return Worker::in_process(registry, &cancelled); };
  }
  DuelResult duel(const DuelPlan& plan = small_plan(), const DuelHooks& hooks = {}) {
    const Listed listed{{"b", {}}, {}, ""};
    return measure_duel({listed, start(before)}, {listed, start(after)}, plan, hooks);
  }
};

TEST(Duel, both_sides_have_the_same_samples_in_the_same_processes) {
  Ring ring;
  ring.add(ring.before, 'A', 2ms);
  ring.add(ring.after, 'B', 3ms);
  const auto result = ring.duel();
  ASSERT_EQ(result.before.outcome, Outcome::ok) << result.before.message;
  ASSERT_EQ(result.after.outcome, Outcome::ok) << result.after.message;
  EXPECT_EQ(result.processes, 3u);
  EXPECT_EQ(result.rounds, 12u);
  const auto &a = result.before.metric("time")->samples, &b = result.after.metric("time")->samples;
  ASSERT_EQ(a.size(), 24u);
  ASSERT_EQ(b.size(), 24u);
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].process, i / 8);
    EXPECT_EQ(b[i].process, i / 8);
    EXPECT_EQ(a[i].iterations, b[i].iterations) << "one count for both sides";
    EXPECT_DOUBLE_EQ(a[i].total, 2e6 * static_cast<double>(a[i].iterations));
    EXPECT_DOUBLE_EQ(b[i].total, 3e6 * static_cast<double>(b[i].iterations));
  }
}

TEST(Duel, a_round_is_one_of_two_mirrored_orders_and_both_occur) {
  Ring ring;
  ring.add(ring.before, 'A', 2ms);
  ring.add(ring.after, 'B', 2ms);
  auto plan = small_plan();
  plan.plan.processes = 1;
  plan.rounds = 64;
  const auto result = ring.duel(plan);
  ASSERT_EQ(result.before.metric("time")->samples.front().iterations, 1u);
  // What precedes the rounds: first calls, calibration, warming.
  const auto rounds = ring.order.substr(ring.order.size() - 4 * 64);
  std::set<std::string> seen;
  for (std::size_t r = 0; r < 64; ++r) seen.insert(rounds.substr(4 * r, 4));
  EXPECT_EQ(seen, (std::set<std::string>{"ABBA", "BAAB"}));
}

TEST(Duel, the_side_that_goes_first_is_drawn_for_each_pair) {
  Ring ring;
  std::string starts;
  ring.add(ring.before, 'A', 2ms);
  ring.add(ring.after, 'B', 2ms);
  const auto told = [&](char side, const StartOnCpu& start) {
    return [&starts, side, start](Instant deadline, std::optional<int> cpu) {
      starts += side;
      return start(deadline, cpu);
    };
  };
  const Listed listed{{"b", {}}, {}, ""};
  auto plan = small_plan();
  plan.plan.processes = 40;
  plan.rounds = 1;
  measure_duel({listed, told('A', ring.start(ring.before))}, {listed, told('B', ring.start(ring.after))},
               plan, {});
  std::set<std::string> seen;
  for (std::size_t i = 0; i < starts.size(); i += 2) seen.insert(starts.substr(i, 2));
  EXPECT_EQ(seen, (std::set<std::string>{"AB", "BA"}));
}

TEST(Duel, a_pair_shares_a_cpu_that_is_drawn_for_it) {
  Ring ring;
  ring.add(ring.before, 'A', 2ms);
  ring.add(ring.after, 'B', 2ms);
  std::vector<int> cpus;
  const auto noting = [&](const StartOnCpu& start) {
    return [&cpus, start](Instant deadline, std::optional<int> cpu) {
      cpus.push_back(cpu.value_or(-1));
      return start(deadline, cpu);
    };
  };
  const Listed listed{{"b", {}}, {}, ""};
  auto plan = small_plan();
  plan.plan.processes = 40;
  plan.rounds = 1;
  plan.cpus = {5, 7};
  measure_duel({listed, noting(ring.start(ring.before))}, {listed, noting(ring.start(ring.after))}, plan, {});
  ASSERT_EQ(cpus.size(), 80u);
  for (std::size_t i = 0; i < cpus.size(); i += 2) EXPECT_EQ(cpus[i], cpus[i + 1]);
  EXPECT_EQ(std::set<int>(cpus.begin(), cpus.end()), (std::set<int>{5, 7}));
}

TEST(Duel, bodies_with_threads_are_not_crowded_onto_one_cpu) {
  Ring ring;
  for (auto* registry : {&ring.before, &ring.after})
    registry->add("b", [](Context& c) { c.measure([](int) {}); }, {}).threads({2});
  std::vector<int> cpus;
  const auto noting = [&](const StartOnCpu& start) {
    return [&cpus, start](Instant deadline, std::optional<int> cpu) {
      cpus.push_back(cpu.value_or(-1));
      return start(deadline, cpu);
    };
  };
  const Listed listed{{"b", {{"threads", "2"}}}, {}, ""};
  auto plan = small_plan();
  plan.plan.processes = 1;
  plan.rounds = 1;
  plan.cpus = {0};
  const auto result = measure_duel({listed, noting(ring.start(ring.before))},
                                   {listed, noting(ring.start(ring.after))}, plan, {});
  EXPECT_EQ(result.before.outcome, Outcome::ok) << result.before.message;
  EXPECT_EQ(cpus, (std::vector<int>{0, 0, -1, -1}));
  EXPECT_EQ(result.before.metric("cold_time")->samples.size(), 1u) << "nothing of the first attempt is kept";
}

TEST(Duel, the_faster_side_gets_samples_that_are_long_enough) {
  Ring ring;
  ring.add(ring.before, 'A', 100us);
  ring.add(ring.after, 'B', 10us);
  auto plan = small_plan();
  plan.plan.processes = 1;
  plan.rounds = 1;
  const auto result = ring.duel(plan);
  const auto& fast = result.after.metric("time")->samples.front();
  EXPECT_GE(fast.total, 150e3);
  EXPECT_EQ(fast.iterations, result.before.metric("time")->samples.front().iterations);
}

TEST(Duel, stops_when_told_that_it_is_decided) {
  Ring ring;
  ring.add(ring.before, 'A', 2ms);
  ring.add(ring.after, 'B', 3ms);
  std::vector<double> fractions;
  DuelHooks hooks;
  hooks.decided = [&](BenchmarkResult& a, BenchmarkResult& b, double fraction) {
    EXPECT_EQ(a.metric("time")->samples.size(), b.metric("time")->samples.size());
    fractions.push_back(fraction);
    return fractions.size() == 2;
  };
  auto plan = small_plan();
  plan.plan.processes = 4;
  const auto result = ring.duel(plan, hooks);
  EXPECT_EQ(result.processes, 2u);
  EXPECT_EQ(fractions, (std::vector<double>{0.25, 0.5}));
}

TEST(Duel, says_when_no_further_pair_will_come) {
  Ring ring;
  ring.add(ring.before, 'A', 2ms);
  ring.add(ring.after, 'B', 3ms);
  double last = 0;
  DuelHooks hooks;
  hooks.decided = [&](BenchmarkResult&, BenchmarkResult&, double fraction) {
    last = fraction;
    return false;
  };
  ring.duel(small_plan(), hooks);
  EXPECT_EQ(last, 1.0);
}

TEST(Duel, a_side_that_fails_has_the_outcome_and_the_other_keeps_its_samples) {
  Ring ring;
  ring.add(ring.before, 'A', 2ms);
  int process = 0;
  ring.after.add("b",
                 [&process](Context& c) {
                   if (++process == 2) throw std::runtime_error("second process");
                   c.measure_told([] { return 2ms; });
                 },
                 {});
  const auto result = ring.duel();
  EXPECT_EQ(result.after.outcome, Outcome::failed);
  EXPECT_EQ(result.after.message, "second process");
  EXPECT_TRUE(result.after.metrics.empty()) << "a time must not survive a failure";
  EXPECT_EQ(result.before.outcome, Outcome::ok);
  EXPECT_EQ(result.before.metric("time")->samples.size(), 8u);
}

TEST(Duel, meters_and_counters_are_read_on_both_sides) {
  Ring ring;
  for (auto* registry : {&ring.before, &ring.after})
    registry->add("b",
                  [](Context& c) {
                    c.counter({"entries", 5});
                    c.measure([] { keep(std::vector<int>(10)); });
                  },
                  {});
  auto plan = small_plan();
  plan.plan.meters = {"allocations"};
  const auto result = ring.duel(plan);
  for (const auto* side : {&result.before, &result.after}) {
    ASSERT_NE(side->metric("allocations"), nullptr);
    if (side->metric("allocations")->available()) {
      EXPECT_EQ(side->metric("allocations")->samples.size(), 2u);
    }
    EXPECT_EQ(side->metric("entries")->samples.size(), 3u);
  }
}

TEST(Duel, a_pair_gets_a_fortieth_of_the_budget_or_four_times_its_start) {
  DuelPlan plan;
  plan.plan.budget = 4s;
  EXPECT_EQ(share_of_pair(plan, 1ms), 100ms);
  EXPECT_EQ(share_of_pair(plan, 50ms), 200ms);
  EXPECT_EQ(share_of_pair(plan, 3s), 400ms);
  plan.pairs = 20;
  EXPECT_EQ(share_of_pair(plan, 3s), 200ms) << "one of many benchmarks needs more of them";
  plan.plan.processes = 5;
  EXPECT_EQ(share_of_pair(plan, 3s), 800ms);
}

}  // namespace
}  // namespace tare
