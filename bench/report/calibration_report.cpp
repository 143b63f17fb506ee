#include "bench/report/calibration_report.hpp"

#include <fmt/format.h>

#include "bench/model/json.hpp"
#include "bench/model/json_parts.hpp"
#include "bench/report/layout.hpp"
#include "bench/report/table.hpp"
#include "bench/support/text.hpp"

namespace tare {
namespace {

const std::vector<std::string> headers{"scenario", "tool",   "found",     "share", "interval",
                                       "goal",     "budget", "typically", "pairs"};

std::vector<std::string> cells_of(const CalibrationRow& row) {
  const auto percent = [](const std::optional<double>& share) {
    return share ? fmt::format("{:.1f} %", 100 * *share) : std::string("–");
  };
  return {row.scenario,
          row.tool,
          fmt::format("{} of {}", row.found, row.comparisons),
          percent(row.share.point),
          fmt::format("[{}, {}]", percent(row.share.low), percent(row.share.high)),
          row.goal,
          format_duration(row.budget_seconds * 1e9),
          row.typical_seconds ? format_duration(*row.typical_seconds * 1e9) : "–",
          row.typical_pairs ? fmt::format("{:.0f}", *row.typical_pairs) : "–"};
}

std::string conditions(const Calibration& calibration) {
  return fmt::format("{} · {} · load: {}", calibration.machine.cpu,
                     plural(static_cast<std::size_t>(calibration.machine.threads), "CPU"),
                     calibration.load == 0
                         ? "none added"
                         : fmt::format("{} busy {} beside the comparisons", calibration.load,
                                       calibration.load == 1 ? "process" : "processes"));
}

}  // namespace

std::string calibration_report(const Calibration& calibration, const ReportOptions& options) {
  std::vector<Column> columns;
  for (const auto& header : headers) columns.push_back({header, Align::left, header == "scenario"});
  Table table(columns);
  for (const auto& row : calibration.rows) {
    std::vector<Cell> cells;
    for (const auto& text : cells_of(row)) cells.push_back({text, Ink::plain});
    table.row(cells);
  }
  return conditions(calibration) + "\n\n" + table.str(options.width, options.style) +
         hanging("\n", "found: comparisons that called the sides different · interval: Wilson's, 95 %",
                 options.width);
}

std::string calibration_markdown(const Calibration& calibration) {
  std::string text = conditions(calibration) + "\n\n| " + join(headers, " | ") + " |\n|";
  for (std::size_t i = 0; i < headers.size(); ++i) text += "---|";
  text += "\n";
  for (const auto& row : calibration.rows) text += "| " + join(cells_of(row), " | ") + " |\n";
  return text;
}

std::string calibration_json(const Calibration& calibration) {
  Json rows = Json::array();
  for (const auto& row : calibration.rows) {
    rows.push_back({{"scenario", row.scenario},
                    {"tool", row.tool},
                    {"comparisons", row.comparisons},
                    {"found", row.found},
                    {"share", to_json(std::optional(row.share))},
                    {"goal", row.goal},
                    {"budget_seconds", row.budget_seconds},
                    {"typical_seconds", to_json(row.typical_seconds)},
                    {"typical_pairs", to_json(row.typical_pairs)}});
  }
  return to_text({{"machine", to_json(calibration.machine)}, {"load", calibration.load}, {"rows", rows}}, 2) +
         "\n";
}

}  // namespace tare
