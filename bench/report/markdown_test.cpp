#include "bench/report/markdown.hpp"

#include <gmock/gmock.h>

#include "bench/report/golden.hpp"
#include "bench/report/invented_run.hpp"
#include "bench/support/text.hpp"

namespace tare {
namespace {

using namespace testing_report;
using testing::HasSubstr;
using testing::Not;

/// Unescaped bars in a line: the borders of its cells.
std::size_t bars(const std::string& line) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '\\') {
      ++i;
    } else {
      count += line[i] == '|';
    }
  }
  return count;
}

TEST(Markdown, looks_as_agreed) {
  expect_golden("normal.md", markdown_report(normal_run()));
  expect_golden("failing.md", markdown_report(failing_run()));
  expect_golden("hostile.md", markdown_report(hostile_run()));
}

TEST(Markdown, every_row_has_the_same_cells) {
  for (const auto& run : {normal_run(), failing_run(), doubtful_run(), hostile_run()}) {
    const auto lines = split(markdown_report(run), '\n');
    for (std::size_t i = 0; lines[i].starts_with('|'); ++i)
      EXPECT_EQ(bars(lines[i]), bars(lines[0])) << lines[i];
  }
}

TEST(Markdown, text_from_users_is_shown_not_obeyed) {
  EXPECT_EQ(markdown_escape("a|b"), "a\\|b");
  EXPECT_EQ(markdown_escape("`x`"), "\\`x\\`");
  EXPECT_EQ(markdown_escape("a\nb"), "a\\\\x0ab");
  EXPECT_EQ(markdown_escape("<b>&"), "&lt;b&gt;&amp;");
  EXPECT_EQ(markdown_escape("@team"), "&#64;team");
  EXPECT_EQ(markdown_escape("\\|"), "\\\\\\|");
  EXPECT_EQ(markdown_escape("[x](y)"), "\\[x\\](y)");
}

TEST(Markdown, a_wrong_answer_shows_no_time) {
  const auto text = markdown_report(failing_run());
  EXPECT_THAT(text, Not(HasSubstr("778")));
  EXPECT_THAT(text, HasSubstr("**check failed**: gradient differs"));
}

TEST(Markdown, no_results_is_said_in_a_sentence) {
  EXPECT_THAT(markdown_report(tare::Run{}), HasSubstr("No benchmark was run"));
}

}  // namespace
}  // namespace tare
