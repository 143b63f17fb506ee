#include "bench/define/team.hpp"

#include <array>
#include <gtest/gtest.h>
#include <stdexcept>

namespace tare {
namespace {

TEST(TeamOfThreads, runs_each_task_once_per_thread_many_times) {
  Team team(4);
  std::array<std::atomic<int>, 4> calls{};
  for (int round = 0; round < 500; ++round) {
    team.prepare(
        [](void* data, int thread) {
          (*static_cast<decltype(calls)*>(data))[static_cast<std::size_t>(thread)]++;
        },
        &calls);
    team.run();
  }
  for (const auto& count : calls) EXPECT_EQ(count, 500);
}

TEST(TeamOfThreads, ends_without_having_run) {
  const Team team(3);
  EXPECT_THROW(Team(0), std::invalid_argument);
}

TEST(TeamOfThreads, survives_an_exception_and_forgets_it) {
  Team team(2);
  team.prepare([](void*, int) { throw std::runtime_error("x"); }, nullptr);
  team.run();
  EXPECT_THROW(team.rethrow(), std::runtime_error);
  team.prepare([](void*, int) {}, nullptr);
  team.run();
  EXPECT_NO_THROW(team.rethrow());
}

}  // namespace
}  // namespace tare
