#include "bench/report/comparison_report.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "bench/report/comparison_view.hpp"
#include "bench/report/golden.hpp"
#include "bench/report/invented_comparison.hpp"
#include "bench/support/text.hpp"

namespace tare {
namespace {

using namespace testing_report;
using testing::HasSubstr;
using testing::Not;

ReportOptions at(std::size_t width, bool colour = false) {
  return {width, Style{colour}, false};
}

std::string line_with(const std::string& text, const std::string& part) {
  for (const auto& line : split(text, '\n')) {
    if (line.find(part) != std::string::npos) return line;
  }
  return "";
}

TEST(ComparisonReport, looks_as_agreed) {
  for (const std::size_t width : {60, 100, 160}) {
    expect_golden(fmt::format("comparison_{}.txt", width), comparison_report(full_comparison(), at(width)));
  }
  expect_golden("comparison_doubtful.txt", comparison_report(doubtful_comparison(), at(100)));
  expect_golden("comparison_hostile.txt", comparison_report(hostile_comparison(), at(100)));
}

TEST(ComparisonReport, a_verdict_line_tells_effect_interval_p_and_effort) {
  const auto line = line_with(comparison_report(full_comparison(), at(130)), "sort");
  EXPECT_THAT(line, testing::ContainsRegex("sort +2\\.50× slower +95 % CI \\[2\\.40, 2\\.60\\] +p 0\\.0004"));
  EXPECT_THAT(line, HasSubstr("(8 processes × 24 rounds, 6.1 s)"));
}

TEST(ComparisonReport, worst_comes_first_in_each_group) {
  const auto text = comparison_report(full_comparison(), at(100));
  std::size_t last = 0;
  for (const auto* name :
       {"null", "sort", "mlp/train", "engine", "mlp/backward", "undecided/thing", "same/thing"}) {
    const auto found = text.find(fmt::format("\n{}", name));
    ASSERT_NE(found, std::string::npos) << name;
    EXPECT_GT(found, last) << name;
    last = found;
  }
}

TEST(ComparisonReport, only_exact_metrics_that_changed_are_rows) {
  const auto text = comparison_report(full_comparison(), at(100));
  EXPECT_THAT(line_with(text, "allocations"), HasSubstr("3 → 4"));
  EXPECT_THAT(line_with(text, "instructions"), HasSubstr("1.23457e+08 → 1.23456e+08"));
  EXPECT_THAT(text, Not(HasSubstr("peak_bytes")));
  EXPECT_THAT(text, Not(HasSubstr("3 → 3")));
  EXPECT_THAT(line_with(text, "tape_bytes"), HasSubstr("gone"));
}

TEST(ComparisonReport, normalised_metrics_are_a_line_when_there_is_more_than_the_speed_up) {
  const auto text = comparison_report(full_comparison(), at(160));
  const auto line = line_with(text, "speed-up");
  EXPECT_THAT(line, HasSubstr("speed-up 1.80 [1.62, 2.01]"));
  EXPECT_THAT(line, HasSubstr("compression 3.98 "));
  EXPECT_THAT(line, HasSubstr("accuracy delta -0.4"));
  EXPECT_THAT(text, Not(HasSubstr("speed-up 0.4"))) << "sort has nothing else";
}

TEST(ComparisonReport, undecided_says_what_it_would_take) {
  EXPECT_THAT(comparison_report(full_comparison(), at(160)),
              HasSubstr("undecided: 12 more processes would find 1 %"));
  auto comparison = full_comparison();
  comparison.benchmarks[1].metrics[0].processes_needed = 8;
  EXPECT_THAT(comparison_report(comparison, at(160)), Not(HasSubstr("more process")));
}

TEST(ComparisonReport, where_rounds_repeat_rounds_are_counted) {
  auto comparison = full_comparison();
  auto& pair = comparison.benchmarks[1];
  pair.processes = 0;
  pair.rounds = 12;
  pair.metrics[0].processes_needed = 13;
  const auto text = comparison_report(comparison, at(160));
  EXPECT_THAT(text, HasSubstr("(12 rounds, "));
  EXPECT_THAT(text, HasSubstr("undecided: 1 more round would find 1 %"));
}

TEST(ComparisonReport, the_share_between_processes_is_given_up_first) {
  const auto first_width_with = [](const std::string& header) {
    for (std::size_t width = 40; width < 250; ++width) {
      if (line_with(comparison_report(full_comparison(), at(width)), "benchmark  ").find(header) !=
          std::string::npos) {
        return width;
      }
    }
    return std::size_t{0};
  };
  EXPECT_GT(first_width_with("between"), first_width_with("times"));
  EXPECT_GT(first_width_with("times"), first_width_with("measured"));
  EXPECT_GT(first_width_with("measured"), first_width_with("interval"));
}

TEST(ComparisonReport, what_weakens_the_whole_is_said_above_it) {
  const auto doubtful = comparison_report(doubtful_comparison());
  EXPECT_THAT(doubtful, HasSubstr("Identical binaries: what is found is noise."));
  EXPECT_THAT(doubtful, HasSubstr("Stored runs: drift between them was not controlled."));
  EXPECT_THAT(doubtful, HasSubstr("not corrected"));
  EXPECT_THAT(doubtful, HasSubstr("no interval"));
  const auto full = comparison_report(full_comparison(), at(100));
  EXPECT_THAT(full, HasSubstr("Compared although threads differ: 1 / 2 (mlp/train)."));
  EXPECT_THAT(line_with(full, "mlp/train  "), HasSubstr("≠"));
  EXPECT_THAT(full, HasSubstr("corrected by Holm"));
  EXPECT_THAT(full, Not(HasSubstr("Identical")));
  EXPECT_THAT(full, Not(HasSubstr("Stored")));
}

TEST(ComparisonReport, no_line_is_wider_than_asked_and_no_control_character_passes) {
  for (const auto& comparison :
       {full_comparison(), doubtful_comparison(), hostile_comparison(), tare::Comparison{}}) {
    for (const std::size_t width : {40, 60, 79, 80, 100, 160}) {
      const auto text = comparison_report(comparison, at(width));
      for (const auto& line : split(text, '\n')) {
        EXPECT_LE(display_width(line), width) << line;
        EXPECT_EQ(printable(line), line);
      }
    }
  }
}

TEST(ComparisonReport, colour_adds_escape_codes_and_nothing_else) {
  const auto plain = comparison_report(full_comparison(), at(100));
  auto colour = comparison_report(full_comparison(), at(100, true));
  EXPECT_NE(colour, plain);
  for (auto start = colour.find('\x1b'); start != std::string::npos; start = colour.find('\x1b')) {
    colour.erase(start, colour.find('m', start) + 1 - start);
  }
  EXPECT_EQ(colour, plain);
}

TEST(ComparisonReport, nothing_compared_is_said) {
  EXPECT_THAT(comparison_report(tare::Comparison{}), HasSubstr("No benchmark is on both sides"));
}

TEST(Factor, has_just_the_digits_its_interval_needs) {
  EXPECT_EQ(factor_of({0.5556, 0.4975, 0.6173, 0.95, ""}).point, "1.80");
  EXPECT_EQ(factor_of({0.5556, 0.4975, 0.6173, 0.95, ""}).interval, "[1.62, 2.01]");
  EXPECT_EQ(factor_of({1.01234, 1.0113, 1.0133, 0.95, ""}).point, "1.0123");
  EXPECT_EQ(factor_of({123.4, 110.0, 140.0, 0.95, ""}).interval, "[110, 140]");
  EXPECT_EQ(factor_of({2, {}, {}, 0.95, ""}).interval, "");
}

TEST(PText, is_never_zero) {
  EXPECT_EQ(p_text(0), "p < 0.0001");
  EXPECT_EQ(p_text(0.0004), "p 0.0004");
  EXPECT_EQ(p_text(0.0312), "p 0.031");
  EXPECT_EQ(p_text(1), "p 1.00");
}

}  // namespace
}  // namespace tare
