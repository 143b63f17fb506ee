#include "bench/report/runs_report.hpp"

#include <gmock/gmock.h>

#include "bench/report/golden.hpp"
#include "bench/support/text.hpp"

namespace tare {
namespace {

using namespace testing_report;
using testing::HasSubstr;
using testing::Not;

std::vector<RunInfo> runs() {
  RunInfo first;
  first.id = 12;
  first.started_unix_ms = 1794907812000;
  first.commit = "1a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d+";
  first.benchmarks = 14;
  first.tags = {{"branch", "main"}};
  first.fingerprint = "0123456789abcdef";
  first.command = "tare run build/bin/core_bench --processes 5 --precision 1%";
  RunInfo second = first;
  second.id = 11;
  second.started_unix_ms = 1794821412000;
  second.commit = "99aabbccddee";
  second.failed = 2;
  second.tags = {};
  second.command =
      "tare run build/bin/core_bench --filter 'sort/.*' --processes 10 --budget 2min --tag branch=main";
  RunInfo third;
  third.id = 3;
  third.benchmarks = 1;
  third.command = "evil\x1b[2J\nname";
  return {first, second, third};
}

TEST(RunsReport, looks_as_agreed) {
  expect_golden("runs_60.txt", runs_report(runs(), {60, {}, false}));
  expect_golden("runs_120.txt", runs_report(runs(), {120, {}, false}));
}

TEST(RunsReport, stays_within_the_width_and_prints_no_control_character) {
  for (const std::size_t width : {40, 60, 80, 120}) {
    const auto text = runs_report(runs(), {width, {}, false});
    EXPECT_EQ(text.find('\x1b'), std::string::npos);
    for (const auto& line : split(text, '\n')) EXPECT_LE(display_width(line), width);
  }
}

TEST(RunsReport, an_empty_store_says_what_to_do) {
  EXPECT_THAT(runs_report({}), HasSubstr("tare run"));
}

TEST(RunsReport, tags_take_no_column_when_there_are_none) {
  auto list = runs();
  EXPECT_THAT(runs_report(list), HasSubstr("tags"));
  list[0].tags.clear();
  EXPECT_THAT(runs_report(list), Not(HasSubstr("tags")));
}

TEST(BaselinesReport, names_run_time_commit_and_note) {
  const std::vector<Baseline> list{{"main", 12, 1794907812000, "before the\x1b[2J rewrite", "1a2b3c4d5e6f+"},
                                   {"v1.0", 3, 1794821412000, "", ""}};
  const auto text = baselines_report(list, {80, {}, false});
  EXPECT_EQ(text,
            "baseline  run  saved (UTC)       commit     note\n"
            "─────────────────────────────────────────────────────────────────────\n"
            "main       12  2026-11-17 09:30  1a2b3c4d…  before the\\x1b[2J rewrite\n"
            "v1.0        3  2026-11-16 09:30  –\n");
  for (const auto& line : split(baselines_report(list, {45, {}, false}), '\n')) {
    EXPECT_LE(display_width(line), 45u);
  }
  EXPECT_THAT(baselines_report({}), HasSubstr("tare baseline save NAME"));
}

}  // namespace
}  // namespace tare
