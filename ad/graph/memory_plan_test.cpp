#include "ad/graph/memory_plan.hpp"

#include <gtest/gtest.h>
#include <random>

namespace tare::ad::graph {
namespace {

TEST(MemoryPlan, GivesPlacesOnAfterTheLastReading) {
  const std::vector<Lifetime> chain{{1024, 0, 1}, {1024, 1, 2}, {1024, 2, 3}};
  EXPECT_EQ(plan_memory(chain, true).bytes, 2048);
  EXPECT_EQ(plan_memory(chain, false).bytes, 3072);
}

TEST(MemoryPlan, WritesOverWhatDiesInTheSameStep) {
  const std::vector<Lifetime> chain{{1024, 0, 1}, {1024, 1, 2, 0}, {1024, 2, 3, 1}};
  EXPECT_EQ(plan_memory(chain, true).bytes, 1024);
}

TEST(MemoryPlan, NoTwoValuesShareMemoryWhileBothLive) {
  std::mt19937 random(3);
  for (int round = 0; round < 200; ++round) {
    std::vector<Lifetime> lives(30);
    for (std::size_t i = 0; i < lives.size(); ++i) {
      lives[i].bytes = static_cast<std::int64_t>(random() % 5 * 1000);
      lives[i].first = static_cast<std::int32_t>(random() % 40);
      lives[i].last = lives[i].first + static_cast<std::int32_t>(random() % 8);
      if (i > 0) lives[i].may_replace = static_cast<std::int32_t>(random() % i);
    }
    const auto replaces = [&](std::size_t a, std::size_t b) {
      return lives[a].may_replace == static_cast<std::int32_t>(b) && lives[b].last == lives[a].first;
    };
    const auto plan = plan_memory(lives, true);
    for (std::size_t a = 0; a < lives.size(); ++a) {
      EXPECT_EQ(plan.offsets[a] % 64, 0);
      EXPECT_LE(plan.offsets[a] + lives[a].bytes, plan.bytes);
      for (std::size_t b = 0; b < a; ++b) {
        if (lives[a].first > lives[b].last || lives[b].first > lives[a].last) continue;
        const bool apart = plan.offsets[a] + lives[a].bytes <= plan.offsets[b] ||
                           plan.offsets[b] + lives[b].bytes <= plan.offsets[a];
        const bool in_its_place = (replaces(a, b) || replaces(b, a)) && plan.offsets[a] == plan.offsets[b];
        EXPECT_TRUE(apart || in_its_place) << a << " and " << b;
      }
    }
  }
}

}  // namespace
}  // namespace tare::ad::graph
