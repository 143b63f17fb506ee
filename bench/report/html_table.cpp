#include "bench/report/html_table.hpp"

#include <cmath>
#include <fmt/format.h>

#include "bench/report/html_escape.hpp"

namespace tare {
namespace {

// A browser lays out so many rows in a few hundredths of a second.
constexpr std::size_t most_rows_at_once = 200;

}  // namespace

std::string short_number(double value) {
  return std::isfinite(value) ? fmt::format("{:.6g}", value) : "";
}

HtmlCell HtmlCell::text(std::string_view text, std::optional<double> key) {
  return {html_escape(text), key, ""};
}

void HtmlTable::row(const std::vector<HtmlCell>& cells, bool belongs_above, const std::string& classes) {
  std::string names = belongs_above ? "sub" : "";
  if (!classes.empty()) names += (names.empty() ? "" : " ") + classes;
  std::string row = names.empty() ? "<tr>" : fmt::format("<tr class=\"{}\">", names);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const auto& cell = cells[i];
    row += fmt::format("<{}{}{}>{}",
                       i == 0               ? "th scope=row"
                       : columns_[i].number ? "td"
                                            : "td class=t",
                       cell.key && std::isfinite(*cell.key) ? " data-v=" + short_number(*cell.key) : "",
                       cell.attributes.empty() ? "" : " " + cell.attributes, cell.html);
  }
  rows_.push_back(row + "\n");
}

void HtmlTable::sentence(const HtmlCell& first, const std::string& html, const std::string& classes) {
  rows_.push_back(fmt::format("<tr{}><th scope=row>{}<td class=t colspan={}>{}\n",
                              classes.empty() ? "" : fmt::format(" class={}", classes), first.html,
                              columns_.size() - 1, html));
}

std::string HtmlTable::str() const {
  std::string head = "<thead><tr>";
  for (const auto& column : columns_) {
    head += fmt::format("<th scope=col{}>{}", column.number ? "" : " class=t", html_escape(column.header));
  }

  std::string shown, rest;
  for (std::size_t i = 0; i < rows_.size(); ++i) (i < most_rows_at_once ? shown : rest) += rows_[i];
  std::string all = fmt::format(
      "<div class=wide tabindex=0 role=region aria-label=\"table: {0}\"><table "
      "data-table=\"{0}\">{1}<tbody>\n"
      "{2}</table></div>\n",
      html_escape(name_), head, shown);
  if (!rest.empty()) {
    all += fmt::format(
        "<noscript data-rest=\"{}\"><div class=wide><table>{}<tbody>\n{}</table></div></noscript>\n",
        html_escape(name_), head, rest);
  }
  return all;
}

std::string html_facts(const std::vector<std::pair<std::string, std::string>>& facts) {
  std::string all;
  for (const auto& [name, value] : facts) {
    if (value.empty()) continue;
    all += fmt::format("<div><dt>{}<dd>{}</div>", html_escape(name), html_escape(value));
  }
  return all.empty() ? "" : fmt::format("<dl class=facts>{}</dl>\n", all);
}

std::string html_chart(std::string_view chart, std::string_view caption, std::string_view data) {
  return fmt::format("<figure class=chart data-chart=\"{}\"{}{}><figcaption>{}</figcaption></figure>\n",
                     chart, data.empty() ? "" : " ", data, html_escape(caption));
}

}  // namespace tare
