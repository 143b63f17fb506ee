#include "workloads/tasks/task.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <set>

namespace tare::workloads {
namespace {

class EveryTask : public testing::TestWithParam<const Task* (*)()> {};

TEST_P(EveryTask, HasExamplesOfItsShape) {
  const Task& task = *GetParam()();
  std::int64_t size = 1;
  for (const auto n : task.shape) size *= n;
  for (const auto* part : {&task.train, &task.test}) {
    EXPECT_EQ(static_cast<std::int64_t>(part->inputs.size()), part->count() * size);
    for (const auto label : part->labels) EXPECT_TRUE(label >= 0 && label < task.classes);
  }
  EXPECT_EQ(task.hash.size(), 32U);
  EXPECT_EQ(task.hash, hash_of(task.train, task.test));
}

TEST_P(EveryTask, HoldsOutEveryClassInEqualParts) {
  const Task& task = *GetParam()();
  std::vector<std::int64_t> counts(static_cast<std::size_t>(task.classes));
  for (const auto label : task.test.labels) ++counts[static_cast<std::size_t>(label)];
  const auto [least, most] = std::ranges::minmax(counts);
  EXPECT_GE(3 * least, 2 * most);
}

TEST_P(EveryTask, SharesNoExampleBetweenLearningAndHeldOut) {
  const Task& task = *GetParam()();
  const auto size = task.test.inputs.size() / task.test.labels.size();
  const auto all = [&](const Examples& part) {
    std::set<std::vector<float>> inputs;
    for (auto at = part.inputs.begin(); at != part.inputs.end(); at += static_cast<std::ptrdiff_t>(size))
      inputs.emplace(at, at + static_cast<std::ptrdiff_t>(size));
    return inputs;
  };
  const auto learnt = all(task.train);
  for (const auto& input : all(task.test)) EXPECT_FALSE(learnt.contains(input));
}

INSTANTIATE_TEST_SUITE_P(Tasks, EveryTask,
                         testing::Values(
                             +[] { return &digits(); }, +[] { return &keywords(); },
                             +[] { return &figures(); }, +[] { return &anomalies(); }),
                         [](const auto& info) { return (*info.param)()->name; });

// The data are part of every result: whoever changes them sees it here, and old results no longer compare.
TEST(Tasks, AreTheOnesThatWereMeasured) {
  EXPECT_EQ(digits().hash, "38f9b33b8b67ce5f6771626a6de6b02b");
  EXPECT_EQ(keywords().hash, "6cc466e539eec1130997d83f7510e4ed");
  EXPECT_EQ(figures().hash, "77fa321f9d3cad4b3e023519e8319275");
  EXPECT_EQ(anomalies().hash, "df8dc0eb08aeaa4f814a2b81fa6dea26");
  EXPECT_EQ(sentences().hash, "38e0bd52740e75ea7b5b37deed94b15a");
}

TEST(Digits, AreAllOfThem) {
  EXPECT_EQ(digits().train.count(), 1348);
  EXPECT_EQ(digits().test.count(), 449);
  // The first image of the file is a 0 whose first row is 0 0 5 13 9 1 0 0.
  EXPECT_EQ(digits().train.labels[0], 0);
  EXPECT_EQ(digits().train.inputs[2], 5 / 16.0F);
  EXPECT_EQ(digits().train.inputs[3], 13 / 16.0F);
}

TEST(Anomalies, AreNeverLearntFrom) {
  EXPECT_EQ(std::ranges::count(anomalies().train.labels, 1), 0);
  EXPECT_EQ(std::ranges::count(anomalies().test.labels, 1), 400);
}

TEST(Sentences, KeepToTheirAlphabet) {
  const auto& text = sentences();
  for (const auto* part : {&text.train, &text.test})
    for (const auto id : *part) EXPECT_TRUE(id >= 0 && id < static_cast<std::int64_t>(text.alphabet.size()));
  EXPECT_FALSE(std::ranges::search(text.train, text.test).begin() != text.train.end());
}

}  // namespace
}  // namespace tare::workloads
