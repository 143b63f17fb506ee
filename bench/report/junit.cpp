#include "bench/report/junit.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "bench/report/gate_report.hpp"
#include "bench/support/text.hpp"

namespace tare {
namespace {

std::string case_of(const GateFinding& finding) {
  const auto name = finding.budget.empty() ? std::string(finding.metric.empty() ? "measured" : finding.metric)
                                           : finding.budget;
  auto text = fmt::format("    <testcase classname=\"{}\" name=\"{}\"", xml_escape(finding.benchmark),
                          xml_escape(name));
  if (finding.outcome == GateOutcome::within) return text + "/>\n";
  const auto* element = finding.outcome == GateOutcome::beyond   ? "failure"
                        : finding.outcome == GateOutcome::failed ? "error"
                                                                 : "skipped";
  const auto type = finding.outcome == GateOutcome::undecided
                        ? std::string()
                        : fmt::format(" type=\"{}\"", name_of(finding.outcome));
  text += fmt::format(">\n      <{} message=\"{}\"{}>{}</{}>\n    </testcase>\n", element,
                      xml_escape(finding.message), type, xml_escape(finding.observed), element);
  return text;
}

}  // namespace

std::string xml_escape(std::string_view text) {
  // U+FFFE and U+FFFF are valid UTF-8 and not characters of XML 1.0.
  constexpr std::string_view not_characters = "\xEF\xBF";
  const auto safe = printable(text);
  std::string escaped;
  for (std::size_t i = 0; i < safe.size(); ++i) {
    const auto rest = std::string_view(safe).substr(i);
    if (rest.starts_with(not_characters) && rest.size() > 2 && (rest[2] == '\xBE' || rest[2] == '\xBF')) {
      escaped += rest[2] == '\xBE' ? "\\ufffe" : "\\uffff";
      i += 2;
      continue;
    }
    switch (safe[i]) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      default:
        escaped += safe[i];
    }
  }
  return escaped;
}

std::string junit_report(const GateResult& result, const Comparison& comparison) {
  auto findings = result.findings;
  if (findings.empty()) findings.push_back({"budgets", "", "", "", result.outcome, gate_sentence(result)});
  const auto count = [&](GateOutcome outcome) {
    return std::count_if(findings.begin(), findings.end(),
                         [&](const GateFinding& finding) { return finding.outcome == outcome; });
  };
  double seconds = 0;
  for (const auto& pair : comparison.benchmarks) seconds += pair.seconds;
  const auto counts = fmt::format("tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" time=\"{:.3f}\"",
                                  findings.size(), count(GateOutcome::beyond), count(GateOutcome::failed),
                                  count(GateOutcome::undecided), seconds);
  const auto suite = fmt::format("{} → {}", comparison.before.name, comparison.after.name);
  std::string all = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
  all += fmt::format("<testsuites name=\"tare gate\" {}>\n  <testsuite name=\"{}\" {}>\n", counts,
                     xml_escape(suite), counts);
  for (const auto& finding : findings) all += case_of(finding);
  all += fmt::format("    <system-out>{}</system-out>\n", xml_escape(gate_sentence(result)));
  return all + "  </testsuite>\n</testsuites>\n";
}

}  // namespace tare
