#include "bench/report/comparison_markdown.hpp"

#include <gmock/gmock.h>

#include "bench/report/golden.hpp"
#include "bench/report/invented_comparison.hpp"
#include "bench/support/text.hpp"

namespace tare {
namespace {

using namespace testing_report;
using testing::HasSubstr;
using testing::Not;

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

TEST(ComparisonMarkdown, looks_as_agreed) {
  expect_golden("comparison.md", comparison_markdown(full_comparison()));
  expect_golden("comparison_doubtful.md", comparison_markdown(doubtful_comparison()));
  expect_golden("comparison_hostile.md", comparison_markdown(hostile_comparison()));
}

TEST(ComparisonMarkdown, what_did_not_change_is_folded_away) {
  const auto text = comparison_markdown(full_comparison());
  const auto fold = text.find("<details>");
  ASSERT_NE(fold, std::string::npos);
  for (const auto* changed : {"sort |", "mlp/backward |", "null |", "allocations", "crashed: after"}) {
    EXPECT_LT(text.find(changed), fold) << changed;
  }
  for (const auto* unchanged : {"| same/thing", "| undecided/thing", "forward of mlp/train"}) {
    EXPECT_GT(text.find(unchanged), fold) << unchanged;
    EXPECT_NE(text.find(unchanged), std::string::npos) << unchanged;
  }
}

TEST(ComparisonMarkdown, every_row_has_the_same_cells) {
  for (const auto& comparison : {full_comparison(), doubtful_comparison(), hostile_comparison()}) {
    for (const auto& line : split(comparison_markdown(comparison), '\n')) {
      if (!line.starts_with('|')) continue;
      std::size_t bars = 0;
      for (std::size_t i = 0; i < line.size(); ++i) {
        if (line[i] == '\\') {
          ++i;
        } else {
          bars += line[i] == '|';
        }
      }
      EXPECT_EQ(bars, 8u) << line;
    }
  }
}

TEST(ComparisonMarkdown, hostile_text_cannot_leave_its_place) {
  const auto text = comparison_markdown(hostile_comparison());
  EXPECT_EQ(count(text, "</details>"), 1u);
  EXPECT_THAT(text, Not(HasSubstr("<script>")));
  EXPECT_THAT(text, Not(HasSubstr("@team")));
  EXPECT_THAT(text, Not(HasSubstr("\n::error")));
  for (const auto& line : split(text, '\n')) EXPECT_EQ(printable(line), line);
}

TEST(ComparisonMarkdown, fits_into_a_comment) {
  auto comparison = full_comparison();
  for (int i = 0; i < 2000; ++i) {
    for (std::size_t k = 0; k < 5; ++k) comparison.benchmarks.push_back(comparison.benchmarks[k]);
  }
  const auto text = comparison_markdown(comparison);
  EXPECT_LT(text.size(), 65536u);
  EXPECT_EQ(count(text, "more rows."), 2u);
}

TEST(ComparisonMarkdown, nothing_changed_is_said) {
  auto comparison = full_comparison();
  comparison.benchmarks.resize(2);
  EXPECT_THAT(comparison_markdown(comparison), HasSubstr("Nothing changed."));
}

}  // namespace
}  // namespace tare
