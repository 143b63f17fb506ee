// Variants that trade metrics against each other: which to take, and who beats whom.
#include <fmt/format.h>

#include "bench/report/html_escape.hpp"
#include "bench/report/html_pages.hpp"
#include "bench/report/html_table.hpp"
#include "bench/report/layout.hpp"
#include "bench/report/notes.hpp"
#include "bench/report/pareto_report.hpp"
#include "bench/support/text.hpp"

namespace tare {

std::string pareto_page(const ReportContent& content) {
  if (!content.pareto) return "";
  const auto& front = *content.pareto;
  std::string all = fmt::format("<p class=statement>{}</p>\n", html_escape(pareto_sentence(front)));
  std::string advice;
  for (const auto& r : front.recommendations) {
    advice += fmt::format("<li><b>{}</b>: <span class=name>{}</span>, {} ({}).</li>", html_escape(r.purpose),
                          html_escape(shorten_middle(printable(r.point), 90)), html_escape(r.reason),
                          html_escape(r.figures));
  }
  if (!advice.empty()) all += fmt::format("<ul class=advice>{}</ul>\n", advice);
  if (front.metrics.size() > 1)
    all += html_chart(
        "pareto",
        "Every variant with its intervals; the line joins those that nothing beats. Hollow: beaten; "
        "crossed: breaks a constraint.");
  std::vector<HtmlColumn> columns{{"variant", false}, {"standing", false}};
  for (const auto& metric : front.metrics)
    columns.push_back({fmt::format("{} {}", metric.name, metric.better == Better::less ? "↓" : "↑"), true});
  columns.push_back({"beaten by", false});
  columns.push_back({"tied with", false});
  HtmlTable table("pareto", columns);
  for (const auto& point : front.points) {
    const auto* look = point.frontier ? "good" : point.allowed ? "plain" : "bad";
    const auto standing = pareto_standing(point);
    std::vector<HtmlCell> cells{
        HtmlCell::text(shorten_middle(printable(point.name), 90)),
        {fmt::format("<span class={}>{}</span>", look, html_escape(standing)), {}, ""}};
    for (std::size_t i = 0; i < front.metrics.size(); ++i)
      cells.push_back(HtmlCell::text(pareto_value(front.metrics[i], point.values[i]), point.values[i].point));
    cells.push_back(HtmlCell::text(point.dominated_by.empty() ? "" : some_of(point.dominated_by)));
    cells.push_back(HtmlCell::text(point.ties.empty() ? "" : some_of(point.ties)));
    table.row(cells);
  }
  all += table.str();
  if (!front.base.empty()) {
    HtmlTable against("normalised", {{"against " + front.base, false}, {"figures", false}});
    for (const auto& point : front.points) {
      std::vector<std::string> figures;
      for (const auto& metric : point.normalised)
        figures.push_back(metric.name + " " + normalised_value(metric));
      against.row(
          {HtmlCell::text(shorten_middle(printable(point.name), 90)), HtmlCell::text(join(figures, " · "))});
    }
    all += against.str();
  }
  if (!front.left_out.empty()) {
    all += fmt::format("<p class=quiet>Left out: {}.</p>\n", html_escape(some_of(front.left_out, 80)));
  }
  return all +
         "<p class=quiet>One variant beats another when its interval is better beyond doubt in one metric "
         "and worse "
         "in none; overlapping intervals are ties.</p>\n";
}

}  // namespace tare
