#include "bench/compare/compliance.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bench/analyse/summarise.hpp"

namespace tare {
namespace {

using testing::HasSubstr;

constexpr auto file = R"(
[[task]]
name = "keyword spotting"
benchmark = "words/variant={variant}/batch=1"
accuracy = 0.9
latency = "100ms"
[[task]]
name = "visual wake words"
benchmark = "figures"
accuracy = 0.8
latency = "2us"
)";

BenchmarkResult result(std::string name, double right, double p99) {
  BenchmarkResult r;
  r.id.name = std::move(name);
  r.metrics = {
      {"accuracy", "1", Better::more, Nature::share, "measured", {}, {{0, 100, right, {}}}, {}},
      {"latency_p99",
       "ns",
       Better::less,
       Nature::noisy,
       "measured",
       {},
       {{0, 1, p99, {}}, {1, 1, p99, {}}},
       {}},
      {"time", "ns", Better::less, Nature::noisy, "measured", {}, {{0, 1, 500, {}}, {1, 1, 500, {}}}, {}}};
  summarise(r);
  return r;
}

std::vector<TaskTarget> tasks() {
  return parse_tasks(file, "tasks.toml", {{"variant", "int8"}}).value();
}

Run run_of(BenchmarkResult words, BenchmarkResult figures) {
  Run run;
  words.id.name = "words/variant=int8/batch=1";
  run.results = {std::move(words), std::move(figures)};
  return run;
}

TEST(Compliance, is_reached_when_every_target_is_met) {
  const auto c = comply(run_of(result("words", 90, 1000), result("figures", 81, 1000)), tasks()).value();
  EXPECT_TRUE(c.whole());
  EXPECT_EQ(c.compliant(), 2U);
  EXPECT_EQ(c.findings[0].accuracy->point, 0.9);
}

TEST(Compliance, goes_by_the_slow_calls_unless_asked_otherwise) {
  const auto run = run_of(result("words", 95, 1000), result("figures", 81, 3000));
  const auto c = comply(run, tasks()).value();
  EXPECT_FALSE(c.findings[1].latency_met) << "3 µs at p99";
  EXPECT_TRUE(c.findings[1].accuracy_met);
  EXPECT_TRUE(comply(run, tasks(), "mean").value().whole());
  EXPECT_FALSE(comply(run, tasks(), "p100"));
}

TEST(Compliance, counts_tasks_that_crashed_or_are_missing_as_failed) {
  auto run = run_of(result("words", 95, 1000), result("figures", 81, 1000));
  run.results[0].outcome = Outcome::crashed;
  run.results[0].message = "signal 11";
  run.results.pop_back();
  const auto c = comply(run, tasks()).value();
  EXPECT_EQ(c.findings.size(), 2U);
  EXPECT_EQ(c.compliant(), 0U);
  EXPECT_EQ(c.findings[0].problem, "signal 11");
  EXPECT_THAT(c.findings[1].problem, HasSubstr("figures was not measured"));
}

TEST(Compliance, below_the_accuracy_is_not_met) {
  EXPECT_FALSE(comply(run_of(result("words", 89, 10), result("figures", 81, 10)), tasks())
                   .value()
                   .findings[0]
                   .accuracy_met);
}

TEST(Compliance, refuses_files_that_make_no_sense) {
  const auto problem = [](std::string text) { return parse_tasks(text, "t.toml", {}).error().message; };
  EXPECT_THAT(problem(file), HasSubstr("needs a value for variant"));
  EXPECT_THAT(problem(""), HasSubstr("no [[task]]"));
  EXPECT_THAT(problem("[[task]]\nname = 'a'"), HasSubstr("needs name, benchmark, accuracy and latency"));
  EXPECT_THAT(problem("[[task]]\nname = 'a'\nbenchmark = 'b'\naccuracy = 90.0\nlatency = '1ms'"),
              HasSubstr("not between 0 and 1"));
  EXPECT_THAT(problem("[[task]]\nname = 'a'\nbenchmark = 'b'\naccuracy = 0.9\nlatency = '1'"),
              HasSubstr("latency"));
  EXPECT_THAT(problem("[[task]\n"), HasSubstr("t.toml:1:"));
}

}  // namespace
}  // namespace tare
