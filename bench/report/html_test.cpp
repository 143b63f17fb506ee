#include "bench/report/html.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <regex>

#include "bench/report/html_comparison.hpp"
#include "bench/report/html_table.hpp"
#include "bench/report/invented_content.hpp"

namespace tare {
namespace {

using namespace testing_report;
using testing::HasSubstr;
using testing::Not;

const ReportAssets assets{"body{}", "run()", "sha256-AAAA"};

/// Everything before the embedded data: what a reader without JavaScript sees.
std::string written(const ReportContent& content) {
  const auto page = html_report(content, assets);
  return page.substr(0, page.find("<script type=\"application/json\""));
}

TEST(Html, has_a_page_for_everything_there_is) {
  const auto page = written(full_content());
  for (const char* id :
       {"overview", "comparison", "scaling", "engines", "breakdown", "pareto", "environment"}) {
    EXPECT_THAT(page, HasSubstr(std::string("<section class=page id=") + id)) << id;
    EXPECT_THAT(page, HasSubstr(std::string("<a href=\"#") + id + "\">")) << id;
  }
  EXPECT_THAT(page, HasSubstr("<article id=b0 class=benchmark>"));
}

TEST(Html, a_page_without_data_is_absent) {
  ReportContent content;
  content.runs = {normal_run()};
  const auto page = written(content);
  for (const char* id : {"comparison", "scaling", "engines", "breakdown", "pareto"}) {
    EXPECT_THAT(page, Not(HasSubstr(std::string("id=") + id))) << id;
    EXPECT_THAT(page, Not(HasSubstr(std::string("href=\"#") + id))) << id;
  }
  EXPECT_THAT(page, HasSubstr("id=environment"));
}

TEST(Html, says_everything_without_javascript) {
  const auto page = written(full_content());
  for (const char* fact :
       {"12.3 µs",                       // a time
        "std::sort on uniform doubles",  // a label
        "✓ before and after timing",     // a check
        "--filter &#39;^sort/doubles",   // how to measure it again
        "1024",                          // a shape
        "data-verdict=\"slower\"",       // verdicts
        "incomparable: threads 1 / 2",   // and why not
        "n log n", "[1.05, 1.21]",       // growth
        "predicted 1.50×, measured 1.40× [1.30, 1.60]", "fuse relu into matmul", "16× faster",
        "breaks accuracy&gt;=0.95", "Left out: f16: no accuracy", "powersave", "choose performance"}) {
    EXPECT_THAT(page, HasSubstr(fact));
  }
}

TEST(Html, nothing_may_be_loaded) {
  const auto page = html_report(full_content(), assets);
  EXPECT_THAT(
      page,
      HasSubstr("default-src 'none'; script-src 'sha256-AAAA'; style-src 'unsafe-inline'; img-src data:"));
  EXPECT_FALSE(std::regex_search(page, std::regex("(src|href)=\"?(https?:)?//")))
      << "an address outside the page";
}

TEST(Html, without_a_script_it_says_so) {
  const auto page = html_report(full_content(), {"body{}", "", ""});
  EXPECT_THAT(page, HasSubstr("script-src 'none'"));
  EXPECT_THAT(page, HasSubstr("built without node"));
  EXPECT_THAT(page, Not(HasSubstr("<script>")));
  EXPECT_THAT(page, Not(HasSubstr("noscript"))) << "a browser that could run one would hide its content";
  EXPECT_THAT(page, HasSubstr("<article id=b0"));
}

TEST(Html, text_stays_text) {
  auto content = full_content();
  const std::string script = "<script>alert(1)</script>";
  content.title = script;
  auto& result = content.runs[0].results[0];
  result.id = {script, {{"\"k\"", "</noscript>"}}};
  result.label = result.message = result.reproduce = result.binary = script;
  result.tags = {{script, script}};
  result.warnings = {{Doubt::one_process, script}};
  result.metrics.front().origin = script;
  content.runs[0].commit = content.runs[0].command = script;
  content.runs[0].machine.cpu = script;
  content.comparison->benchmarks[0].before.name = content.comparison->benchmarks[0].after.name = script;
  content.comparison->before.name = script;
  content.growth[0].benchmark = content.growth[0].parameter = script;
  content.engines[0].table.columns[0] = content.engines[0].table.rows[0].name = content.engines[0].title =
      script;
  content.breakdowns[0].benchmark = content.breakdowns[0].modes[0].mode = content.breakdowns[0].advice[0] =
      script;
  content.breakdowns[0].modes[0].ops[0].name = content.breakdowns[0].roofs.bandwidths[0].level = script;
  content.pareto->points[0].name = content.pareto->metrics[0].name = content.pareto->left_out[0] = script;
  content.runs[0].findings[0].observed = content.runs[0].findings[0].topic = script;
  const auto page = html_report(content, assets);
  EXPECT_THAT(page, Not(HasSubstr("<script>alert")));
  EXPECT_THAT(page, Not(HasSubstr("</noscript>\"")));
  const std::regex tag("</script>");
  EXPECT_EQ(std::distance(std::sregex_iterator(page.begin(), page.end(), tag), std::sregex_iterator()), 2)
      << "the script's own and the data's";
}

TEST(Html, a_name_of_10000_characters_is_shortened_but_in_its_article) {
  auto content = full_content();
  content.comparison.reset();
  content.runs[0].results[0].id.name = "long/" + std::string(10'000, 'x');
  const auto page = written(content);
  const auto articles = page.find("<noscript id=articles>");
  EXPECT_EQ(page.substr(0, articles).find(std::string(500, 'x')), std::string::npos);
  EXPECT_NE(page.find(std::string(10'000, 'x'), articles), std::string::npos);
}

TEST(HtmlTable, rows_beyond_the_first_wait_where_no_browser_lays_them_out) {
  HtmlTable table("t", {{"name", false}, {"value", true}});
  for (int i = 0; i < 250; ++i)
    table.row({HtmlCell::text("row " + std::to_string(i)), HtmlCell::text("x", i / 3.0)});
  const auto html = table.str();
  const auto rest = html.find("<noscript data-rest=\"t\">");
  ASSERT_NE(rest, std::string::npos);
  EXPECT_LT(html.find("row 199"), rest);
  EXPECT_GT(html.find("row 200"), rest);
  EXPECT_THAT(html, HasSubstr("<td data-v=0.333333>x"));
}

TEST(CountVerdicts, counts_benchmarks_not_metrics) {
  const auto counts = count_verdicts(full_comparison());
  EXPECT_EQ(
      counts.worse + counts.better + counts.same + counts.undecided + counts.incomparable + counts.failed,
      full_comparison().benchmarks.size());
  EXPECT_GT(counts.incomparable, 0u);
  EXPECT_GT(counts.failed, 0u);
}

}  // namespace
}  // namespace tare
