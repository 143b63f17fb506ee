// Engines in columns, workloads in rows, one heat table per metric. The heat is the logarithm of the ratio to
// the row's best: no colour at 1, full colour at 100 and beyond.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "bench/report/html_escape.hpp"
#include "bench/report/html_pages.hpp"
#include "bench/report/html_table.hpp"
#include "bench/report/layout.hpp"
#include "bench/support/text.hpp"

namespace tare {
namespace {

std::string ratio_text(double ratio) {
  return fmt::format("{:.{}f}×", ratio, ratio < 9.95 ? 2 : ratio < 99.5 ? 1 : 0);
}

/// The smallest value of the row, which a heat is relative to.
std::optional<double> coolest(const EngineTable& engine, const PivotRow& row) {
  std::optional<double> least;
  for (const auto& cell : row.cells) {
    const auto& shown = engine.ratios ? cell.ratio : cell.value;
    if (shown && shown->point > 0 && (!least || shown->point < *least)) least = shown->point;
  }
  return least;
}

HtmlCell cell_of(const EngineTable& engine, const PivotCell& cell, const std::optional<double>& least) {
  const auto& shown = engine.ratios ? cell.ratio : cell.value;
  if (!shown) return {fmt::format("<span class=quiet title=\"{}\">–</span>", html_escape(cell.why)), {}, ""};
  const auto text = engine.ratios ? ratio_text(shown->point) : metric_value(shown->point, engine.table.unit);
  std::string attributes;
  if (least && shown->point > 0) {
    const double heat = std::clamp(std::log10(shown->point / *least) / 2, 0.0, 1.0);
    attributes = fmt::format("style=\"--heat:{:.2f}\" data-heat=\"{:.2f}\"", heat, heat);
  }
  if (shown->low && shown->high && *shown->high > *shown->low) {
    const auto number = [&](double v) {
      return engine.ratios ? ratio_text(v) : metric_value(v, engine.table.unit);
    };
    attributes += fmt::format(" title=\"{} … {}\"", html_escape(number(*shown->low)),
                              html_escape(number(*shown->high)));
  }
  auto html = html_escape(text);
  if (cell.best) html = fmt::format("<b>{}</b>", html);
  return {html, shown->point, attributes};
}

}  // namespace

std::string engines_page(const ReportContent& content) {
  std::string all;
  for (std::size_t i = 0; i < content.engines.size(); ++i) {
    const auto& engine = content.engines[i];
    std::vector<HtmlColumn> columns{{"workload", false}};
    for (const auto& column : engine.table.columns) columns.push_back({column, true});
    HtmlTable table("engines: " + engine.title, columns);
    for (const auto& row : engine.table.rows) {
      const auto least = coolest(engine, row);
      std::vector<HtmlCell> cells{HtmlCell::text(shorten_middle(printable(row.name), 60))};
      for (const auto& cell : row.cells) cells.push_back(cell_of(engine, cell, least));
      table.row(cells);
    }
    if (engine.ratios && std::any_of(engine.table.means.begin(), engine.table.means.end(),
                                     [](const auto& m) { return m.has_value(); })) {
      std::vector<HtmlCell> cells{HtmlCell::text("geometric mean")};
      for (const auto& mean : engine.table.means)
        cells.push_back(mean ? HtmlCell::text(ratio_text(*mean), mean) : HtmlCell::text("–"));
      table.row(cells, false, "total");
    }
    all += fmt::format(
        "<section class=choice data-choice=engines><h3>{}</h3><div class=heat>{}</div></section>\n",
        html_escape(engine.title), table.str());
  }
  if (all.empty()) return "";
  return all +
         "<p class=quiet>The deeper the colour, the further from the row's best: none at 1×, full at 100×. "
         "Bold is the "
         "best. Engines were measured one after the other: compare two live when a few per cent "
         "matter.</p>\n";
}

}  // namespace tare
