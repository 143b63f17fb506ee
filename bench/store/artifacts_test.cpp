#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bench/store/schema.hpp"
#include "bench/store/store_fixture.hpp"

namespace tare {
namespace {

using testing::HasSubstr;

Breakdown breakdown_of(const std::string& benchmark, double ns) {
  Breakdown breakdown;
  breakdown.benchmark = benchmark;
  breakdown.modes = {{"eager", {{"add", OpKind::other, {{8}}, 0, ns, 8, 192, Regime::bandwidth, 0.5}}}};
  return breakdown;
}

TEST(Artifacts, a_run_keeps_its_breakdowns_and_the_later_of_two) {
  TemporaryDirectory directory;
  const auto path = directory / "results.db";
  std::int64_t run = 0, other = 0;
  {
    auto store = Store::open(path, Store::Mode::create).value();
    run = store.begin_run(invented_run()).value();
    other = store.begin_run(invented_run()).value();
    ASSERT_TRUE(store.add_breakdown(run, breakdown_of("a", 1)));
    ASSERT_TRUE(store.add_breakdown(run, breakdown_of("b", 2)));
    ASSERT_TRUE(store.add_breakdown(run, breakdown_of("a", 3)));
    ASSERT_TRUE(store.add_breakdown(other, breakdown_of("b", 2)));
  }
  auto store = Store::open(path, Store::Mode::read_only).value();
  EXPECT_EQ(store.breakdowns(run).value(), (std::vector{breakdown_of("b", 2), breakdown_of("a", 3)}));
  EXPECT_EQ(store.breakdowns(other).value(), std::vector{breakdown_of("b", 2)});
  EXPECT_TRUE(store.breakdowns(99).value().empty());
  auto raw = sqlite::Database::open(path, sqlite::Access::read_only, std::chrono::seconds(1)).value();
  EXPECT_EQ(raw.integer("SELECT COUNT(*) FROM artifact").value(), 3) << "the same bytes are kept once";
}

TEST(Artifacts, a_breakdown_needs_its_run) {
  TemporaryDirectory directory;
  auto store = Store::open(directory / "results.db", Store::Mode::create).value();
  const auto added = store.add_breakdown(7, breakdown_of("a", 1));
  ASSERT_FALSE(added);
  EXPECT_THAT(added.error().message, HasSubstr("no run 7"));
}

TEST(Artifacts, a_damaged_breakdown_is_named) {
  TemporaryDirectory directory;
  const auto path = directory / "results.db";
  auto store = Store::open(path, Store::Mode::create).value();
  const auto run = store.begin_run(invented_run()).value();
  ASSERT_TRUE(store.add_breakdown(run, breakdown_of("a", 1)));
  auto raw = sqlite::Database::open(path, sqlite::Access::read_write, std::chrono::seconds(1)).value();
  ASSERT_TRUE(raw.execute("UPDATE artifact SET bytes = X'7B7D'"));
  const auto read = store.breakdowns(run);
  ASSERT_FALSE(read);
  EXPECT_THAT(read.error().message, HasSubstr("a breakdown of run 1 cannot be read"));
}

TEST(Artifacts, a_store_of_version_4_gets_them) {
  TemporaryDirectory directory;
  const auto path = directory / "results.db";
  {
    auto old = sqlite::Database::open(path, sqlite::Access::create, std::chrono::seconds(1)).value();
    ASSERT_TRUE(migrate(old, 4));
  }
  auto store = Store::open(path, Store::Mode::read_write).value();
  const auto run = store.begin_run(invented_run()).value();
  EXPECT_TRUE(store.add_breakdown(run, breakdown_of("a", 1)));
}

}  // namespace
}  // namespace tare
