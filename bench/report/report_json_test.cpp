#include "bench/report/report_json.hpp"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bench/report/invented_content.hpp"
#include "bench/report/report_markdown.hpp"

namespace tare {
namespace {

using namespace testing_report;
using testing::HasSubstr;
using testing::Not;

TEST(ReportJson, holds_what_the_charts_need) {
  const auto json = report_json(full_content());
  EXPECT_EQ(json.at("schema"), 1);
  EXPECT_EQ(json.at("runs").at(0).at("id"), 12);
  const auto& sort = json.at("benchmarks").at(0);
  EXPECT_EQ(sort.at("name"), "sort/doubles/n=1024");
  EXPECT_EQ(sort.at("run"), 12);
  const auto& time = sort.at("metrics").at(0);
  EXPECT_EQ(time.at("value"), Json::array({12340, 12287, 12393}));
  EXPECT_EQ(time.at("outliers"), Json::array({1, 2, 3, 4}));
  EXPECT_EQ(sort.at("metrics").at(1),
            (Json{{"name", "allocations"}, {"unit", "1"}, {"exact", true}, {"value", {0}}}));
  EXPECT_EQ(sort.at("samples"),
            (Json{{"taken", 4},
                  {"every", 2},
                  {"values", {12300, 12400.3}},
                  {"processes", {1, 1}},
                  {"marks", ".x"},
                  {"histogram",
                   {{"low", 12000}, {"high", 13000}, {"counts", {1, 3}}, {"below", 0}, {"above", 1}}}}));
  EXPECT_EQ(json.at("growth").at(0).at("points").at(1), Json::array({100, 600, 595, 605}));
  EXPECT_EQ(json.at("breakdowns").at(0).at("modes").at(0).at("ops").size(), 2u);
  EXPECT_EQ(json.at("pareto").at("points").at(1).at("dominated_by"), Json::array({"f32"}));
  EXPECT_EQ(json.at("comparison").at("benchmarks").size(), full_comparison().benchmarks.size());
}

bool holds_null(const Json& json) {
  if (!json.is_structured()) return json.is_null();
  return std::any_of(json.begin(), json.end(), holds_null);
}

TEST(ReportJson, what_is_undefined_is_absent_never_null) {
  EXPECT_FALSE(holds_null(report_json(full_content())));
  ReportContent bare;
  bare.runs = {empty_run()};
  for (const char* part : {"comparison", "growth", "breakdowns", "pareto"})
    EXPECT_FALSE(report_json(bare).contains(part)) << part;
}

TEST(ReportMarkdown, shows_a_comparison_changed_rows_first) {
  const auto text = report_markdown(full_content());
  EXPECT_THAT(text, HasSubstr("## Everything"));
  EXPECT_THAT(text, HasSubstr("<details><summary>What did not change"));
  EXPECT_LT(text.find("slower"), text.find("<details>"));
}

TEST(ReportMarkdown, folds_a_run_and_names_failures_before) {
  auto content = full_content();
  content.comparison.reset();
  content.runs[0].results.push_back(unmeasured("gone", Outcome::crashed, "signal 11"));
  const auto text = report_markdown(content);
  EXPECT_LT(text.find("**crashed** gone: signal 11"),
            text.find("<details><summary>All benchmarks</summary>"));
  EXPECT_THAT(text, HasSubstr("**balanced**: f32"));
}

TEST(ReportMarkdown, fits_a_comment_however_many_benchmarks) {
  ReportContent content;
  content.runs = {normal_run(), normal_run()};
  for (auto& run : content.runs)
    for (int i = 0; i < 2000; ++i)
      run.results.push_back(measured("benchmark/number" + std::to_string(i), {}, 1000, 5));
  const auto text = report_markdown(content);
  EXPECT_LT(text.size(), 65536u);
  EXPECT_THAT(text, HasSubstr("too long for a comment"));
}

}  // namespace
}  // namespace tare
