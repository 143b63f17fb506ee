#include <gtest/gtest.h>

#include "bench/define/context.hpp"
#include "bench/define/registry.hpp"

namespace tare {
namespace {

/// Runs the body a given number of times, as a worker would.
struct FixedDriver : Driver {
  explicit FixedDriver(std::uint64_t n) : n(n) {}
  void drive(Body& body) override {
    phases = body.phases();
    granularity = body.granularity();
    const auto rounded = (n + granularity - 1) / granularity * granularity;
    totals.assign(phases.size(), 0.0);
    body.time(rounded, totals.data());
    iterations = rounded;
  }
  std::uint64_t n;
  std::uint64_t granularity = 0;
  std::uint64_t iterations = 0;
  std::vector<std::string> phases;
  std::vector<double> totals;
};

TEST(Parameters, ranges_lists_and_steps) {
  EXPECT_EQ(range(8, 512, 8), (ParameterValues{"8", "64", "512"}));
  EXPECT_EQ(range(10, 35, 2), (ParameterValues{"10", "20", "35"}));
  EXPECT_EQ(range(7, 7), (ParameterValues{"7"}));
  EXPECT_EQ(range(1, INT64_MAX, INT64_MAX / 2).size(), 3u);
  EXPECT_EQ(steps(0, 10, 4), (ParameterValues{"0", "4", "8"}));
  EXPECT_EQ(list({1, 2, 30}), (ParameterValues{"1", "2", "30"}));
  EXPECT_EQ(list({"a", "b"}), (ParameterValues{"a", "b"}));
  EXPECT_THROW(range(0, 10, 2), std::invalid_argument);
  EXPECT_THROW(range(10, 1, 2), std::invalid_argument);
  EXPECT_THROW(range(1, 10, 1), std::invalid_argument);
  EXPECT_THROW(steps(1, 10, 0), std::invalid_argument);
}

TEST(RegistryOfBenchmarks, multiplies_parameters_into_instances) {
  Registry all;
  all.add("a", [](Context&) {}, {})
      .param("n", list({1, 2}))
      .param("kind", list({"x", "y"}))
      .tag("k", "v")
      .label("l");
  all.add("b", [](Context&) {}, {}).threads({1, 4});
  const auto instances = *all.instances();
  std::vector<std::string> names;
  for (const auto& instance : instances) names.push_back(instance.id.full());
  EXPECT_EQ(names, (std::vector<std::string>{"a/n=1/kind=x", "a/n=1/kind=y", "a/n=2/kind=x", "a/n=2/kind=y",
                                             "b/threads=1", "b/threads=4"}));
  EXPECT_EQ(instances[0].tags.at("k"), "v");
  EXPECT_EQ(instances[0].label, "l");
}

TEST(RegistryOfBenchmarks, refuses_what_cannot_be_told_apart) {
  Registry all;
  all.add("same", [](Context&) {}, {});
  all.add("same", [](Context&) {}, {});
  EXPECT_NE(all.instances().error().message.find("'same'"), std::string::npos);
  Registry other;
  auto& definition = other.add("d", [](Context&) {}, {});
  EXPECT_THROW(definition.param("", list({1})), std::invalid_argument);
  EXPECT_THROW(definition.param("a=b", list({1})), std::invalid_argument);
  EXPECT_THROW(definition.param("n", {}), std::invalid_argument);
  EXPECT_THROW(definition.threads({0}), std::invalid_argument);
  definition.param("n", list({1}));
  EXPECT_THROW(definition.param("n", list({2})), std::invalid_argument);
}

TEST(BuildInfo, tells_how_this_file_was_compiled) {
  const auto build = build_of_this_file();
#if defined(__OPTIMIZE__)
  EXPECT_EQ(build.type, "optimised");
#else
  EXPECT_EQ(build.type, "debug");
#endif
  EXPECT_FALSE(build.compiler.empty());
  EXPECT_FALSE(build.tare.empty());
}

TEST(ContextOfABenchmark, gives_parameters_by_type) {
  FixedDriver driver(1);
  const Context c({"b", {{"n", "12"}, {"kind", "fast"}, {"x", "2.5"}, {"threads", "3"}}}, 99, driver);
  EXPECT_EQ(c.param("n"), 12);
  EXPECT_EQ(c.param<std::size_t>("n"), 12u);
  EXPECT_EQ(c.param<std::string>("kind"), "fast");
  EXPECT_DOUBLE_EQ(c.param<double>("x"), 2.5);
  EXPECT_EQ(c.threads(), 3);
  EXPECT_EQ(c.seed(), 99u);
  EXPECT_THROW((void)c.param("m"), std::invalid_argument);
  EXPECT_THROW((void)c.param("kind"), std::invalid_argument);
}

TEST(ContextOfABenchmark, gathers_what_the_benchmark_says) {
  FixedDriver driver(1);
  Context c({"b", {}}, 1, driver);
  c.items(4).bytes(32).flops(8).label("text").counter({"tape", 5, "B"}).counter({"tape", 6, "B"});
  EXPECT_EQ(c.notes().throughput, (Throughput{4, 32, 8}));
  ASSERT_EQ(c.notes().counters.size(), 1u);
  EXPECT_EQ(c.notes().counters[0].value, 6);
  EXPECT_THROW(c.counter({"", 1}), std::invalid_argument);
  c.share("accuracy", 9, 10);
  EXPECT_EQ(c.notes().counters[1].value, 9);
  EXPECT_EQ(c.notes().counters[1].trials, 10U);
  EXPECT_EQ(c.notes().counters[1].nature, Nature::share);
  EXPECT_THROW(c.share("accuracy", 11, 10), std::invalid_argument);
  EXPECT_THROW(c.share("accuracy", 0, 0), std::invalid_argument);
  EXPECT_THROW(c.skip("no such device"), Skipped);
}

TEST(ContextOfABenchmark, a_check_may_answer_in_four_ways) {
  FixedDriver driver(1);
  Context c({"b", {}}, 1, driver);
  c.check([] { return true; });
  EXPECT_TRUE(c.notes().check(1).passed);
  c.check([](std::uint64_t seed) { return seed == 2; });
  EXPECT_FALSE(c.notes().check(1).passed);
  EXPECT_FALSE(c.notes().check(1).message.empty());
  EXPECT_TRUE(c.notes().check(2).passed);
  c.check([] { return CheckResult{false, "off by 3", 3.0}; });
  EXPECT_EQ(c.notes().check(1).message, "off by 3");
  c.check([](std::uint64_t) { return CheckResult{true, "", 1e-12}; });
  EXPECT_EQ(c.notes().check(1).error, 1e-12);
}

TEST(Measure, runs_the_body_exactly_as_often_as_asked) {
  FixedDriver driver(1000);
  Context c({"b", {}}, 1, driver);
  std::uint64_t calls = 0;
  c.measure([&] { ++calls; });
  EXPECT_EQ(calls, 1000u);
  EXPECT_GT(driver.totals[0], 0);
  EXPECT_THROW(c.measure([] {}), std::logic_error);
}

TEST(Measure, runs_on_every_thread_and_tells_its_number) {
  FixedDriver driver(100);
  Context c({"b", {{"threads", "3"}}}, 1, driver);
  std::array<std::atomic<int>, 3> calls{};
  c.measure([&](int thread) { calls[static_cast<std::size_t>(thread)]++; });
  for (const auto& count : calls) EXPECT_EQ(count, 100);
}

TEST(Measure, an_exception_on_another_thread_reaches_the_caller) {
  FixedDriver driver(10);
  Context c({"b", {{"threads", "2"}}}, 1, driver);
  EXPECT_THROW(c.measure([](int thread) {
    if (thread == 1) throw std::runtime_error("in a thread");
  }),
               std::runtime_error);
}

TEST(MeasureTold, sums_the_times_the_body_tells) {
  FixedDriver driver(4);
  Context c({"b", {}}, 1, driver);
  int calls = 0;
  c.measure_told([&] { return std::chrono::microseconds(++calls); });
  EXPECT_DOUBLE_EQ(driver.totals[0], 10'000.0);
}

TEST(PhasesOfABody, run_in_order_over_batches_of_states) {
  FixedDriver driver(20);
  Context c({"b", {}}, 1, driver);
  struct State {
    int made, prepared = 0, forward = 0, backward = 0;
  };
  int made = 0;
  bool in_order = true;
  c.phases([&] { return State{made++}; })
      .prepare([&](State& s) { ++s.prepared; })
      .phase("forward", [&](State& s) { in_order &= ++s.forward == s.prepared; })
      .prepare([&](State& s) { in_order &= s.forward == s.backward + 1; })
      .phase("backward", [&](State& s) { in_order &= ++s.backward == s.forward; })
      .batch(8)
      .measure();
  EXPECT_EQ(made, 8);
  EXPECT_TRUE(in_order);
  EXPECT_EQ(driver.granularity, 8u);
  EXPECT_EQ(driver.iterations, 24u);
  EXPECT_EQ(driver.phases, (std::vector<std::string>{"forward", "backward"}));
}

TEST(PhasesOfABody, a_tiny_phase_gets_a_batch_and_a_long_one_does_not) {
  const auto granularity = [](int spins) {
    FixedDriver driver(1);
    Context c({"b", {}}, 1, driver);
    c.phases([] { return 0.0; })
        .phase("p",
               [spins](double& x) {
                 for (int i = 0; i < spins; ++i) keep(x += 1);
               })
        .measure();
    return driver.granularity;
  };
  EXPECT_GT(granularity(1), 8u);
  EXPECT_EQ(granularity(100'000), 1u);
}

TEST(PhasesOfABody, refuse_misuse) {
  FixedDriver driver(1);
  Context c({"b", {}}, 1, driver);
  auto phases = c.phases([] { return 0; });
  EXPECT_THROW(phases.measure(), std::logic_error);
  EXPECT_THROW(phases.phase("", [](int&) {}), std::invalid_argument);
  EXPECT_THROW(phases.batch(0), std::invalid_argument);
}

}  // namespace
}  // namespace tare
