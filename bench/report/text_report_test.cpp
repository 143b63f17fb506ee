#include "bench/report/text_report.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "bench/report/golden.hpp"
#include "bench/report/invented_run.hpp"
#include "bench/support/text.hpp"

namespace tare {
namespace {

using namespace testing_report;
using testing::HasSubstr;
using testing::Not;

ReportOptions at(std::size_t width, bool colour = false) {
  return {width, Style{colour}, false};
}

std::string without_colour(std::string text) {
  for (auto start = text.find('\x1b'); start != std::string::npos; start = text.find('\x1b')) {
    text.erase(start, text.find('m', start) + 1 - start);
  }
  return text;
}

std::size_t widest(const std::string& text) {
  std::size_t most = 0;
  for (const auto& line : split(text, '\n')) most = std::max(most, display_width(line));
  return most;
}

std::string line_with(const std::string& text, const std::string& part) {
  for (const auto& line : split(text, '\n')) {
    if (line.find(part) != std::string::npos) return line;
  }
  return "";
}

TEST(TextReport, normal_run_looks_as_agreed_at_three_widths) {
  for (const std::size_t width : {60, 100, 160}) {
    expect_golden(fmt::format("normal_{}.txt", width),
                  run_header(normal_run(), at(width)) + text_report(normal_run(), at(width)));
  }
}

TEST(TextReport, every_outcome_looks_as_agreed) {
  expect_golden("failing_60.txt", text_report(failing_run(), at(60)));
  expect_golden("failing_100.txt", text_report(failing_run(), at(100)));
}

TEST(TextReport, doubtful_results_look_as_agreed) {
  expect_golden("doubtful_100.txt", text_report(doubtful_run(), at(100)));
}

TEST(TextReport, hostile_names_look_as_agreed) {
  expect_golden("hostile_100.txt", text_report(hostile_run(), at(100)));
}

TEST(TextReport, no_results_is_said_in_a_sentence) {
  EXPECT_THAT(text_report(empty_run()), HasSubstr("No benchmark was run"));
  EXPECT_EQ(text_report(tare::Run{}),
            "No benchmark was run: the filter matched nothing or the binary defines none.\n");
}

TEST(TextReport, a_wrong_answer_never_shows_a_time) {
  const auto text = text_report(failing_run());
  EXPECT_THAT(text, Not(HasSubstr("778")));
  EXPECT_THAT(text, Not(HasSubstr("777")));
  EXPECT_THAT(text, HasSubstr("check failed: gradient differs"));
}

TEST(TextReport, undefined_is_never_zero) {
  const auto text = text_report(doubtful_run());
  EXPECT_THAT(line_with(text, "single"), HasSubstr("2.50 s"));
  EXPECT_THAT(line_with(text, "single"), HasSubstr("–"));
  EXPECT_THAT(line_with(text, "tiny"), HasSubstr("below resolution"));
  EXPECT_THAT(line_with(text, "tiny"), Not(HasSubstr(" 0 ")));
  auto run = doubtful_run();
  run.results[1].metrics[0].summary.warnings.clear();
  EXPECT_THAT(line_with(text_report(run), "tiny"), HasSubstr("undefined"));
}

TEST(TextReport, energy_carries_its_label_and_missing_meters_their_reason) {
  const auto text = text_report(doubtful_run());
  EXPECT_THAT(line_with(text, "single"), HasSubstr("12.3 mJ estimated"));
  EXPECT_THAT(text, HasSubstr("energy: estimated (15 W per busy core)"));
  EXPECT_THAT(text, HasSubstr("instructions: unavailable (perf_event_paranoid is 3)"));
}

TEST(TextReport, no_line_is_wider_than_asked) {
  for (const auto& run : {normal_run(), failing_run(), doubtful_run(), hostile_run(), empty_run()}) {
    for (const std::size_t width : {40, 60, 79, 80, 100, 160}) {
      EXPECT_LE(widest(text_report(run, at(width))), width);
    }
  }
}

TEST(TextReport, colour_adds_escape_codes_and_nothing_else) {
  for (const auto& run : {normal_run(), failing_run(), doubtful_run(), hostile_run()}) {
    const auto plain = text_report(run, at(100));
    const auto colour = text_report(run, at(100, true));
    EXPECT_EQ(plain.find('\x1b'), std::string::npos);
    EXPECT_NE(colour, plain);
    EXPECT_EQ(without_colour(colour), plain);
  }
}

TEST(TextReport, a_warning_text_stands_once_and_names_its_benchmarks) {
  const auto text = text_report(normal_run(), at(160));
  const auto first = text.find("severe outliers");
  ASSERT_NE(first, std::string::npos);
  EXPECT_EQ(text.find("severe outliers", first + 1), std::string::npos);
  EXPECT_THAT(text, HasSubstr("[1] sort/doubles/n=1024, parse/json: 5 of 200"));
  EXPECT_THAT(line_with(text, "4.57 ms"), HasSubstr("[1,2]"));
}

TEST(TextReport, a_warning_about_every_benchmark_marks_no_row) {
  const auto text = text_report(doubtful_run());
  EXPECT_THAT(text, HasSubstr("all benchmarks: Compiled without optimisation"));
  EXPECT_THAT(line_with(text, "single"), HasSubstr("[1]"));
  EXPECT_THAT(line_with(text, "single"), Not(HasSubstr("[1,")));
}

TEST(TextReport, a_warning_about_a_phase_names_the_phase) {
  const auto text = text_report(normal_run(), at(160));
  EXPECT_THAT(text, HasSubstr("[3] backward of mlp/train/batch=32: The samples form 2 clusters"));
  EXPECT_THAT(line_with(text, "498 µs"), HasSubstr("[3]"));
  EXPECT_THAT(line_with(text, "812 µs"), Not(HasSubstr("[3]")));
}

TEST(TextReport, many_different_texts_of_one_doubt_are_counted_not_listed) {
  tare::Run run;
  for (int i = 0; i < 9; ++i) {
    run.results.push_back(measured(fmt::format("b{}", i), {}, 10, 1));
    run.results.back().warnings = {{Doubt::outliers, fmt::format("{} outliers.", i)}};
  }
  const auto text = text_report(run);
  EXPECT_THAT(text, HasSubstr("b2: 2 outliers."));
  EXPECT_THAT(text, Not(HasSubstr("b3: 3 outliers.")));
  EXPECT_THAT(text, HasSubstr("… and 6 more like these (outliers)"));
}

TEST(TextReport, several_binaries_become_groups) {
  auto run = normal_run();
  run.results[2].binary = run.results[3].binary = "build/other_bench";
  const auto text = text_report(run);
  EXPECT_THAT(text, HasSubstr("\nbuild/core_bench\n  sort/doubles"));
  EXPECT_THAT(text, HasSubstr("\nbuild/other_bench\n  mlp/train"));
}

TEST(TextReport, a_phase_shows_its_own_metrics_and_they_take_no_column) {
  const auto text = text_report(normal_run(), at(100));
  EXPECT_THAT(line_with(text, "backward"), HasSubstr("4.5"));
  EXPECT_THAT(text, Not(HasSubstr("allocations/")));
}

TEST(TextReport, the_header_leaves_out_what_is_not_known) {
  EXPECT_EQ(run_header(tare::Run{}), "");
  tare::Run run;
  run.commit = "abc\x1b";
  EXPECT_EQ(run_header(run), "commit abc\\x1b\n\n");
}

TEST(TextReport, columns_given_up_for_the_width_are_named) {
  EXPECT_THAT(text_report(normal_run(), at(60)), HasSubstr("not shown at this width: bytes/s"));
  EXPECT_THAT(text_report(normal_run(), at(160)), Not(HasSubstr("not shown at this width")));
}

}  // namespace
}  // namespace tare
