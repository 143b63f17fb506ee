#include "bench/report/annotations.hpp"

#include <fmt/format.h>

#include "bench/report/gate_report.hpp"
#include "bench/report/layout.hpp"
#include "bench/support/text.hpp"

namespace tare {
namespace {

constexpr std::size_t longest = 1000;

/// GitHub decodes %25, %0D and %0A in messages, and %3A and %2C in properties too. Line ends are gone
/// already.
std::string escaped(std::string_view text, bool property) {
  std::string all;
  for (const char c : shorten_end(printable(text), longest)) {
    if (c == '%') {
      all += "%25";
    } else if (property && c == ':') {
      all += "%3A";
    } else if (property && c == ',') {
      all += "%2C";
    } else {
      all += c;
    }
  }
  return all;
}

std::string command(const char* kind, std::string_view title, std::string_view message) {
  return fmt::format("::{} title={}::{}\n", kind, escaped(title, true), escaped(message, false));
}

}  // namespace

std::string annotations(const GateResult& result) {
  std::string all;
  for (const auto& finding : gravest_first(result.findings)) {
    if (finding.outcome == GateOutcome::within) continue;
    auto message = finding.message;
    if (!finding.observed.empty()) {
      message = fmt::format("{} observed, {} allowed{}{}", finding.observed, finding.budget,
                            message.empty() ? "" : ": ", message);
    }
    const auto title =
        finding.metric.empty() ? finding.benchmark : fmt::format("{} {}", finding.benchmark, finding.metric);
    all += command(finding.outcome == GateOutcome::undecided ? "warning" : "error", title, message);
  }
  if (result.findings.empty()) return command("error", "tare gate", gate_sentence(result));
  if (!result.uncovered.empty() || !result.unused.empty()) {
    all += command("notice", "tare gate", gate_sentence(result));
  }
  return all;
}

}  // namespace tare
