#include "bench/report/pivot_report.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "bench/report/layout.hpp"
#include "bench/report/markdown.hpp"
#include "bench/report/table.hpp"
#include "bench/support/json.hpp"
#include "bench/support/text.hpp"

namespace tare {
namespace {

std::string ratio_text(const Estimate& ratio, bool interval) {
  if (!std::isfinite(ratio.point)) return "∞";
  const auto number = format_number(ratio.point);
  const auto half = ratio.relative_half_width();
  return interval && half && *half > 0 ? fmt::format("{} ± {}", number, format_percent(*half)) : number;
}

/// The base's own value stands where its ratio would be one.
bool is_base(const PivotTable& table, const PivotCell& cell, std::size_t column) {
  return table.base == "best" ? cell.best : table.columns[column] == table.base;
}

std::string cell_text(const PivotTable& table, const PivotRow& row, std::size_t column, bool interval) {
  const auto& cell = row.cells[column];
  if (!cell.value) return cell.why.empty() ? "" : "–";
  if (cell.ratio && !is_base(table, cell, column)) return ratio_text(*cell.ratio, interval);
  return metric_value(cell.value->point, table.unit);
}

std::string what(const PivotTable& table) {
  const auto metric = table.per.empty() ? table.metric : table.metric + " per " + table.per;
  return table.base == "best"
             ? fmt::format("{}: ratios to the best of each row, whose value is shown", metric)
             : fmt::format("{}: ratios to {}, whose value is shown", metric, table.base);
}

Table drawn(const PivotTable& table, std::size_t from, std::size_t to, bool interval) {
  std::vector<Column> columns{{"", Align::left, true}};
  for (std::size_t i = from; i < to; ++i) columns.push_back({table.columns[i], Align::right});
  Table text(std::move(columns));
  for (const auto& row : table.rows) {
    std::vector<Cell> cells{{row.name}};
    for (std::size_t i = from; i < to; ++i) {
      cells.push_back({cell_text(table, row, i, interval), row.cells[i].best ? Ink::good : Ink::plain});
    }
    text.row(std::move(cells));
  }
  std::vector<Cell> means{{"geometric mean", Ink::strong}};
  for (std::size_t i = from; i < to; ++i) {
    means.push_back({table.means[i] ? format_number(*table.means[i]) : "", Ink::strong});
  }
  text.row(std::move(means));
  return text;
}

std::size_t full_width(const Table& table, std::size_t columns) {
  std::size_t width = 0;
  for (std::size_t i = 0; i < columns; ++i) width += table.column_width(i) + (i == 0 ? 0 : 2);
  return width;
}

std::string observed_text(const HypothesisFinding& f) {
  if (!f.observed) return "–";
  return ratio_text(*f.observed, true);
}

std::string scope_text(const HypothesisFinding& f) {
  if (f.pairs == 0) return "no such benchmarks in this run";
  if (!f.hypothesis.each) return fmt::format("geometric mean of {}", f.pairs);
  return f.pairs == 1 ? f.worst : fmt::format("{} of {} within; worst: {}", f.within, f.pairs, f.worst);
}

Json to_json(const std::optional<Estimate>& estimate) {
  if (!estimate) return nullptr;
  const auto number = [](const std::optional<double>& x) -> Json {
    return x && std::isfinite(*x) ? Json(*x) : Json(nullptr);
  };
  return {{"point", number(estimate->point)},
          {"low", number(estimate->low)},
          {"high", number(estimate->high)},
          {"confidence", estimate->confidence},
          {"method", estimate->method}};
}

}  // namespace

std::string pivot_text(const PivotTable& table, const ReportOptions& options) {
  std::string all;
  for (const auto& line : wrap(what(table), options.width))
    all += options.style.paint(Ink::strong, line) + "\n";
  all += "\n";
  const std::size_t columns = table.columns.size();
  for (const bool interval : {true, false}) {
    const auto whole = drawn(table, 0, columns, interval);
    if (full_width(whole, columns + 1) <= options.width) return all + whole.str(options.width, options.style);
  }
  for (std::size_t from = 0; from < columns;) {
    std::size_t to = from + 1;
    while (to < columns && full_width(drawn(table, from, to + 1, false), to + 2 - from) <= options.width)
      ++to;
    all += (from == 0 ? "" : "\n") + drawn(table, from, to, false).str(options.width, options.style);
    from = to;
  }
  return all;
}

std::string pivot_markdown(const PivotTable& table) {
  std::string all = markdown_escape(what(table)) + "\n\n| |";
  std::string rule = "|:--|";
  for (const auto& column : table.columns) {
    all += fmt::format(" {} |", markdown_escape(column));
    rule += "--:|";
  }
  all += "\n" + rule + "\n";
  for (const auto& row : table.rows) {
    all += fmt::format("| {} |", markdown_escape(row.name));
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
      const auto text = markdown_escape(cell_text(table, row, i, true));
      all += row.cells[i].best ? fmt::format(" **{}** |", text) : fmt::format(" {} |", text);
    }
    all += "\n";
  }
  all += "| geometric mean |";
  for (const auto& mean : table.means) all += fmt::format(" {} |", mean ? format_number(*mean) : "");
  return all + "\n";
}

std::string hypotheses_text(const std::vector<HypothesisFinding>& findings, const ReportOptions& options) {
  std::string all;
  for (const auto& f : findings) {
    const Ink ink = f.standing == Standing::holds   ? Ink::good
                    : f.standing == Standing::fails ? Ink::bad
                                                    : Ink::caution;
    const auto sentence =
        fmt::format("{}: {}, at most {} wanted ({})", printable(f.hypothesis.claim), observed_text(f),
                    format_number(f.hypothesis.at_most), printable(scope_text(f)));
    const auto word = pad_right(name_of(f.standing), 11);
    const auto text = hanging(word, sentence, options.width);
    all += options.style.paint(ink, word) + text.substr(word.size());
  }
  return all;
}

std::string hypotheses_markdown(const std::vector<HypothesisFinding>& findings) {
  if (findings.empty()) return "";
  std::string all = "| claim | verdict | measured | at most | where |\n|:--|:--|--:|--:|:--|\n";
  for (const auto& f : findings) {
    all += fmt::format("| {} | **{}** | {} | {} | {} |\n", markdown_escape(f.hypothesis.claim),
                       name_of(f.standing), markdown_escape(observed_text(f)),
                       format_number(f.hypothesis.at_most), markdown_escape(scope_text(f)));
  }
  return all;
}

std::string pivot_json(const PivotTable& table, const std::vector<HypothesisFinding>& findings) {
  Json rows = Json::array();
  for (const auto& row : table.rows) {
    Json cells = Json::object();
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
      const auto& cell = row.cells[i];
      if (!cell.value && cell.why.empty()) continue;
      cells[table.columns[i]] = {{"value", to_json(cell.value)}, {"ratio", to_json(cell.ratio)}};
      if (!cell.why.empty()) cells[table.columns[i]]["why"] = cell.why;
    }
    rows.push_back({{"name", row.name}, {"cells", cells}});
  }
  Json means = Json::object();
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    if (table.means[i]) means[table.columns[i]] = *table.means[i];
  }
  Json claims = Json::array();
  for (const auto& f : findings) {
    claims.push_back({{"claim", f.hypothesis.claim},
                      {"metric", f.hypothesis.metric},
                      {"verdict", name_of(f.standing)},
                      {"at_most", f.hypothesis.at_most},
                      {"observed", to_json(f.observed)},
                      {"pairs", f.pairs},
                      {"within", f.within},
                      {"worst", f.worst}});
  }
  const Json all{{"table",
                  {{"parameter", table.parameter},
                   {"metric", table.metric},
                   {"per", table.per},
                   {"base", table.base},
                   {"unit", table.unit},
                   {"columns", table.columns},
                   {"rows", rows},
                   {"geometric_means", means}}},
                 {"hypotheses", claims}};
  return to_text(all, 2) + "\n";
}

}  // namespace tare
