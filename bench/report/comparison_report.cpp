#include "bench/report/comparison_report.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "bench/report/comparison_view.hpp"
#include "bench/report/layout.hpp"
#include "bench/report/table.hpp"
#include "bench/support/text.hpp"

namespace tare {
namespace {

constexpr std::size_t name_room = 24;  // before a column is given up for a longer name

struct Part {
  const char* header;
  std::string ComparisonRow::* text;
  Align align;
};
enum Position : std::size_t { verdict, interval, p_value, times, between, measured, effort };
constexpr std::array parts{Part{"verdict", &ComparisonRow::change, Align::left},
                           Part{"interval", &ComparisonRow::interval, Align::left},
                           Part{"", &ComparisonRow::p, Align::left},
                           Part{"times", &ComparisonRow::times, Align::left},
                           Part{"between", &ComparisonRow::between, Align::right},
                           Part{"measured", &ComparisonRow::measured, Align::left},
                           Part{"measured", &ComparisonRow::effort, Align::left}};
/// What is given up for the width, first to last. `effort` takes the place of `measured`.
constexpr std::array given_up{between, times, measured, effort, p_value};
using Shown = std::array<bool, parts.size()>;

std::string marks_of(const ComparisonRow& row) {
  std::string marks = row.stamped ? "≠" : "";
  if (row.notes.empty()) return marks;
  return fmt::format("{}[{}]", marks, fmt::join(row.notes, ","));
}

Table draw(const ComparisonView& view, const Shown& shown) {
  std::vector<Column> columns{{"benchmark", Align::left, true}};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (shown[i]) columns.push_back({parts[i].header, parts[i].align});
  }
  columns.push_back({"", Align::left});
  Table table(columns);
  for (const auto& row : view.rows) {
    const auto indent = row.owner.empty() ? "" : "  ";
    if (!row.sentence.empty()) {
      table.sentence({indent + row.name, Ink::plain}, {row.sentence, row.ink});
      continue;
    }
    std::vector<Cell> cells{{indent + row.name, row.owner.empty() ? Ink::plain : Ink::faint}};
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (shown[i])
        cells.push_back({row.*parts[i].text, i == verdict ? row.ink : i < times ? Ink::plain : Ink::faint});
    }
    cells.push_back({marks_of(row), Ink::caution});
    table.row(std::move(cells));
    if (!row.remark.empty()) table.sentence({""}, {row.remark, Ink::faint});
    if (!row.normalised.empty()) table.sentence({""}, {row.normalised, Ink::faint});
  }
  return table;
}

Shown choose_columns(const ComparisonView& view, std::size_t width) {
  Shown shown;
  shown.fill(true);
  // A column that nobody fills says nothing.
  for (std::size_t i = 1; i < parts.size(); ++i) {
    shown[i] = std::any_of(view.rows.begin(), view.rows.end(),
                           [&](const ComparisonRow& row) { return !(row.*parts[i].text).empty(); });
  }
  shown[effort] = false;
  for (const auto next : given_up) {
    const auto table = draw(view, shown);
    std::size_t columns = 1;
    for (const bool one : shown) columns += one ? 1 : 0;
    std::size_t others = 0;
    for (std::size_t i = 1; i <= columns; ++i) others += table.column_width(i) + 2;
    if (others + std::min(table.column_width(0), name_room) <= width) break;
    shown[next] = false;
    if (next == measured) shown[effort] = true;
  }
  return shown;
}

}  // namespace

std::string comparison_report(const Comparison& comparison, const ReportOptions& options) {
  const auto width = std::max(options.width, least_width);
  const auto view = view_of(comparison);
  std::string all;
  const auto add = [&](std::string_view text, Ink ink) {
    for (const auto& line : wrap(printable(text), width)) all += options.style.paint(ink, line) + "\n";
  };
  for (const auto& side : view.sides) add(side, Ink::plain);
  for (const auto& caution : view.cautions) add(caution, Ink::caution);
  if (!all.empty()) all += "\n";

  if (!view.rows.empty()) {
    const auto shown = choose_columns(view, width);
    all += draw(view, shown).str(width, options.style) + "\n";
    std::vector<std::string> legend;
    if (shown[between]) legend.emplace_back("between: share of the variance that lies between processes");
    if (shown[effort]) legend.emplace_back("measured: processes × rounds, time");
    if (std::any_of(view.rows.begin(), view.rows.end(),
                    [](const ComparisonRow& row) { return row.stamped; })) {
      legend.emplace_back("≠ compared although something differs, see above");
    }
    legend.emplace_back("other metrics: only those that changed");
    for (const auto& line : wrap(dotted(legend), width)) all += options.style.paint(Ink::faint, line) + "\n";
  }
  const auto notes = notes_text(view.notes, width, options.style);
  if (!notes.empty()) all += fmt::format("\n{}", notes);
  if (!view.unmatched.empty()) all += "\n";
  for (const auto& name : view.unmatched) {
    all += options.style.paint(Ink::faint, shorten_middle(printable(name), width)) + "\n";
  }
  all += "\n";
  add(view.counts, Ink::strong);
  if (!view.geometric_mean.empty()) add(view.geometric_mean, Ink::plain);
  if (!view.rows.empty()) add(view.method, Ink::faint);
  return all;
}

}  // namespace tare
