// What a person reads when the store cannot be used: one line for each way it can fail, and nothing lost.
#include <csignal>
#include <fstream>
#include <gmock/gmock.h>
#include <grp.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "bench/store/schema.hpp"
#include "bench/store/store_fixture.hpp"

namespace tare {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using sqlite::Access;
using sqlite::Database;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using Mode = Store::Mode;

class Faults : public testing::Test {
 protected:
  Faults() : path(directory / "results.db") {
    fs::permissions(directory.path(), fs::perms(0755));
    auto store = Store::open(path, Mode::create).value();
    const auto run = store.begin_run(invented_run()).value();
    for (int i = 0; i < 50; ++i) (void)store.add_result(run, invented_result(i)).value();
  }

  static std::string opening(const std::string& path, Mode mode) {
    auto store = Store::open(path, mode, 50ms);
    return store ? "opened" : store.error().message;
  }
  TemporaryDirectory directory;
  std::string path;
};

testing::Matcher<const std::string&> one_line_with(const std::string& text) {
  return AllOf(HasSubstr(text), HasSubstr("--store"), Not(HasSubstr("\n")));
}

/// Permission bits do not stop root, so root's work is done by a child that gave root up.
std::string as_ordinary_user(const std::function<std::string()>& work) {
  return in_child([&]() -> std::string {
    constexpr unsigned nobody = 65534;
    if (geteuid() == 0 && (setgroups(0, nullptr) != 0 || setresgid(nobody, nobody, nobody) != 0 ||
                           setresuid(nobody, nobody, nobody) != 0)) {
      return "cannot drop root";
    }
    return work();
  });
}

/// Skips where a sandbox lets nobody stop being root.
#define REQUIRE_ORDINARY_USER()                                                           \
  if (as_ordinary_user([] { return std::string("yes"); }) != "yes") {                     \
    GTEST_SKIP() << "runs as root and may not become another user: nothing is read-only"; \
  }

TEST_F(Faults, a_missing_store_is_not_created_by_reading) {
  const auto missing = directory / "none.db";
  EXPECT_THAT(opening(missing, Mode::read_only), one_line_with("there is no results store at " + missing));
  EXPECT_THAT(opening(missing, Mode::read_write), one_line_with("there is no results store at " + missing));
  EXPECT_FALSE(fs::exists(missing));
}

TEST_F(Faults, a_directory_is_not_a_store) {
  EXPECT_THAT(opening(directory.path(), Mode::create), HasSubstr("is a directory, not a results store"));
  EXPECT_THAT(opening(directory.path(), Mode::read_only), HasSubstr("is a directory, not a results store"));
}

TEST_F(Faults, no_path_is_refused) {
  EXPECT_THAT(opening("", Mode::create), one_line_with("no path"));
  EXPECT_THAT(opening("", Mode::read_only), one_line_with("no path"));
}

TEST_F(Faults, a_parent_that_cannot_be_a_directory_is_named) {
  EXPECT_THAT(opening(path + "/deeper/results.db", Mode::create),
              one_line_with("cannot create the directory " + path + "/deeper"));
}

TEST_F(Faults, names_with_a_meaning_to_sqlite_are_only_names) {
  for (const std::string name : {":memory:", "file:x?mode=memory", "50%#?.db"}) {
    const auto told = in_child([&]() -> std::string {
      if (chdir(directory.path().c_str()) != 0) return "chdir failed";
      const auto created = opening(name, Mode::create);
      return created + ", " + opening(name, Mode::read_only);
    });
    EXPECT_EQ(told, "opened, opened") << name;
    EXPECT_TRUE(fs::is_regular_file(directory / name)) << name;
  }
}

TEST_F(Faults, an_odd_name_is_also_read_in_a_read_only_directory) {
  REQUIRE_ORDINARY_USER();
  const auto odd = directory / "50%#?.db";
  ASSERT_EQ(opening(odd, Mode::create), "opened");
  fs::permissions(directory.path(), fs::perms(0555));
  EXPECT_EQ(as_ordinary_user([&] { return opening(odd, Mode::read_only); }), "opened");
  fs::permissions(directory.path(), fs::perms(0755));
}

TEST_F(Faults, garbage_is_not_a_store) {
  const auto garbage = directory / "garbage.db";
  std::ofstream(garbage) << std::string(10'000, 'x');
  for (const auto mode : {Mode::read_only, Mode::read_write, Mode::create}) {
    EXPECT_THAT(opening(garbage, mode), one_line_with("file is not a tare store or is corrupt"));
  }
  EXPECT_EQ(fs::file_size(garbage), 10'000u);
}

TEST_F(Faults, a_store_cut_in_the_middle_is_corrupt) {
  fs::resize_file(path, fs::file_size(path) / 2);
  EXPECT_THAT(opening(path, Mode::read_only), one_line_with("corrupt"));
  EXPECT_THAT(opening(path, Mode::create), one_line_with("corrupt"));
}

TEST_F(Faults, damaged_pages_are_found) {
  {
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(8192);
    file << std::string(static_cast<std::size_t>(fs::file_size(path)) - 8192, '\xa5');
  }
  auto store = Store::open(path, Mode::read_only).value();
  EXPECT_THAT(store.load_run(1).error().message, one_line_with("corrupt"));
  EXPECT_THAT(store.verify().error().message, one_line_with("corrupt"));
}

TEST_F(Faults, damaged_samples_name_their_benchmark) {
  auto database = Database::open(path, Access::read_write, 1s).value();
  ASSERT_TRUE(database.execute("UPDATE result SET samples = X'0105' WHERE position = 7"));
  auto store = Store::open(path, Mode::read_only).value();
  EXPECT_THAT(
      store.load_run(1).error().message,
      AllOf(HasSubstr("run 1 cannot be read"), HasSubstr("sort/n=7/kind=a b, time: samples are corrupt")));
}

TEST_F(Faults, columns_that_do_not_parse_are_reported) {
  auto database = Database::open(path, Access::read_write, 1s).value();
  auto store = Store::open(path, Mode::read_only).value();
  for (const auto* damage :
       {"UPDATE measurement SET outcome = 'dizzy'", "UPDATE measurement SET warnings = '{'",
        "UPDATE run_detail SET machine = '7'", "UPDATE run_detail SET binaries = 'x'"}) {
    ASSERT_TRUE(database.execute(std::string("SAVEPOINT s; ") + damage + "; RELEASE s"));
    const auto loaded = store.load_run(1);
    ASSERT_FALSE(loaded) << damage;
    EXPECT_THAT(loaded.error().message, HasSubstr("run 1 cannot be read"));
  }
  // The connection serves on after each failure.
  EXPECT_EQ(store.runs().value().size(), 1u);
}

TEST_F(Faults, a_damaged_artifact_is_not_handed_out) {
  const std::vector<std::byte> bytes{std::byte{1}};
  auto store = Store::open(path, Mode::read_write).value();
  const auto hash = store.put_artifact(bytes).value();
  ASSERT_TRUE(Database::open(path, Access::read_write, 1s)->execute("UPDATE artifact SET bytes = X'02'"));
  EXPECT_THAT(store.get_artifact(hash).error().message, HasSubstr("is damaged"));
}

TEST_F(Faults, a_locked_store_can_be_read_and_says_so_when_written) {
  auto other = Database::open(path, Access::read_write, 1s).value();
  ASSERT_TRUE(other.execute("BEGIN EXCLUSIVE"));
  auto store = Store::open(path, Mode::read_write, 50ms);
  ASSERT_TRUE(store) << store.error().message;
  EXPECT_EQ(store->load_run(1).value().results.size(), 50u);
  EXPECT_THAT(store->add_result(1, invented_result(99)).error().message,
              one_line_with("stayed locked by another process for 50ms"));
  EXPECT_THAT(store->begin_run(invented_run()).error().message, one_line_with("stayed locked"));
  ASSERT_TRUE(other.execute("COMMIT"));
  EXPECT_TRUE(store->add_result(1, invented_result(99)));
}

TEST_F(Faults, a_store_locked_whole_is_not_opened) {
  const auto owner = start([&](int to) {
    auto database = Database::open(path, Access::read_write, 1s);
    if (!database || !database->execute("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; COMMIT")) _exit(1);
    report(to, 1);
    pause();
  });
  ASSERT_TRUE(next_report(owner.reports));
  EXPECT_THAT(opening(path, Mode::read_write), one_line_with("stayed locked by another process for 50ms"));
  EXPECT_THAT(opening(path, Mode::read_only), one_line_with("stayed locked by another process for 50ms"));
  kill(owner.process, SIGKILL);
  waitpid(owner.process, nullptr, 0);
  drain(owner.reports);
  EXPECT_EQ(opening(path, Mode::read_write), "opened");
}

TEST_F(Faults, a_full_disk_keeps_what_was_stored_and_says_what_to_do) {
  const auto told = in_child([&]() -> std::string {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{400'000, 400'000};
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0) return "setrlimit failed";
    auto store = Store::open(path, Mode::read_write).value();
    for (int i = 1000; i < 100'000; ++i) {
      auto added = store.add_result(1, invented_result(i));
      if (!added) return std::to_string(i) + " " + added.error().message;
    }
    return "never full";
  });
  EXPECT_THAT(told, one_line_with("cannot grow"));
  auto store = Store::open(path, Mode::read_write).value();
  EXPECT_TRUE(store.verify());
  // The child stopped at the first failure: all before it are there and the failed one is not.
  const auto failed_at = static_cast<std::size_t>(std::stoi(told));
  EXPECT_EQ(store.load_run(1).value().results.size(), 50 + failed_at - 1000);
  EXPECT_TRUE(store.add_result(1, invented_result(99)));
}

TEST_F(Faults, a_store_out_of_pages_is_full) {
  auto database = Database::open(path, Access::read_write, 1s).value();
  ASSERT_TRUE(database.execute("PRAGMA max_page_count = 1"));
  const auto told = database.execute("INSERT INTO artifact VALUES ('x', zeroblob(1000000))");
  EXPECT_THAT(told.error().message, one_line_with("cannot grow"));
}

TEST_F(Faults, a_read_only_file_is_read_but_not_written) {
  REQUIRE_ORDINARY_USER();
  fs::permissions(path, fs::perms(0444));
  fs::permissions(directory.path(), fs::perms(0777));
  EXPECT_THAT(as_ordinary_user([&] { return opening(path, Mode::read_write); }),
              one_line_with("is read-only"));
  EXPECT_THAT(as_ordinary_user([&] { return opening(path, Mode::create); }), one_line_with("is read-only"));
  EXPECT_EQ(as_ordinary_user([&] { return opening(path, Mode::read_only); }), "opened");
}

TEST_F(Faults, a_store_in_a_read_only_directory_is_read_but_not_written) {
  REQUIRE_ORDINARY_USER();
  fs::permissions(path, fs::perms(0444));
  fs::permissions(directory.path(), fs::perms(0555));
  EXPECT_EQ(as_ordinary_user([&] {
              auto store = Store::open(path, Mode::read_only).value();
              return std::to_string(store.load_run(1).value().results.size());
            }),
            "50");
  EXPECT_THAT(as_ordinary_user([&] { return opening(path, Mode::read_write); }),
              one_line_with("cannot be written"));
  EXPECT_THAT(as_ordinary_user([&] { return opening(directory / "new.db", Mode::create); }),
              one_line_with("its directory cannot be written"));
  EXPECT_THAT(as_ordinary_user([&] { return opening(directory / "new/new.db", Mode::create); }),
              one_line_with("cannot create the directory"));
  fs::permissions(directory.path(), fs::perms(0755));
}

TEST_F(Faults, a_read_only_connection_cannot_write) {
  auto store = Store::open(path, Mode::read_only).value();
  EXPECT_THAT(store.begin_run(invented_run()).error().message, one_line_with("is read-only"));
}

TEST_F(Faults, an_unreadable_file_is_named) {
  REQUIRE_ORDINARY_USER();
  fs::permissions(path, fs::perms(0000));
  const auto told = as_ordinary_user([&] { return opening(path, Mode::read_only); });
  EXPECT_THAT(told, one_line_with("cannot be read: Permission denied"));
}

}  // namespace
}  // namespace tare
