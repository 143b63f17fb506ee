#include <gtest/gtest.h>

#include "bench/model/json.hpp"

namespace tare {
namespace {

Run full_run() {
  Metric time{"time", "ns", Better::less, Nature::noisy, "measured", {20, 1, 0.3, 0.01}, {}, {}};
  time.samples = {{0, 100, 12345, {}}, {1, 100, 12400, {1, 2, 1, 3, 4, 500, 10'000'000}}};
  Metric counter{"tape_bytes", "B", Better::neither, Nature::exact, "measured", {}, {{0, 1, 0.1, {}}}, {}};
  BenchmarkResult result;
  result.id = {"sort", {{"n", "8"}, {"kind", "a b"}}};
  result.binary = "./bench";
  result.label = "a label";
  result.tags = {{"team", "x"}};
  result.workload = {{8, 8}, "f32", "cpu", 4, 2, "tf32", 42, "abc"};
  result.throughput = {8, 64, 100};
  result.checked = true;
  result.cold_ns = 999;
  result.metrics = {time, counter};
  result.warnings = {{Doubt::one_process, "one process only"}};
  result.reproduce = "tare run ./bench";
  Run run;
  run.id = 3;
  run.started_unix_ms = 1'700'000'000'123;
  run.command = "tare run ./bench";
  run.commit = "abc+";
  run.seed = 18446744073709551615u;
  run.tags = {{"k", "v"}};
  run.machine.cpu = "Some CPU";
  run.machine.threads = 2;
  run.machine.memory_bytes = 1ull << 34;
  run.binaries = {{"./bench", "00ff", {"GCC 12", "-O3", "optimised", "0.1.0"}}};
  run.results = {result};
  return run;
}

TEST(ModelJson, a_run_survives_the_round_trip) {
  const auto run = full_run();
  const auto text = to_text(to_json(run));
  auto parsed = parse_json(text).and_then([](const Json& json) { return run_from_json(json); });
  ASSERT_TRUE(parsed) << parsed.error().message;
  EXPECT_EQ(*parsed, run);
}

TEST(ModelJson, every_enumerator_survives) {
  for (int i = 0; i <= static_cast<int>(Outcome::cancelled); ++i) {
    auto run = full_run();
    run.results[0].outcome = static_cast<Outcome>(i);
    EXPECT_EQ(run_from_json(to_json(run))->results[0].outcome, run.results[0].outcome);
  }
  for (int i = 0; i <= static_cast<int>(Doubt::debug_build); ++i) {
    auto run = full_run();
    run.results[0].warnings[0].doubt = static_cast<Doubt>(i);
    EXPECT_STRNE(name_of(static_cast<Doubt>(i)), "unknown");
    EXPECT_EQ(run_from_json(to_json(run))->results[0].warnings, run.results[0].warnings);
  }
}

TEST(ModelJson, rejects_what_is_not_a_run) {
  EXPECT_FALSE(run_from_json(Json::array()));
  EXPECT_FALSE(run_from_json(Json{{"schema", 2}}));
  auto json = to_json(full_run());
  json["benchmarks"][0]["metrics"][0]["samples"][0]["iterations"] = 0;
  EXPECT_FALSE(run_from_json(json));
  json = to_json(full_run());
  json["benchmarks"][0]["outcome"] = "splendid";
  EXPECT_FALSE(run_from_json(json));
  json = to_json(full_run());
  json["benchmarks"][0].erase("name");
  EXPECT_FALSE(run_from_json(json));
}

TEST(BenchmarkIdentity, reads_like_a_path) {
  EXPECT_EQ(full_run().results[0].id.full(), "sort/n=8/kind=a b");
  EXPECT_NE(full_run().results[0].metric("time"), nullptr);
  EXPECT_EQ(full_run().results[0].metric("nothing"), nullptr);
}

TEST(MetricValue, takes_the_harness_off) {
  const auto run = full_run();
  const auto& metric = run.results[0].metrics[0];
  EXPECT_DOUBLE_EQ(metric.value(metric.samples[0]), (12345.0 - 20) / 100 - 0.3);
}

TEST(Fingerprint, changes_with_what_decides_speed_only) {
  Machine a = full_run().machine;
  Machine b = a;
  b.kernel = "another build";
  b.memory_bytes += 4096;
  EXPECT_EQ(a.fingerprint(), b.fingerprint());
  b.cpu = "Another CPU";
  EXPECT_NE(a.fingerprint(), b.fingerprint());
}

TEST(RelativeHalfWidth, is_undefined_without_an_interval) {
  EXPECT_FALSE((Estimate{5, {}, {}, 0.95, ""}).relative_half_width());
  EXPECT_FALSE((Estimate{0, 1.0, 2.0, 0.95, ""}).relative_half_width());
  EXPECT_DOUBLE_EQ(*(Estimate{-10, -11.0, -9.0, 0.95, ""}).relative_half_width(), 0.1);
}

TEST(TimeText, is_utc) {
  EXPECT_EQ(format_time_utc(0), "1970-01-01 00:00:00");
}

}  // namespace
}  // namespace tare
