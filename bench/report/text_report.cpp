#include "bench/report/text_report.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "bench/report/layout.hpp"
#include "bench/report/run_view.hpp"
#include "bench/report/table.hpp"
#include "bench/support/text.hpp"

namespace tare {
namespace {

Ink ink_of(Outcome outcome) {
  if (outcome == Outcome::ok) return Ink::plain;
  return outcome == Outcome::skipped || outcome == Outcome::cancelled ? Ink::caution : Ink::bad;
}

std::string marks_of(const ViewRow& row) {
  std::string marks = row.checked ? "✓" : "";
  if (row.notes.empty()) return marks;
  return fmt::format("{}{}[{}]", marks, marks.empty() ? "  " : " ", fmt::join(row.notes, ","));
}

Table draw(const RunView& view, const std::vector<bool>& shown) {
  std::vector<Column> columns{{"benchmark", Align::left, true}};
  for (std::size_t i = 0; i < view.columns.size(); ++i) {
    if (shown[i]) columns.push_back({view.columns[i].header, Align::decimal});
  }
  columns.push_back({"", Align::left});
  Table table(columns);
  const bool several_binaries = std::any_of(view.rows.begin(), view.rows.end(), [&](const ViewRow& row) {
    return row.binary != view.rows.front().binary;
  });
  const std::string* binary = nullptr;
  for (const auto& row : view.rows) {
    if (several_binaries && (binary == nullptr || *binary != row.binary)) table.heading(row.binary);
    binary = &row.binary;
    const auto indent = std::string((several_binaries ? 2 : 0) + (row.phase ? 2 : 0), ' ');
    if (row.outcome != Outcome::ok) {
      table.sentence({indent + row.name, Ink::plain}, {row.sentence, ink_of(row.outcome)});
      continue;
    }
    std::vector<Cell> cells{{indent + row.name, row.phase ? Ink::faint : Ink::plain}};
    for (std::size_t i = 0; i < view.columns.size(); ++i) {
      if (!shown[i]) continue;
      const bool number = !row.cells[i].empty() && row.cells[i].front() >= '0' && row.cells[i].front() <= '9';
      const bool time = view.columns[i].header == "time" && !row.phase;
      cells.push_back({row.cells[i], !number ? Ink::caution : time ? Ink::strong : Ink::plain});
    }
    cells.push_back({marks_of(row), row.notes.empty() ? Ink::good : Ink::caution});
    table.row(std::move(cells));
  }
  return table;
}

/// Gives up columns, the lightest first, until a name has room to be recognised.
std::vector<bool> choose_columns(const RunView& view, std::size_t width) {
  std::vector<bool> shown(view.columns.size(), true);
  const auto whole = draw(view, shown);
  const auto name = whole.column_width(0);
  std::size_t others = whole.column_width(view.columns.size() + 1) + 2;
  for (std::size_t i = 0; i < view.columns.size(); ++i) others += whole.column_width(i + 1) + 2;
  for (int weight = 0; weight < static_cast<int>(Weight::always); ++weight) {
    const auto room =
        std::min(name, weight <= static_cast<int>(Weight::quantile) ? width / 2 : std::size_t{24});
    for (std::size_t i = view.columns.size(); i-- > 0;) {
      // Quantiles go together: the median alone repeats the time.
      const bool half_way = i + 1 < view.columns.size() && weight == static_cast<int>(Weight::quantile) &&
                            view.columns[i].weight == Weight::quantile && !shown[i + 1];
      if (others + room <= width && !half_way) return shown;
      if (static_cast<int>(view.columns[i].weight) != weight) continue;
      shown[i] = false;
      others -= whole.column_width(i + 1) + 2;
    }
  }
  return shown;
}

}  // namespace

std::string run_header(const Run& run, const ReportOptions& options) {
  const auto width = std::max(options.width, least_width);
  std::vector<std::string> when;
  if (run.id != 0) when.push_back(fmt::format("run {}", run.id));
  if (run.started_unix_ms != 0) when.push_back(format_time_utc(run.started_unix_ms) + " UTC");
  if (!run.commit.empty()) when.push_back("commit " + shorten_end(printable(run.commit), 13));
  for (const auto& [key, value] : run.tags) when.push_back(printable(fmt::format("{}={}", key, value)));

  const auto& machine = run.machine;
  std::vector<std::string> where;
  if (!machine.cpu.empty()) where.push_back(printable(machine.cpu));
  if (machine.cores > 0) where.push_back(plural(static_cast<std::size_t>(machine.cores), "core"));
  if (machine.memory_bytes > 0) where.push_back(format_bytes(static_cast<double>(machine.memory_bytes)));
  if (!machine.kernel.empty()) where.push_back(printable(machine.kernel));
  if (!machine.hypervisor.empty()) where.push_back("under " + printable(machine.hypervisor));

  std::vector<std::string> built;
  for (const auto& binary : run.binaries) {
    auto line = std::string(trim(printable(binary.build.compiler + " " + binary.build.flags)));
    if (!line.empty() && std::find(built.begin(), built.end(), line) == built.end()) built.push_back(line);
  }

  std::string all;
  const auto add = [&](const std::vector<std::string>& parts, Ink ink) {
    if (parts.empty()) return;
    for (const auto& line : wrap(dotted(parts), width)) all += options.style.paint(ink, line) + "\n";
  };
  add(when, Ink::plain);
  add(where, Ink::faint);
  add(built, Ink::faint);
  return all.empty() ? all : all + "\n";
}

std::string text_report(const Run& run, const ReportOptions& options) {
  const auto width = std::max(options.width, least_width);
  if (run.results.empty()) return hanging("", count_sentence(run), width);

  const auto view = view_of(run);
  const auto shown = choose_columns(view, width);
  auto all = draw(view, shown).str(width, options.style) + "\n";

  auto legend = view.legend;
  std::vector<std::string> hidden;
  for (std::size_t i = 0; i < view.columns.size(); ++i) {
    const auto weight = view.columns[i].weight;
    if (!shown[i] && weight > Weight::quantile) hidden.push_back(view.columns[i].header);
    if (shown[i] && weight == Weight::samples) legend.emplace_back("samples: processes × samples each");
  }
  if (!hidden.empty()) legend.push_back(fmt::format("not shown at this width: {}", join(hidden, ", ")));
  if (!legend.empty()) {
    for (const auto& line : wrap(dotted(legend), width)) {
      all += options.style.paint(Ink::faint, line) + "\n";
    }
  }
  auto notes = notes_text(view.notes, width, options.style);
  for (const auto& origin : view.origins) notes += hanging("", printable(origin), width);
  if (!notes.empty()) all += fmt::format("\n{}", notes);

  const bool bad = std::any_of(run.results.begin(), run.results.end(), [](const BenchmarkResult& result) {
    return ink_of(result.outcome) == Ink::bad;
  });
  all += "\n";
  for (const auto& line : wrap(count_sentence(run), width)) {
    all += options.style.paint(bad ? Ink::bad : Ink::plain, line) + "\n";
  }
  return all;
}

}  // namespace tare
