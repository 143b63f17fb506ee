#include "bench/compare/fairness.hpp"

#include <functional>
#include <gtest/gtest.h>

namespace tare {
namespace {

struct Case {
  const char* field;
  std::function<void(Conditions&)> change;
};

std::vector<Case> cases() {
  return {{"shape", [](Conditions& c) { c.workload.shape = {2, 3}; }},
          {"dtype", [](Conditions& c) { c.workload.dtype = "f32"; }},
          {"device", [](Conditions& c) { c.workload.device = "gpu"; }},
          {"batch", [](Conditions& c) { c.workload.batch = 8; }},
          {"threads", [](Conditions& c) { c.workload.threads = 2; }},
          {"precision", [](Conditions& c) { c.workload.precision = "tf32"; }},
          {"seed", [](Conditions& c) { c.workload.seed = 5; }},
          {"data", [](Conditions& c) { c.workload.data_hash = "abc"; }},
          {"build", [](Conditions& c) { c.build.type = "debug"; }},
          {"compiler", [](Conditions& c) { c.build.compiler = "Clang 19"; }},
          {"flags", [](Conditions& c) { c.build.flags = "avx2"; }},
          {"machine", [](Conditions& c) { c.fingerprint = "other"; }},
          {"state", [](Conditions& c) { c.warm = false; }}};
}

TEST(Fairness, every_field_alone_is_found_and_named) {
  std::vector<std::string> names;
  for (const auto& [field, change] : cases()) {
    Conditions other;
    change(other);
    const auto found = differences_between(Conditions{}, other);
    ASSERT_EQ(found.size(), 1u) << field;
    EXPECT_EQ(found[0].field, field);
    EXPECT_NE(found[0].before, found[0].after);
    names.emplace_back(field);
  }
  EXPECT_EQ(names, fair_fields()) << "what --allow offers is what is looked at";
}

TEST(Fairness, equal_conditions_are_fair) {
  BenchmarkComparison pair;
  judge_fairness(pair, {}, {}, {});
  EXPECT_TRUE(pair.comparable);
  EXPECT_TRUE(pair.differences.empty());
}

TEST(Fairness, another_seed_is_fair_when_the_data_is_the_same) {
  Conditions before, after;
  before.workload.data_hash = after.workload.data_hash = "abc";
  after.workload.seed = 9;
  EXPECT_TRUE(differences_between(before, after).empty());
}

TEST(Fairness, allowing_one_field_does_not_allow_another) {
  Conditions after;
  after.workload.threads = 2;
  after.workload.dtype = "f32";
  BenchmarkComparison pair;
  judge_fairness(pair, {}, after, {"threads"});
  EXPECT_FALSE(pair.comparable);
  EXPECT_EQ(pair.message,
            "not comparable: dtype is – before and f32 after; --allow dtype compares anyway and says so");
  judge_fairness(pair, {}, after, {"threads", "dtype"});
  EXPECT_TRUE(pair.comparable);
  EXPECT_EQ(pair.differences.size(), 2u) << "the stamp stays";
}

TEST(Fairness, conditions_come_from_the_result_its_binary_and_the_machine) {
  tare::Run run;
  run.machine.cpu = "a CPU";
  run.binaries = {{"x", "", {"GCC 1", "", "optimised", ""}}, {"y", "", {"GCC 2", "", "debug", ""}}};
  BenchmarkResult result;
  result.binary = "y";
  result.workload.batch = 4;
  result.metrics.push_back({"time", "ns", Better::less, Nature::noisy, "measured", {}, {}, {}});
  auto& samples = result.metrics[0].samples;
  samples = {{0, 1, 5, {}}, {0, 1, 5, {}}, {1, 1, 5, {}}};
  const auto conditions = conditions_of(run, result);
  EXPECT_EQ(conditions.build.compiler, "GCC 2");
  EXPECT_EQ(conditions.workload.batch, 4);
  EXPECT_EQ(conditions.fingerprint, run.machine.fingerprint());
  EXPECT_FALSE(conditions.warm) << "one process has its first sample only";
  samples.push_back({1, 1, 5, {}});
  EXPECT_TRUE(conditions_of(run, result).warm);
}

}  // namespace
}  // namespace tare
