// The runner against workers on a thread of this process, whose bodies tell their times: nothing here depends
// on how fast the machine is.
#include "bench/measure/runner.hpp"

#include <array>
#include <gtest/gtest.h>
#include <set>

#include "bench/define/context.hpp"
#include "bench/define/registry.hpp"

namespace tare {
namespace {

using namespace std::chrono_literals;

Plan small_plan() {
  Plan plan;
  plan.processes = 3;
  plan.samples = 4;
  plan.meters = {};
  plan.budget = 1s;
  return plan;
}

struct Bench {
  Registry registry;
  std::atomic<bool> cancelled{false};

  BenchmarkResult measure(const Plan& plan = small_plan(), const Hooks& hooks = {}) {
    const StartWorker start = [&](Instant) { return Worker::in_process(registry, &cancelled); };
    auto listed = list_benchmarks(start);
    EXPECT_TRUE(listed);
    return measure_in_turns(std::array{Entrant{listed->front(), start, hooks}}, plan).front();
  }
};

TEST(Runner, benchmarks_take_turns_to_and_fro_and_leave_when_they_are_done) {
  Bench bench;
  for (const char* name : {"a", "b", "c"}) {
    bench.registry.add(name,
                       [](Context& c) {
                         if (c.id().name == "b") c.skip("not here");
                         c.measure([] {});
                       },
                       {});
  }
  const StartWorker plain = [&](Instant) { return Worker::in_process(bench.registry, &bench.cancelled); };
  const auto listed = list_benchmarks(plain).value();
  std::string order;
  std::vector<Entrant> entrants;
  for (const auto& one : listed)
    entrants.push_back({one,
                        [&, name = one.id.name](Instant) {
                          order += name;
                          return Worker::in_process(bench.registry, &bench.cancelled);
                        },
                        {}});
  Plan plan = small_plan();
  plan.processes = 3;
  const auto results = measure_in_turns(entrants, plan);
  EXPECT_EQ(order, "abccaac");
  ASSERT_EQ(results.size(), 3u);
  EXPECT_EQ(results[0].outcome, Outcome::ok);
  EXPECT_EQ(results[1].outcome, Outcome::skipped);
  EXPECT_EQ(results[2].id.name, "c");
}

TEST(Runner, measures_processes_times_samples) {
  Bench bench;
  bench.registry
      .add("b",
           [](Context& c) {
             c.workload().shape = {3};
             c.items(5).label("text").counter({"tape", 7, "B"});
             c.measure_told([] { return 2ms; });
           },
           {})
      .param("n", list({4}))
      .tag("k", "v");
  const auto result = bench.measure();
  EXPECT_EQ(result.outcome, Outcome::ok) << result.message;
  EXPECT_EQ(result.id.full(), "b/n=4");
  EXPECT_EQ(result.tags.at("k"), "v");
  EXPECT_EQ(result.workload.shape, (std::vector<std::int64_t>{3}));
  EXPECT_EQ(result.workload.seed, 1u);
  EXPECT_EQ(result.throughput.items, 5);
  EXPECT_EQ(result.label, "text");
  ASSERT_NE(result.metric("time"), nullptr);
  const auto& time = *result.metric("time");
  ASSERT_EQ(time.samples.size(), 12u);
  for (std::size_t i = 0; i < 12; ++i) {
    EXPECT_EQ(time.samples[i].process, i / 4);
    EXPECT_DOUBLE_EQ(time.value(time.samples[i]), 2e6) << "told times carry no overhead of the clock";
  }
  EXPECT_EQ(result.metric("cold_time")->samples.size(), 3u);
  EXPECT_EQ(result.cold_ns, 2e6);
  ASSERT_NE(result.metric("tape"), nullptr);
  EXPECT_EQ(result.metric("tape")->samples.size(), 3u);
  EXPECT_EQ(result.metric("tape")->nature, Nature::exact);
}

TEST(Runner, calibrates_once_and_keeps_the_count) {
  Bench bench;
  bench.registry.add("b", [](Context& c) { c.measure_told([] { return 100us; }); }, {});
  auto plan = small_plan();
  plan.budget = 1500ms;  // 500 ms a process, 10 ms a sample, so 100 iterations
  const auto result = bench.measure(plan);
  for (const auto& sample : result.metric("time")->samples) EXPECT_EQ(sample.iterations, 100u);
}

TEST(Runner, phases_are_metrics_of_their_own_and_sum_to_the_time) {
  Bench bench;
  bench.registry.add("b",
                     [](Context& c) {
                       c.phases([] { return 0; })
                           .phase("forward", [](int& x) { keep(x); })
                           .phase("backward", [](int& x) { keep(x); })
                           .batch(4)
                           .measure();
                     },
                     {});
  const auto result = bench.measure();
  const auto* forward = result.metric("time/forward");
  const auto* backward = result.metric("time/backward");
  const auto* time = result.metric("time");
  ASSERT_TRUE(forward != nullptr && backward != nullptr && time != nullptr);
  EXPECT_EQ(&result.metrics.front(), time);
  for (std::size_t i = 0; i < time->samples.size(); ++i) {
    EXPECT_EQ(time->samples[i].iterations % 4, 0u);
    EXPECT_DOUBLE_EQ(time->samples[i].total, forward->samples[i].total + backward->samples[i].total);
  }
  EXPECT_EQ(forward->overhead.fixed, 0);
  EXPECT_DOUBLE_EQ(time->overhead.per_iteration, 2 * backward->overhead.per_iteration);
}

TEST(Runner, the_cold_call_of_phases_is_the_first_one) {
  Bench bench;
  bench.registry.add(
      "b",
      [](Context& c) { c.phases([] { return 0; }).phase("f", [](int& x) { keep(x); }).batch(4).measure(); },
      {});
  const auto result = bench.measure();
  ASSERT_NE(result.metric("cold_time"), nullptr);
  for (const auto& sample : result.metric("cold_time")->samples) EXPECT_EQ(sample.iterations, 1u);
}

TEST(Runner, a_failing_check_leaves_no_time) {
  for (const int passes : {0, 1, 3}) {  // fails before timing, after timing, in the second process
    Bench bench;
    int calls = 0;
    bench.registry.add(
        "b",
        [&](Context& c) {
          c.check([&](std::uint64_t) { return CheckResult{calls++ < passes, "off by one", {}}; });
          c.measure_told([] { return 2ms; });
        },
        {});
    const auto result = bench.measure();
    EXPECT_EQ(result.outcome, Outcome::check_failed);
    EXPECT_NE(result.message.find("off by one"), std::string::npos);
    EXPECT_TRUE(result.metrics.empty());
    EXPECT_FALSE(result.cold_ns);
    EXPECT_FALSE(result.checked);
  }
}

TEST(Runner, a_check_sees_a_fresh_seed_each_time_and_its_error_is_kept) {
  Bench bench;
  std::vector<std::uint64_t> seeds;
  bench.registry.add("b",
                     [&](Context& c) {
                       c.check([&](std::uint64_t seed) {
                         seeds.push_back(seed);
                         return CheckResult{true, "", seeds.size() == 3 ? 0.5 : 0.25};
                       });
                       c.measure_told([] { return 2ms; });
                     },
                     {});
  const auto result = bench.measure();
  EXPECT_TRUE(result.checked);
  ASSERT_EQ(seeds.size(), 6u);
  EXPECT_EQ(std::set<std::uint64_t>(seeds.begin(), seeds.end()).size(), 6u);
  EXPECT_EQ(result.metric("error")->samples.front().total, 0.5);
}

TEST(Runner, says_why_there_is_no_result) {
  const auto outcome_of = [](const Function& function) {
    Bench bench;
    bench.registry.add("b", function, {});
    auto plan = small_plan();
    const auto result = bench.measure(plan);
    EXPECT_TRUE(result.metrics.empty());
    return std::pair{result.outcome, result.message};
  };
  EXPECT_EQ(outcome_of([](Context& c) { c.skip("no device"); }),
            (std::pair{Outcome::skipped, std::string("no device")}));
  EXPECT_EQ(outcome_of([](Context&) {}).first, Outcome::failed);
  EXPECT_NE(outcome_of([](Context&) {}).second.find("measure()"), std::string::npos);
  EXPECT_EQ(outcome_of([](Context&) { throw std::runtime_error("set-up"); }).second, "set-up");
  EXPECT_EQ(outcome_of([](Context& c) { c.measure([] { throw std::runtime_error("in the body"); }); }).second,
            "in the body");
  EXPECT_EQ(
      outcome_of([](Context& c) { c.measure_told([] { return std::chrono::duration<double>(-1); }); }).first,
      Outcome::failed);
  EXPECT_EQ(outcome_of([](Context& c) { (void)c.param("n"); }).first, Outcome::failed);
}

TEST(Runner, set_up_and_tear_down_surround_each_process_and_sample) {
  Bench bench;
  std::vector<std::string> events;
  bench.registry.add("b",
                     [&](Context& c) {
                       events.emplace_back("set up");
                       c.before_sample([&] { events.emplace_back("before"); }).after_sample([&] {
                         events.emplace_back("after");
                       });
                       c.measure_told([&] { return events.emplace_back("body"), 1s; });
                       events.emplace_back("tear down");
                     },
                     {});
  auto plan = small_plan();
  plan.processes = 1;
  plan.samples = 1;
  bench.measure(plan);
  // Cold call, calibration, one sample.
  EXPECT_EQ(events, (std::vector<std::string>{"set up", "before", "body", "after", "before", "body", "after",
                                              "before", "body", "after", "tear down"}));
}

TEST(Runner, stops_when_the_caller_finds_it_precise) {
  Bench bench;
  bench.registry.add("b", [](Context& c) { c.measure_told([] { return 2ms; }); }, {});
  auto plan = small_plan();
  plan.processes.reset();
  plan.budget = 1000s;
  plan.most_processes = 50;
  Hooks hooks;
  int asked = 0;
  hooks.precise = [&](BenchmarkResult&) { return ++asked == 3; };
  const auto result = bench.measure(plan, hooks);
  EXPECT_EQ(result.metric("time")->samples.back().process, 6u)
      << "five processes at least, then asked after each";
}

TEST(Runner, a_cancelled_benchmark_is_said_to_be_so) {
  Bench bench;
  bench.registry.add("b", [&](Context& c) { c.measure_told([&] { return bench.cancelled = true, 2ms; }); },
                     {});
  EXPECT_EQ(bench.measure().outcome, Outcome::cancelled);
}

TEST(Runner, meters_run_in_passes_of_their_own) {
  Bench bench;
  bench.registry.add("b", [](Context& c) { c.measure([] { keep(std::string(100, 'x')); }); }, {});
  auto plan = small_plan();
  plan.meters = {"allocations", "cpu", "memory", "counters", "energy", "nonsense"};
  const auto result = bench.measure(plan);
  ASSERT_EQ(result.outcome, Outcome::ok) << result.message;
  const auto* allocations = result.metric("allocations");
  ASSERT_NE(allocations, nullptr);
  if (allocations->available()) {
    ASSERT_EQ(allocations->samples.size(), 2u) << "in two processes, so that a difference is seen";
    EXPECT_EQ(allocations->value(allocations->samples[0]), 1);
    EXPECT_EQ(allocations->value(allocations->samples[1]), 1);
    EXPECT_EQ(result.metric("allocated_bytes")->value(result.metric("allocated_bytes")->samples[0]), 101);
  }
  EXPECT_NE(result.metric("cpu_time"), nullptr);
  EXPECT_NE(result.metric("peak_rss"), nullptr);
  EXPECT_FALSE(result.metric("nonsense")->available());
  EXPECT_NE(result.metric("energy")->origin, "");
}

TEST(Listing, tells_two_benchmarks_of_one_name) {
  Bench bench;
  bench.registry.add("same", [](Context&) {}, {});
  bench.registry.add("same", [](Context&) {}, {});
  const auto listed = list_benchmarks([&](Instant) { return Worker::in_process(bench.registry, nullptr); });
  ASSERT_FALSE(listed);
  EXPECT_NE(listed.error().message.find("'same'"), std::string::npos);
}

TEST(Explaining, asks_a_benchmark_as_often_as_wanted_and_says_when_it_cannot_tell) {
  Registry registry;
  int asked = 0;
  registry.add("told",
               [&](Context& c) {
                 c.explain(
                     [&] {
                       return std::vector{ModeBreakdown{
                           "eager", {{"add", OpKind::other, {}}}, static_cast<double>(++asked)}};
                     },
                     [] { return ProgramText{"add", "digraph {}"}; });
                 c.measure_told([] { return 1ms; });
               },
               {});
  registry.add("silent", [](Context& c) { c.measure_told([] { return 1ms; }); }, {});
  std::atomic<bool> cancelled{false};
  auto worker = Worker::in_process(registry, &cancelled);
  ASSERT_TRUE(worker);
  EXPECT_FALSE(worker->explain({}, Instant::max())) << "nothing is prepared";
  EXPECT_TRUE(worker->prepare({"told", {}}, 1, Instant::max())->explains);
  const auto told = worker->explain({3, false}, Instant::max());
  ASSERT_TRUE(told);
  ASSERT_EQ(told->traces.size(), 3u);
  EXPECT_EQ(told->traces[2].front().wall_ns, 3);
  EXPECT_FALSE(told->program);
  EXPECT_EQ(worker->explain({1, true}, Instant::max())->program, (ProgramText{"add", "digraph {}"}));
  ASSERT_TRUE(worker->finish(Instant::max()));
  EXPECT_FALSE(worker->prepare({"silent", {}}, 1, Instant::max())->explains);
  const auto silent = worker->explain({}, Instant::max());
  ASSERT_FALSE(silent);
  EXPECT_NE(silent.error().message.find("cannot be explained"), std::string::npos);
}

}  // namespace
}  // namespace tare
