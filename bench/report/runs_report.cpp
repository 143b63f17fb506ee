#include "bench/report/runs_report.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "bench/model/run.hpp"
#include "bench/report/layout.hpp"
#include "bench/report/table.hpp"
#include "bench/support/text.hpp"

namespace tare {
namespace {

enum class Part { machine, tags, commit };
constexpr std::size_t fixed_columns = 4;

Table draw(const std::vector<RunInfo>& runs, const std::vector<Part>& parts) {
  const auto has = [&](Part part) { return std::find(parts.begin(), parts.end(), part) != parts.end(); };
  std::vector<Column> columns{{"run", Align::right}, {"started (UTC)", Align::left}};
  if (has(Part::commit)) columns.push_back({"commit", Align::left});
  columns.push_back({"benchmarks", Align::right});
  columns.push_back({"failed", Align::right});
  if (has(Part::machine)) columns.push_back({"machine", Align::left});
  if (has(Part::tags)) columns.push_back({"tags", Align::left});
  columns.push_back({"command", Align::left, true});
  Table table(columns);
  for (const auto& run : runs) {
    std::vector<std::string> tags;
    for (const auto& [key, value] : run.tags) tags.push_back(fmt::format("{}={}", key, value));
    // Seconds help nobody to recognise a run.
    std::vector<Cell> cells{
        {std::to_string(run.id), Ink::strong},
        {run.started_unix_ms != 0 ? format_time_utc(run.started_unix_ms).substr(0, 16) : "–"}};
    if (has(Part::commit)) {
      const bool changed = run.commit.ends_with('+');
      cells.push_back({run.commit.empty() ? "–" : printable(run.commit).substr(0, 8) + (changed ? "+" : "")});
    }
    cells.push_back({std::to_string(run.benchmarks)});
    cells.push_back({std::to_string(run.failed), run.failed > 0 ? Ink::bad : Ink::faint});
    if (has(Part::machine)) {
      cells.push_back({run.fingerprint.empty() ? "–" : printable(run.fingerprint).substr(0, 8), Ink::faint});
    }
    if (has(Part::tags)) cells.push_back({shorten_middle(printable(join(tags, ", ")), 30)});
    cells.push_back({run.command, Ink::faint});
    table.row(std::move(cells));
  }
  return table;
}

}  // namespace

std::string runs_report(const std::vector<RunInfo>& runs, const ReportOptions& options) {
  if (runs.empty()) return "No runs are stored yet; measure one with: tare run BINARY\n";
  const auto width = std::max<std::size_t>(options.width, 40);
  const bool tagged =
      std::any_of(runs.begin(), runs.end(), [](const RunInfo& run) { return !run.tags.empty(); });
  // Given up from the front of this list until a command has room to be recognised.
  std::vector<Part> parts{Part::machine, Part::tags, Part::commit};
  if (!tagged) parts.erase(parts.begin() + 1);
  for (;;) {
    const auto table = draw(runs, parts);
    std::size_t others = 0;
    for (std::size_t i = 0; i < fixed_columns + parts.size(); ++i) others += table.column_width(i) + 2;
    const auto command = table.column_width(fixed_columns + parts.size());
    if (parts.empty() || others + std::min<std::size_t>(command, 24) <= width) {
      return table.str(width, options.style);
    }
    parts.erase(parts.begin());
  }
}

std::string baselines_report(const std::vector<Baseline>& baselines, const ReportOptions& options) {
  if (baselines.empty())
    return "No baselines are saved yet; name the last run with: tare baseline save NAME\n";
  Table table({{"baseline", Align::left, true},
               {"run", Align::right},
               {"saved (UTC)"},
               {"commit"},
               {"note", Align::left, true}});
  for (const auto& baseline : baselines) {
    table.row({{baseline.name, Ink::strong},
               {std::to_string(baseline.run)},
               {format_time_utc(baseline.saved_unix_ms).substr(0, 16)},
               {baseline.commit.empty() ? "–" : shorten_end(printable(baseline.commit), 9)},
               {baseline.note, Ink::faint}});
  }
  return table.str(std::max<std::size_t>(options.width, 40), options.style);
}

}  // namespace tare
