#include "ad/support/threads.hpp"

#include <atomic>
#include <gtest/gtest.h>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

#include "ad/support/error.hpp"

namespace tare::ad {
namespace {

class Threads : public testing::TestWithParam<int> {
 protected:
  void SetUp() override { set_thread_count(GetParam()); }
  void TearDown() override { set_thread_count(1); }
};

TEST_P(Threads, EveryIndexOnceInChunksOfTheGrain) {
  std::vector<std::atomic<int>> seen(1001);
  std::atomic<int> calls{0};
  parallel_for(1001, 100, [&](std::int64_t begin, std::int64_t end) {
    EXPECT_EQ(begin % 100, 0);
    EXPECT_LE(end - begin, 100);
    calls.fetch_add(1);
    for (auto i = begin; i < end; ++i) seen[static_cast<std::size_t>(i)].fetch_add(1);
  });
  EXPECT_EQ(calls.load(), 11);
  for (const auto& count : seen) EXPECT_EQ(count.load(), 1);
}

TEST_P(Threads, NothingToDoIsNoCall) {
  parallel_for(0, 10, [](std::int64_t, std::int64_t) { FAIL(); });
}

TEST_P(Threads, ManyRoundsDoNotLoseWork) {
  std::atomic<std::int64_t> sum{0};
  for (int round = 0; round < 2000; ++round)
    parallel_for(8, 1, [&](std::int64_t begin, std::int64_t) { sum.fetch_add(begin); });
  EXPECT_EQ(sum.load(), 2000 * 28);
}

TEST_P(Threads, AnExceptionReachesTheCallerAndThePoolLivesOn) {
  EXPECT_THROW(parallel_for(64, 1,
                            [](std::int64_t begin, std::int64_t) {
                              if (begin == 5) throw std::runtime_error("five");
                            }),
               std::runtime_error);
  std::atomic<int> calls{0};
  parallel_for(64, 1, [&](std::int64_t, std::int64_t) { calls.fetch_add(1); });
  EXPECT_EQ(calls.load(), 64);
}

TEST_P(Threads, ACallInsideAChunkRunsOnItsCaller) {
  std::atomic<int> calls{0};
  parallel_for(4, 1, [&](std::int64_t, std::int64_t) {
    const auto caller = std::this_thread::get_id();
    parallel_for(4, 1, [&](std::int64_t, std::int64_t) {
      EXPECT_EQ(std::this_thread::get_id(), caller);
      calls.fetch_add(1);
    });
  });
  EXPECT_EQ(calls.load(), 16);
}

TEST_P(Threads, TwoCallersAtOnceBothFinish) {
  std::atomic<int> calls{0};
  const auto work = [&] {
    for (int i = 0; i < 200; ++i)
      parallel_for(16, 1, [&](std::int64_t, std::int64_t) { calls.fetch_add(1); });
  };
  std::jthread other(work);
  work();
  other.join();
  EXPECT_EQ(calls.load(), 2 * 200 * 16);
}

INSTANTIATE_TEST_SUITE_P(Counts, Threads, testing::Values(1, 2, 3, 8));

TEST(ThreadCount, RefusesNonsense) {
  EXPECT_THROW(set_thread_count(0), AdError);
  EXPECT_THROW(set_thread_count(-3), AdError);
}

}  // namespace
}  // namespace tare::ad
