#include "bench/report/pivot_report.hpp"

#include <gtest/gtest.h>

#include "bench/support/json.hpp"
#include "bench/support/text.hpp"

namespace tare {
namespace {

Estimate exact(double x) {
  return {x, x, x, 0.95, "exact"};
}

PivotTable invented() {
  PivotTable table{
      "engine", "time", "", "best", "ns", {"hand", "real", "absent"}, {}, {1.0, 2.5, std::nullopt}};
  table.rows.push_back({"gmm/n=8",
                        {{exact(100), exact(1), true, ""},
                         {Estimate{250, 240, 260, 0.95, "t"}, Estimate{2.5, 2.4, 2.6, 0.95, "q"}, false, ""},
                         {{}, {}, false, "not installed"}}});
  return table;
}

TEST(PivotText, shows_the_best_value_and_ratios_with_intervals) {
  const auto text = pivot_text(invented(), {100, {}, false});
  for (const char* word :
       {"gmm/n=8", "100 ns", "2.50 ± 4.0 %", "–", "geometric mean", "ratios to the best"}) {
    EXPECT_NE(text.find(word), std::string::npos) << word << " in\n" << text;
  }
}

TEST(PivotText, gives_up_intervals_then_breaks_columns_into_blocks) {
  auto wide = invented();
  const auto narrow = pivot_text(wide, {40, {}, false});
  EXPECT_EQ(narrow.find("±"), std::string::npos);
  EXPECT_NE(narrow.find("2.50"), std::string::npos);
  for (int i = 0; i < 12; ++i) {
    wide.columns.push_back("engine" + std::to_string(i));
    wide.means.emplace_back(1.0);
    wide.rows[0].cells.push_back(wide.rows[0].cells[1]);
  }
  const auto blocks = pivot_text(wide, {60, {}, false});
  for (int i = 0; i < 12; ++i) EXPECT_NE(blocks.find("engine" + std::to_string(i)), std::string::npos);
  for (const auto& line : split(blocks, '\n')) EXPECT_LE(display_width(line), 60u) << line;
}

TEST(PivotMarkdown, marks_the_best_and_escapes_names) {
  auto table = invented();
  table.rows[0].name = "a|b";
  const auto text = pivot_markdown(table);
  EXPECT_NE(text.find("**100 ns**"), std::string::npos) << text;
  EXPECT_NE(text.find("a\\|b"), std::string::npos) << text;
}

TEST(PivotJson, holds_values_ratios_and_claims) {
  HypothesisFinding finding;
  finding.hypothesis.claim = "faster";
  finding.standing = Standing::undecided;
  const auto json = parse_json(pivot_json(invented(), {finding}));
  ASSERT_TRUE(json.has_value());
  EXPECT_EQ((*json)["table"]["rows"][0]["cells"]["real"]["ratio"]["point"], 2.5);
  EXPECT_EQ((*json)["table"]["rows"][0]["cells"]["absent"]["why"], "not installed");
  EXPECT_EQ((*json)["hypotheses"][0]["verdict"], "undecided");
  EXPECT_TRUE((*json)["hypotheses"][0]["observed"].is_null());
}

TEST(HypothesesText, says_verdict_measure_and_place) {
  HypothesisFinding finding;
  finding.hypothesis = {"reuse spares allocations", "allocations", "", "", {"a"}, {"b"}, true, 0.99};
  finding.standing = Standing::fails;
  finding.pairs = 3;
  finding.within = 2;
  finding.observed = exact(1);
  finding.worst = "x/engine=a";
  for (const auto& text : {hypotheses_text({finding}), hypotheses_markdown({finding})}) {
    for (const char* word : {"reuse spares allocations", "fails", "0.99", "2 of 3 within", "x/engine=a"}) {
      EXPECT_NE(text.find(word), std::string::npos) << word << " in\n" << text;
    }
  }
  EXPECT_EQ(hypotheses_text({}), "");
}

}  // namespace
}  // namespace tare
