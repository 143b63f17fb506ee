#include "bench/store/schema.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bench/store/store_fixture.hpp"

namespace tare {
namespace {

using sqlite::Access;
using sqlite::Database;
using testing::HasSubstr;
constexpr std::chrono::milliseconds patience{1000};

Database open(const std::string& path) {
  return Database::open(path, Access::create, patience).value();
}

TEST(Schema, a_store_of_version_1_keeps_its_data_when_brought_up_to_date) {
  TemporaryDirectory directory;
  const auto path = directory / "results.db";
  {
    auto old = open(path);
    ASSERT_TRUE(migrate(old, 1));
    ASSERT_EQ(check_schema(old).value(), 1);
    // A blob of one sample: whole totals, total 7, process 0, 3 iterations, no interference.
    const auto filled = old.execute(R"sql(
      INSERT INTO run VALUES (5, 1000, 'c0ffee', 'f', -1);
      INSERT INTO run_detail VALUES (5, 'cmd', 'dir', '{"a":"b"}', '{"cpu":"x"}', '[]');
      INSERT INTO benchmark VALUES (1, 'sort', '[["n","8"]]', '{"batch":1,"data_hash":"","device":"cpu",'
        || '"dtype":"","precision":"","seed":0,"shape":[],"threads":1}');
      INSERT INTO series VALUES (1, 1, 'time', 'ns', 'less', 'noisy');
      INSERT INTO measurement VALUES (5, 0, 1, './b', 'ok', '', '', '{}', 0, 0, 0, 1, NULL, '[]', '');
      INSERT INTO result VALUES (1, 5, 0, 0, 1, 7, NULL, 'measured', 0, 0, 0, 0, X'0101010E0001030100');
    )sql");
    ASSERT_TRUE(filled) << filled.error().message;
  }
  const auto reader = Store::open(path, Store::Mode::read_only);
  ASSERT_FALSE(reader);
  EXPECT_THAT(reader.error().message, HasSubstr("has schema 1"));

  auto store = Store::open(path, Store::Mode::read_write);
  ASSERT_TRUE(store) << store.error().message;
  auto raw = open(path);
  EXPECT_EQ(check_schema(raw).value(), schema_version);
  auto run = store->load_run(5);
  ASSERT_TRUE(run) << run.error().message;
  EXPECT_EQ(run->commit, "c0ffee");
  EXPECT_EQ(run->tags, (Tags{{"a", "b"}}));
  ASSERT_EQ(run->results.size(), 1u);
  EXPECT_EQ(run->results[0].id.full(), "sort/n=8");
  EXPECT_EQ(run->results[0].metrics.at(0).samples, (std::vector<Sample>{{0, 3, 7, {}}}));
  // The old rows take part in what version 2 added, and continue in new runs.
  ASSERT_TRUE(store->finish_run(5, 2000));
  EXPECT_EQ(store->runs().value().at(0).finished_unix_ms, 2000);
  EXPECT_TRUE(store->put_artifact({}));
  ASSERT_TRUE(store->save_baseline({"main", 5, 3000, "", ""}));
  EXPECT_EQ(store->resolve_run("main").value(), 5);
  const auto next = store->begin_run(invented_run()).value();
  ASSERT_TRUE(store->add_result(next, run->results[0]));
  EXPECT_EQ(store->history(series_key(run->results[0], run->results[0].metrics[0])).value().size(), 2u);
  EXPECT_TRUE(store->verify());
}

TEST(Schema, a_migration_that_fails_leaves_the_store_as_it_was) {
  TemporaryDirectory directory;
  const auto path = directory / "results.db";
  auto database = open(path);
  ASSERT_TRUE(migrate(database, 1));
  ASSERT_TRUE(database.execute("CREATE TABLE artifact (something TEXT)"));
  EXPECT_FALSE(migrate(database));
  EXPECT_EQ(check_schema(database).value(), 1);
  EXPECT_EQ(database.integer("SELECT COUNT(*) FROM pragma_table_info('run')").value(), 5);
}

TEST(Schema, a_store_of_version_2_gets_baselines) {
  TemporaryDirectory directory;
  const auto path = directory / "results.db";
  {
    auto old = open(path);
    ASSERT_TRUE(migrate(old, 2));
    ASSERT_TRUE(
        old.execute("INSERT INTO run VALUES (5, 1000, 'c0ffee', 'f', -1, 2000);"
                    "INSERT INTO run_detail VALUES (5, 'cmd', 'dir', '{}', '{}', '[]')"));
  }
  EXPECT_THAT(Store::open(path, Store::Mode::read_only).error().message, HasSubstr("has schema 2"));
  auto store = Store::open(path, Store::Mode::read_write);
  ASSERT_TRUE(store) << store.error().message;
  EXPECT_TRUE(store->baselines().value().empty());
  ASSERT_TRUE(store->save_baseline({"main", 5, 3000, "good", ""}));
  EXPECT_EQ(store->find_baseline("main").value(), (Baseline{"main", 5, 3000, "good", "c0ffee"}));
  EXPECT_EQ(store->runs().value().at(0).finished_unix_ms, 2000);
}

TEST(Schema, a_newer_store_is_refused) {
  TemporaryDirectory directory;
  const auto path = directory / "results.db";
  ASSERT_TRUE(Store::open(path, Store::Mode::create));
  ASSERT_TRUE(open(path).execute("PRAGMA user_version = 99"));
  for (const auto mode : {Store::Mode::read_only, Store::Mode::read_write, Store::Mode::create}) {
    const auto store = Store::open(path, mode);
    ASSERT_FALSE(store);
    EXPECT_THAT(store.error().message,
                HasSubstr("this tare knows up to " + std::to_string(schema_version) + "); update tare"));
  }
  EXPECT_EQ(open(path).integer("PRAGMA user_version").value(), 99);
}

TEST(Schema, another_programs_database_is_left_alone) {
  TemporaryDirectory directory;
  const auto path = directory / "mail.db";
  ASSERT_TRUE(open(path).execute("CREATE TABLE mail (id INTEGER)"));
  const auto store = Store::open(path, Store::Mode::create);
  ASSERT_FALSE(store);
  EXPECT_THAT(store.error().message, HasSubstr("another program's SQLite database"));
  EXPECT_EQ(open(path).integer("SELECT COUNT(*) FROM sqlite_schema").value(), 1);
}

}  // namespace
}  // namespace tare
