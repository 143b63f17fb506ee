#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bench/store/store_fixture.hpp"

namespace tare {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class Baselines : public testing::Test {
 protected:
  Baselines() : store(Store::open(directory / "results.db", Store::Mode::create).value()) {
    for (int i = 0; i < 3; ++i) (void)store.begin_run(invented_run()).value();
  }
  TemporaryDirectory directory;
  Store store;
};

TEST_F(Baselines, come_back_by_name_with_the_commit_of_their_run) {
  const Baseline main{"main", 2, 1'700'000'000'000, "before the \"rewrite\"\n", "abc+"};
  const Baseline early{"early", 1, 5, "", "abc+"};
  ASSERT_TRUE(store.save_baseline(main));
  ASSERT_TRUE(store.save_baseline({"early", 1, 5, "", "ignored"}));
  EXPECT_EQ(store.find_baseline("main").value(), main);
  EXPECT_THAT(store.baselines().value(), ElementsAre(early, main));
  auto reader = Store::open(store.path(), Store::Mode::read_only).value();
  EXPECT_THAT(reader.baselines().value(), ElementsAre(early, main));
}

TEST_F(Baselines, a_run_can_be_named_by_them) {
  ASSERT_TRUE(store.save_baseline({"main", 2, 0, "", ""}));
  ASSERT_TRUE(store.save_baseline({"last-good", 1, 0, "", ""}));
  EXPECT_EQ(store.resolve_run("main").value(), 2);
  EXPECT_EQ(store.resolve_run("last-good").value(), 1);
  EXPECT_EQ(store.resolve_run("last").value(), 3);
  const auto unknown = store.resolve_run("mian");
  ASSERT_FALSE(unknown);
  EXPECT_THAT(unknown.error().message, HasSubstr("no baseline 'mian'"));
  EXPECT_THAT(unknown.error().message, HasSubstr("there are last-good, main"));
}

TEST_F(Baselines, a_taken_name_is_replaced_only_when_asked) {
  ASSERT_TRUE(store.save_baseline({"main", 2, 10, "first", ""}));
  const auto again = store.save_baseline({"main", 3, 20, "second", ""});
  ASSERT_FALSE(again);
  EXPECT_THAT(again.error().message, HasSubstr("exists and names run 2; --replace makes it name run 3"));
  EXPECT_EQ(store.find_baseline("main").value().note, "first");
  ASSERT_TRUE(store.save_baseline({"main", 3, 20, "second", ""}, true));
  EXPECT_EQ(store.find_baseline("main").value(), (Baseline{"main", 3, 20, "second", "abc+"}));
  EXPECT_EQ(store.baselines().value().size(), 1u);
  EXPECT_TRUE(store.save_baseline({"other", 3, 20, "", ""}, true));
}

TEST_F(Baselines, removing_takes_the_name_and_leaves_the_run) {
  ASSERT_TRUE(store.save_baseline({"main", 2, 0, "", ""}));
  ASSERT_TRUE(store.remove_baseline("main"));
  EXPECT_TRUE(store.baselines().value().empty());
  EXPECT_TRUE(store.load_run(2));
  const auto again = store.remove_baseline("main");
  ASSERT_FALSE(again);
  EXPECT_THAT(again.error().message, HasSubstr("there is no baseline 'main'"));
  EXPECT_THAT(again.error().message, HasSubstr("there are none yet"));
}

TEST_F(Baselines, a_run_that_does_not_exist_is_refused) {
  EXPECT_THAT(store.save_baseline({"main", 9, 0, "", ""}).error().message, HasSubstr("there is no run 9"));
  EXPECT_TRUE(store.baselines().value().empty());
}

TEST_F(Baselines, a_name_cannot_be_taken_for_a_run_a_path_or_an_option) {
  for (const auto* good : {"main", "v1.2", "last-good", "Last", "a", "x+y_z-1"}) {
    EXPECT_TRUE(check_baseline_name(good)) << good;
  }
  for (const auto* bad :
       {"", "7", "1e3", "last", "last~1", "-main", "a/b", "./bench", "a b", "é", "a\n", "2fast", "main~1"}) {
    EXPECT_FALSE(check_baseline_name(bad)) << bad;
    EXPECT_THAT(store.save_baseline({bad, 1, 0, "", ""}).error().message,
                HasSubstr("cannot name a baseline"));
  }
  EXPECT_FALSE(check_baseline_name(std::string(101, 'a')));
  EXPECT_TRUE(check_baseline_name(std::string(100, 'a')));
}

TEST_F(Baselines, a_reader_cannot_change_them) {
  auto reader = Store::open(store.path(), Store::Mode::read_only).value();
  EXPECT_FALSE(reader.save_baseline({"main", 1, 0, "", ""}));
  EXPECT_TRUE(store.baselines().value().empty());
}

}  // namespace
}  // namespace tare
