#include "bench/store/store.hpp"

#include <cmath>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>

#include "bench/store/store_fixture.hpp"

namespace tare {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class StoreTest : public testing::Test {
 protected:
  StoreTest() : store(Store::open(directory / ".tare/results.db", Store::Mode::create).value()) {}
  TemporaryDirectory directory;
  Store store;
};

TEST_F(StoreTest, a_run_comes_back_as_it_was_stored) {
  auto run = invented_run();
  run.id = store.begin_run(run).value();
  for (int i = 0; i < 5; ++i) {
    run.results.push_back(invented_result(4 - i));
    ASSERT_TRUE(store.add_result(run.id, run.results.back()));
  }
  run.results.push_back({});
  run.results.back().id.name = "bare";
  run.results.back().outcome = Outcome::crashed;
  ASSERT_TRUE(store.add_result(run.id, run.results.back()));
  auto loaded = store.load_run(run.id);
  ASSERT_TRUE(loaded) << loaded.error().message;
  EXPECT_EQ(*loaded, run);
  EXPECT_TRUE(store.verify());
}

TEST_F(StoreTest, what_was_stored_is_there_after_opening_again) {
  const auto id = store.begin_run(invented_run()).value();
  ASSERT_TRUE(store.add_result(id, invented_result(1)));
  auto reader = Store::open(store.path(), Store::Mode::read_only);
  ASSERT_TRUE(reader) << reader.error().message;
  EXPECT_THAT(reader->load_run(id).value().results, ElementsAre(invented_result(1)));
}

TEST_F(StoreTest, values_that_sql_and_json_have_no_word_for_survive) {
  auto result = invented_result(1);
  result.id.name = std::string("nul\0inside", 10);
  result.metrics[0].overhead.fixed = std::numeric_limits<double>::quiet_NaN();
  result.metrics[0].overhead.per_iteration = std::numeric_limits<double>::infinity();
  result.metrics[1].samples[0].total = -std::numeric_limits<double>::infinity();
  const auto id = store.begin_run(invented_run()).value();
  ASSERT_TRUE(store.add_result(id, result));
  const auto loaded = store.load_run(id).value().results.at(0);
  EXPECT_EQ(loaded.id, result.id);
  EXPECT_TRUE(std::isnan(loaded.metrics[0].overhead.fixed));
  EXPECT_EQ(loaded.metrics[0].overhead.per_iteration, std::numeric_limits<double>::infinity());
  EXPECT_EQ(loaded.metrics[1].samples, result.metrics[1].samples);
}

TEST_F(StoreTest, runs_are_listed_newest_first_with_their_state) {
  for (int i = 0; i < 3; ++i) {
    auto run = invented_run();
    run.commit = "commit " + std::to_string(i);
    const auto id = store.begin_run(run).value();
    for (int k = 0; k < i; ++k) {
      auto result = invented_result(k);
      result.outcome = k == 0 ? Outcome::ok : Outcome::crashed;
      ASSERT_TRUE(store.add_result(id, result));
    }
  }
  ASSERT_TRUE(store.finish_run(2, 1'700'000'009'000));
  const auto list = store.runs().value();
  ASSERT_EQ(list.size(), 3u);
  const auto expected = invented_run();
  const RunInfo second{2,
                       expected.started_unix_ms,
                       1'700'000'009'000,
                       expected.command,
                       expected.directory,
                       "commit 1",
                       expected.tags,
                       expected.machine.fingerprint(),
                       1,
                       0};
  EXPECT_EQ(list[1], second);
  EXPECT_EQ(list[0].id, 3);
  EXPECT_EQ(list[0].benchmarks, 2);
  EXPECT_EQ(list[0].failed, 1);
  EXPECT_EQ(list[0].finished_unix_ms, std::nullopt);
  EXPECT_EQ(store.runs(2).value().size(), 2u);
}

TEST_F(StoreTest, binaries_can_be_told_later) {
  const auto id = store.begin_run(invented_run()).value();
  const std::vector<Binary> binaries{{"./other", "ff", {"Clang", "-O2", "optimised", "0.1.0"}}};
  ASSERT_TRUE(store.set_binaries(id, binaries));
  EXPECT_EQ(store.load_run(id).value().binaries, binaries);
}

TEST_F(StoreTest, runs_are_named_by_number_or_from_the_end) {
  EXPECT_THAT(store.resolve_run("last").error().message, HasSubstr("holds no runs yet"));
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(store.begin_run(invented_run()));
  EXPECT_EQ(store.latest_run().value(), 3);
  EXPECT_EQ(store.resolve_run("last").value(), 3);
  EXPECT_EQ(store.resolve_run("last~0").value(), 3);
  EXPECT_EQ(store.resolve_run("last~2").value(), 1);
  EXPECT_EQ(store.resolve_run("2").value(), 2);
  EXPECT_THAT(store.resolve_run("last~3").error().message, HasSubstr("no run last~3"));
  EXPECT_THAT(store.resolve_run("4").error().message, HasSubstr("the newest is 3"));
  for (const auto* wrong : {"", "latest", "last1", "last~", "last~x", "~1", "-1", "last~-1", "2x", "1e3",
                            "99999999999999999999", " 2"}) {
    const auto resolved = store.resolve_run(wrong);
    ASSERT_FALSE(resolved) << wrong;
    EXPECT_THAT(resolved.error().message, HasSubstr("does not name a run")) << wrong;
  }
}

TEST_F(StoreTest, a_history_holds_one_series_oldest_first) {
  std::vector<BenchmarkResult> stored;
  for (int i = 0; i < 4; ++i) {
    auto run = invented_run();
    run.commit = std::to_string(i);
    const auto id = store.begin_run(run).value();
    auto result = invented_result(1);
    result.metrics[0].samples[0].total = i;
    result.metrics[0].summary.n = 29;
    result.metrics[0].summary.median = Estimate{100.0 + i, {}, {}, 0.95, "order statistic"};
    result.metrics[0].summary.mad = 2.5;
    auto other_workload = result;
    other_workload.workload.threads = 1;
    other_workload.binary = "./other";
    ASSERT_TRUE(store.add_results(id, std::vector{result, other_workload, invented_result(2)}));
    stored.push_back(result);
  }
  const auto points = store.history(series_key(stored[0], stored[0].metrics[0])).value();
  ASSERT_EQ(points.size(), 4u);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(points[i].run, static_cast<std::int64_t>(i + 1));
    EXPECT_EQ(points[i].commit, std::to_string(i));
    EXPECT_EQ(points[i].binary, "./bench");
    EXPECT_EQ(points[i].fingerprint, invented_run().machine.fingerprint());
    EXPECT_EQ(points[i].started_unix_ms, invented_run().started_unix_ms);
    EXPECT_EQ(points[i].median, 100.0 + static_cast<double>(i));
    EXPECT_EQ(points[i].mad, 2.5);
    auto metric = stored[i].metrics[0];
    metric.summary = {};
    EXPECT_EQ(points[i].metric, metric);
  }
  auto unknown = series_key(stored[0], stored[0].metrics[0]);
  unknown.unit = "s";
  EXPECT_TRUE(store.history(unknown).value().empty());
}

TEST_F(StoreTest, series_are_listed_by_benchmark) {
  const auto id = store.begin_run(invented_run()).value();
  ASSERT_TRUE(store.add_result(id, invented_result(1)));
  ASSERT_TRUE(store.add_result(id, invented_result(2)));
  EXPECT_EQ(store.series().value().size(), 4u);
  const auto result = invented_result(2);
  EXPECT_THAT(store.series("sort/n=2/kind=a b").value(),
              ElementsAre(series_key(result, result.metrics[0]), series_key(result, result.metrics[1])));
  EXPECT_TRUE(store.series("sort").value().empty());
}

TEST_F(StoreTest, two_binaries_may_measure_the_same_benchmark_in_one_run) {
  const auto id = store.begin_run(invented_run()).value();
  auto old_side = invented_result(1);
  auto new_side = old_side;
  new_side.binary = "./new";
  ASSERT_TRUE(store.add_result(id, old_side));
  ASSERT_TRUE(store.add_result(id, new_side));
  EXPECT_THAT(store.load_run(id).value().results, ElementsAre(old_side, new_side));
  const auto points = store.history(series_key(old_side, old_side.metrics[0])).value();
  ASSERT_EQ(points.size(), 2u);
  EXPECT_EQ(points[0].binary, "./bench");
  EXPECT_EQ(points[1].binary, "./new");
}

TEST_F(StoreTest, results_are_only_added) {
  const auto id = store.begin_run(invented_run()).value();
  ASSERT_TRUE(store.add_result(id, invented_result(1)));
  const auto again = store.add_result(id, invented_result(1));
  ASSERT_FALSE(again);
  EXPECT_THAT(again.error().message, HasSubstr("already stored in run 1"));
  EXPECT_EQ(store.load_run(id).value().results.size(), 1u);
}

TEST_F(StoreTest, results_added_together_are_stored_all_or_none) {
  const auto id = store.begin_run(invented_run()).value();
  EXPECT_FALSE(
      store.add_results(id, std::vector{invented_result(1), invented_result(2), invented_result(1)}));
  EXPECT_TRUE(store.load_run(id).value().results.empty());
  EXPECT_TRUE(store.series().value().empty());
}

TEST_F(StoreTest, misuse_is_answered_with_what_is_wrong) {
  EXPECT_THAT(store.add_result(7, invented_result(1)).error().message, HasSubstr("there is no run 7"));
  EXPECT_THAT(store.finish_run(7, 1).error().message, HasSubstr("there is no run 7"));
  EXPECT_THAT(store.set_binaries(7, {}).error().message, HasSubstr("there is no run 7"));
  EXPECT_THAT(store.load_run(7).error().message, HasSubstr("there is no run 7"));
  const auto id = store.begin_run(invented_run()).value();
  auto twice = invented_result(1);
  twice.metrics[1].name = "time";
  EXPECT_THAT(store.add_result(id, twice).error().message, HasSubstr("two metrics named 'time'"));
}

TEST_F(StoreTest, artifacts_are_found_by_their_content) {
  const std::vector<std::byte> bytes{std::byte{1}, std::byte{0}, std::byte{255}};
  const auto hash = store.put_artifact(bytes).value();
  EXPECT_EQ(store.put_artifact(bytes).value(), hash);
  EXPECT_EQ(store.get_artifact(hash).value(), bytes);
  const auto nothing = store.put_artifact({}).value();
  EXPECT_TRUE(store.get_artifact(nothing).value().empty());
  EXPECT_THAT(store.get_artifact("00").error().message, HasSubstr("no artifact 00"));
}

TEST(StorePath, the_nearest_project_holds_the_store) {
  TemporaryDirectory root;
  std::filesystem::create_directories(root / "project/src/deep");
  std::filesystem::create_directories(root / "project/.git");
  EXPECT_EQ(default_store_path(root / "project/src/deep"), root / "project/.tare/results.db");
  EXPECT_EQ(default_store_path(root / "project/"), root / "project/.tare/results.db");
  std::filesystem::create_directories(root / "project/src/.tare");
  EXPECT_EQ(default_store_path(root / "project/src/deep"), root / "project/src/.tare/results.db");
  // A linked work tree has a file named .git.
  std::ofstream(root / "project/src/deep/.git") << "gitdir: elsewhere\n";
  EXPECT_EQ(default_store_path(root / "project/src/deep"), root / "project/src/deep/.tare/results.db");
}

TEST(StorePath, without_a_project_the_directory_itself_does) {
  EXPECT_EQ(default_store_path("/no-such-directory/deep"), "/no-such-directory/deep/.tare/results.db");
}

}  // namespace
}  // namespace tare
