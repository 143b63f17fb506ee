#include "bench/report/gate_report.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "bench/model/comparison_json.hpp"
#include "bench/report/layout.hpp"
#include "bench/report/markdown.hpp"
#include "bench/report/notes.hpp"
#include "bench/report/table.hpp"
#include "bench/support/text.hpp"

namespace tare {
namespace {

constexpr std::size_t longest_table = 50000;  // GitHub cuts a comment at 65536 characters
constexpr std::array by_gravity{GateOutcome::failed, GateOutcome::beyond, GateOutcome::undecided,
                                GateOutcome::within};

Ink ink_of(GateOutcome outcome) {
  switch (outcome) {
    case GateOutcome::within:
      return Ink::good;
    case GateOutcome::undecided:
      return Ink::caution;
    case GateOutcome::beyond:
    case GateOutcome::failed:
      break;
  }
  return Ink::bad;
}

std::ptrdiff_t gravity(GateOutcome outcome) {
  return std::find(by_gravity.begin(), by_gravity.end(), outcome) - by_gravity.begin();
}

}  // namespace

std::vector<GateFinding> gravest_first(std::vector<GateFinding> findings) {
  std::stable_sort(findings.begin(), findings.end(), [](const GateFinding& a, const GateFinding& b) {
    return gravity(a.outcome) < gravity(b.outcome);
  });
  return findings;
}

std::string gate_sentence(const GateResult& result) {
  std::string text = "No budget covers any of these benchmarks: nothing was judged.";
  if (!result.findings.empty()) {
    std::vector<std::string> counts;
    for (const auto outcome : by_gravity) {
      const auto count =
          std::count_if(result.findings.begin(), result.findings.end(),
                        [&](const GateFinding& finding) { return finding.outcome == outcome; });
      if (count > 0) counts.push_back(fmt::format("{} {}", count, name_of(outcome)));
    }
    text = fmt::format("{}: {}.", plural(result.findings.size(), "finding"), join(counts, ", "));
  }
  if (!result.uncovered.empty()) {
    text += fmt::format(" {} without a budget: {}.", plural(result.uncovered.size(), "benchmark"),
                        some_of(result.uncovered));
  }
  if (!result.unused.empty()) {
    text += fmt::format(" {} had nothing to judge: {}.", plural(result.unused.size(), "budget"),
                        some_of(result.unused));
  }
  return text;
}

std::string gate_report(const GateResult& result, const ReportOptions& options) {
  const auto width = std::max(options.width, least_width);
  std::string all;
  if (!result.findings.empty()) {
    Table table({{"benchmark", Align::left, true}, {"outcome"}, {"budget", Align::left, true}, {"observed"}});
    for (const auto& finding : gravest_first(result.findings)) {
      const auto ink = ink_of(finding.outcome);
      if (finding.budget.empty() && finding.observed.empty()) {
        table.sentence({finding.benchmark},
                       {fmt::format("{}: {}", name_of(finding.outcome), finding.message), ink});
        continue;
      }
      table.row({{finding.benchmark}, {name_of(finding.outcome), ink}, {finding.budget}, {finding.observed}});
      if (finding.outcome != GateOutcome::within && !finding.message.empty()) {
        table.sentence({""}, {finding.message, Ink::faint});
      }
    }
    all += table.str(width, options.style) + "\n";
  }
  for (const auto& line : wrap(gate_sentence(result), width)) {
    all += options.style.paint(ink_of(result.outcome), line) + "\n";
  }
  return all;
}

std::string gate_markdown(const GateResult& result) {
  std::string rows;
  std::size_t left_out = 0;
  for (const auto& finding : gravest_first(result.findings)) {
    if (finding.outcome == GateOutcome::within) continue;
    const auto row =
        fmt::format("| {} | **{}** | {} | {} | {} |\n", markdown_cell(finding.benchmark),
                    name_of(finding.outcome), markdown_cell(finding.budget), markdown_cell(finding.observed),
                    markdown_cell(finding.message, longest_markdown_text));
    if (rows.size() + row.size() > longest_table) {
      ++left_out;
    } else {
      rows += row;
    }
  }
  std::string all = fmt::format("**Gate: {}**\n\n", name_of(result.outcome));
  if (!rows.empty()) {
    all += fmt::format("| benchmark | outcome | budget | observed | |\n|:--|:--|:--|:--|:--|\n{}\n", rows);
  }
  if (left_out > 0) all += fmt::format("… and {}.\n\n", plural(left_out, "more row"));
  return all + markdown_escape(gate_sentence(result)) + "\n";
}

std::string gate_json(const GateResult& result, const Comparison& comparison, int indent) {
  auto json = to_json(result);
  json["comparison"] = to_json(comparison);
  return to_text(json, indent) + "\n";
}

}  // namespace tare
