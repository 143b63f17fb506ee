#include "bench/report/gate_report.hpp"

#include <gmock/gmock.h>

#include "bench/model/comparison_json.hpp"
#include "bench/report/annotations.hpp"
#include "bench/report/golden.hpp"
#include "bench/report/invented_comparison.hpp"
#include "bench/report/junit.hpp"
#include "bench/support/text.hpp"

namespace tare {
namespace {

using namespace testing_report;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

GateResult nothing_judged() {
  return {GateOutcome::failed, {}, {"a"}, {}};
}

TEST(GateReport, looks_as_agreed) {
  expect_golden("gate_100.txt", gate_report(full_gate(), {100, {}, false}));
  expect_golden("gate_60.txt", gate_report(full_gate(), {60, {}, false}));
  expect_golden("gate.md", gate_markdown(full_gate()));
  expect_golden("gate.xml", junit_report(full_gate(), hostile_comparison()));
  expect_golden("gate_annotations.txt", annotations(full_gate()));
}

TEST(GateReport, gravest_comes_first_and_the_count_is_said) {
  const auto text = gate_report(full_gate());
  EXPECT_LT(text.find("crashed"), text.find("+7.3 %"));
  EXPECT_LT(text.find("+7.3 %"), text.find("+4.0 %"));
  EXPECT_LT(text.find("+4.0 %"), text.find("allocations = 0"));
  EXPECT_THAT(text, HasSubstr("5 findings: 1 failed, 2 beyond, 1 undecided, 1 within."));
  EXPECT_THAT(gate_sentence(full_gate()), HasSubstr("2 benchmarks without a budget: uncovered/one"));
  EXPECT_THAT(gate_sentence(full_gate()), HasSubstr("1 budget had nothing to judge"));
  EXPECT_THAT(gate_report(nothing_judged()), StartsWith("No budget covers any"));
}

TEST(GateReport, no_line_is_wider_than_asked_and_no_control_character_passes) {
  for (const std::size_t width : {40, 60, 80, 160}) {
    for (const auto& line : split(gate_report(full_gate(), {width, {}, false}), '\n')) {
      EXPECT_LE(display_width(line), width) << line;
      EXPECT_EQ(printable(line), line);
    }
  }
}

TEST(GateMarkdown, shows_only_what_is_not_within) {
  const auto text = gate_markdown(full_gate());
  EXPECT_THAT(text, Not(HasSubstr("allocations = 0")));
  EXPECT_THAT(text, HasSubstr("| sort | **beyond** | time = 5% |"));
  EXPECT_THAT(text, Not(HasSubstr("<b>")));
}

TEST(GateMarkdown, fits_into_a_comment) {
  auto result = full_gate();
  for (int i = 0; i < 5000; ++i) result.findings.push_back(result.findings[0]);
  EXPECT_LT(gate_markdown(result).size(), 65536u);
  EXPECT_THAT(gate_markdown(result), HasSubstr("more rows."));
}

TEST(GateJson, holds_the_findings_and_the_comparison) {
  const auto json = parse_json(gate_json(full_gate(), full_comparison()));
  ASSERT_TRUE(json);
  EXPECT_EQ(comparison_from_json(json->at("comparison")).value(), full_comparison());
  // Bytes that are not UTF-8 are replaced in JSON; everything else comes back.
  auto expected = full_gate();
  expected.findings[4].benchmark.replace(expected.findings[4].benchmark.find('\xff'), 1, "\uFFFD");
  EXPECT_EQ(gate_from_json(*json).value(), expected);
}

TEST(Junit, counts_what_it_holds) {
  const auto text = junit_report(full_gate(), full_comparison());
  EXPECT_THAT(text, HasSubstr("tests=\"5\" failures=\"2\" errors=\"1\" skipped=\"1\" time=\"61.000\""));
  EXPECT_THAT(text, HasSubstr("<testcase classname=\"sort\" name=\"allocations = 0\"/>"));
  EXPECT_THAT(text,
              HasSubstr("<testcase classname=\"null\" name=\"measured\">\n      <error message=\"crashed"));
  EXPECT_THAT(junit_report(nothing_judged(), full_comparison()), HasSubstr("errors=\"1\""));
}

TEST(Junit, every_byte_becomes_xml) {
  EXPECT_EQ(xml_escape("a<b>&\"'"), "a&lt;b&gt;&amp;&quot;'");
  EXPECT_EQ(xml_escape(std::string_view("\0\x1b\n\xff", 4)), "\\x00\\x1b\\x0a\\xff");
  EXPECT_EQ(xml_escape("x\uFFFEy\uFFFFz\uFFFD"), "x\\ufffey\\uffffz\uFFFD");
  EXPECT_EQ(xml_escape("]]>"), "]]&gt;");
  for (int byte = 0; byte < 256; ++byte) {
    for (const char c : xml_escape(std::string(1, static_cast<char>(byte)))) {
      EXPECT_GE(static_cast<unsigned char>(c), 0x20);
      EXPECT_EQ(std::string_view("<>\"").find(c), std::string_view::npos);
    }
  }
}

TEST(Annotations, one_command_a_line_whatever_the_names) {
  const auto lines = split(annotations(full_gate()), '\n');
  ASSERT_EQ(lines.size(), 6u);  // four findings, the notice, the end
  EXPECT_EQ(lines[0], "::error title=null::crashed: after: signal 11 (SIGSEGV)");
  EXPECT_EQ(lines[1],
            "::error title=sort time::+7.3 %25 [+6.1 %25, +8.5 %25] observed, time = 5%25 allowed: time grew "
            "by 7.3 %25, 5 %25 is allowed");
  EXPECT_THAT(lines[2],
              HasSubstr("title=a|b <b> & \"q\" ]]> \\x1b[2J\\x0a%3A%3Aerror%3A%3Ax\\xff m%2Ce%3At%25::"));
  EXPECT_THAT(lines[3], StartsWith("::warning title=mlp/train time::"));
  EXPECT_THAT(lines[4], StartsWith("::notice title=tare gate::"));
  EXPECT_EQ(lines[5], "");
}

TEST(Annotations, nothing_to_say_is_nothing) {
  auto result = full_gate();
  result.findings = {result.findings[1]};
  result.uncovered.clear();
  result.unused.clear();
  EXPECT_EQ(annotations(result), "");
  EXPECT_THAT(annotations(nothing_judged()), StartsWith("::error title=tare gate::No budget"));
}

}  // namespace
}  // namespace tare
