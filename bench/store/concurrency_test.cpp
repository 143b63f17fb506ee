// Several processes and sudden death: what was acknowledged is never lost.
#include <csignal>
#include <gtest/gtest.h>
#include <random>
#include <thread>

#include "bench/store/store_fixture.hpp"

namespace tare {
namespace {

using Mode = Store::Mode;

TEST(Concurrency, two_writers_at_once_both_succeed) {
  TemporaryDirectory directory;
  const auto path = directory / ".tare/results.db";
  const auto write_hundred = [&](int to) {
    // Opening is part of the race: both find no store and create it.
    auto store = Store::open(path, Mode::create);
    if (!store) _exit(1);
    auto run = store->begin_run(invented_run());
    if (!run) _exit(1);
    report(to, *run);
    for (int i = 0; i < 100; ++i) {
      if (!store->add_result(*run, invented_result(i))) _exit(2);
    }
  };
  const auto first = start(write_hundred);
  const auto second = start(write_hundred);
  for (const auto& child : {first, second}) {
    int status = 0;
    ASSERT_EQ(waitpid(child.process, &status, 0), child.process);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "wait status " << status;
  }
  auto store = Store::open(path, Mode::read_only).value();
  EXPECT_TRUE(store.verify());
  std::vector<std::int64_t> runs = drain(first.reports);
  for (const auto run : drain(second.reports)) runs.push_back(run);
  ASSERT_EQ(runs.size(), 2u);
  EXPECT_NE(runs[0], runs[1]);
  for (const auto run : runs) {
    const auto loaded = store.load_run(run).value();
    ASSERT_EQ(loaded.results.size(), 100u);
    for (int i = 0; i < 100; ++i) EXPECT_EQ(loaded.results[static_cast<std::size_t>(i)], invented_result(i));
  }
  // Both wrote the same benchmarks: they share their series.
  EXPECT_EQ(store.series().value().size(), 200u);
}

TEST(Concurrency, a_reader_sees_whole_benchmarks_while_another_writes) {
  TemporaryDirectory directory;
  const auto path = directory / "results.db";
  const auto run = Store::open(path, Mode::create)->begin_run(invented_run()).value();
  const auto writer = start([&](int) {
    auto store = Store::open(path, Mode::read_write);
    for (int i = 0; i < 100; ++i) {
      if (!store || !store->add_result(run, invented_result(i))) _exit(2);
    }
  });
  auto store = Store::open(path, Mode::read_only).value();
  for (std::size_t seen = 0; seen < 100;) {
    const auto loaded = store.load_run(run).value();
    ASSERT_GE(loaded.results.size(), seen);
    seen = loaded.results.size();
    for (const auto& result : loaded.results) ASSERT_EQ(result.metrics.size(), 2u);
    int status = 0;
    if (waitpid(writer.process, &status, WNOHANG) == writer.process) {
      EXPECT_EQ(status, 0);
      EXPECT_EQ(store.load_run(run).value().results.size(), 100u);
      break;
    }
  }
  waitpid(writer.process, nullptr, 0);
  close(writer.reports);
}

// The instant of each kill differs from day to day; the property holds for every instant.
TEST(Concurrency, killing_a_writer_loses_nothing_it_acknowledged) {
  constexpr int rounds = 200;
  TemporaryDirectory directory;
  const auto path = directory / ".tare/results.db";
  std::mt19937 random(20261117);
  for (int round = 0; round < rounds; ++round) {
    const auto child = start([&](int to) {
      auto store = Store::open(path, Mode::create);
      if (!store) _exit(1);
      auto run = store->begin_run(invented_run());
      if (!run) _exit(1);
      report(to, *run);
      for (int i = 0;; ++i) {
        if (!store->add_result(*run, invented_result(i))) _exit(2);
        report(to, i);
      }
    });
    std::vector<std::int64_t> told;
    // Every other child dies while it opens or begins; the rest only after a first result.
    for (int i = 0; round % 2 == 0 && i < 2; ++i) {
      const auto value = next_report(child.reports);
      ASSERT_TRUE(value) << "the writer ended by itself";
      told.push_back(*value);
    }
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 15'000));
    ASSERT_EQ(kill(child.process, SIGKILL), 0);
    int status = 0;
    ASSERT_EQ(waitpid(child.process, &status, 0), child.process);
    ASSERT_TRUE(WIFSIGNALED(status)) << "the writer failed by itself, wait status " << status;
    for (const auto value : drain(child.reports)) told.push_back(value);

    auto store = Store::open(path, Mode::create);
    ASSERT_TRUE(store) << store.error().message;
    const auto intact = store->verify();
    ASSERT_TRUE(intact) << intact.error().message;
    if (told.empty()) continue;
    const auto run = store->load_run(told[0]);
    ASSERT_TRUE(run) << run.error().message;
    const auto acknowledged = told.size() - 1;
    ASSERT_GE(run->results.size(), acknowledged);
    // At most the one under way was finished without being acknowledged.
    ASSERT_LE(run->results.size(), acknowledged + 1);
    for (std::size_t i = 0; i < run->results.size(); ++i) {
      ASSERT_EQ(run->results[i], invented_result(static_cast<int>(i)));
    }
  }
  auto store = Store::open(path, Mode::read_only).value();
  EXPECT_GE(store.runs().value().size(), static_cast<std::size_t>(rounds / 2));
}

}  // namespace
}  // namespace tare
