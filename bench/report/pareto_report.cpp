#include "bench/report/pareto_report.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "bench/report/layout.hpp"
#include "bench/report/notes.hpp"
#include "bench/report/table.hpp"
#include "bench/support/text.hpp"

namespace tare {

std::string pareto_sentence(const ParetoFront& front) {
  const auto leading = std::count_if(front.points.begin(), front.points.end(),
                                     [](const ParetoPoint& p) { return p.frontier; });
  std::vector<std::string> metrics, constraints;
  for (const auto& metric : front.metrics) metrics.push_back(metric.name);
  for (const auto& constraint : front.constraints) constraints.push_back(text_of(constraint));
  auto text =
      fmt::format("{} of {} {} on the frontier of {}", leading, plural(front.points.size(), "variant"),
                  leading == 1 ? "is" : "are", join(metrics, metrics.size() > 2 ? ", " : " and "));
  if (!constraints.empty()) text += fmt::format(", with {}", join(constraints, " and "));
  return text + ".";
}

std::string pareto_standing(const ParetoPoint& point) {
  if (!point.allowed) return "breaks " + join(point.violates, ", ");
  return point.frontier ? "frontier" : "beaten";
}

std::string pareto_value(const ParetoMetric& metric, const Estimate& value) {
  auto text = metric_value(value.point, metric.unit);
  const auto half = value.relative_half_width();
  return half && *half > 0 ? fmt::format("{} ± {}", text, format_percent(*half)) : text;
}

std::string normalised_value(const NormalisedMetric& metric) {
  const auto& e = metric.estimate;
  if (metric.name == "accuracy delta") {
    const auto points = [](double v) { return fmt::format("{:+.1f}", 100 * v); };
    return e.low && e.high ? fmt::format("{} [{}, {}] pp", points(e.point), points(*e.low), points(*e.high))
                           : points(e.point) + " pp";
  }
  const auto half = e.relative_half_width();
  return half && *half > 0 ? fmt::format("{} ± {}", format_number(e.point), format_percent(*half))
                           : format_number(e.point);
}

std::string pareto_text(const ParetoFront& front, const ReportOptions& options) {
  std::vector<Column> columns{{"variant", Align::left}, {"standing", Align::left}};
  for (const auto& metric : front.metrics) columns.push_back({metric.name, Align::right});
  columns.push_back({"beaten by", Align::left});
  columns.push_back({"tied with", Align::left});
  Table table(columns);
  for (const auto& point : front.points) {
    std::vector<Cell> cells{{printable(point.name)},
                            {pareto_standing(point), point.frontier  ? Ink::good
                                                     : point.allowed ? Ink::plain
                                                                     : Ink::caution}};
    for (std::size_t i = 0; i < front.metrics.size(); ++i)
      cells.push_back({pareto_value(front.metrics[i], point.values[i])});
    cells.push_back({point.dominated_by.empty() ? "" : some_of(point.dominated_by, 30)});
    cells.push_back({point.ties.empty() ? "" : some_of(point.ties, 30)});
    table.row(cells);
  }
  auto text = table.str(options.width, options.style);
  if (!front.base.empty()) {
    text += fmt::format("\nAgainst {}:\n", printable(front.base));
    for (const auto& point : front.points) {
      std::vector<std::string> figures;
      for (const auto& metric : point.normalised)
        figures.push_back(metric.name + " " + normalised_value(metric));
      text += hanging(printable(point.name) + ": ", dotted(figures), options.width);
    }
  }
  text += "\n" + pareto_sentence(front) + "\n";
  for (const auto& r : front.recommendations) {
    text += hanging(r.purpose + ": ", fmt::format("{}, {} ({})", printable(r.point), r.reason, r.figures),
                    options.width);
  }
  for (const auto& name : front.left_out) text += hanging("left out: ", printable(name), options.width);
  return text;
}

}  // namespace tare
