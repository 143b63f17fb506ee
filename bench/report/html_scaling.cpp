// How times grow along a parameter.
#include <fmt/format.h>

#include "bench/report/html_pages.hpp"
#include "bench/report/html_table.hpp"
#include "bench/report/layout.hpp"
#include "bench/support/text.hpp"

namespace tare {

std::string scaling_page(const ReportContent& content) {
  if (content.growth.empty()) return "";
  HtmlTable table("growth", {{"benchmark", false},
                             {"along", false},
                             {"exponent k of c · nᵏ", true},
                             {"95 % interval", true},
                             {"closest", false},
                             {"off by", true}});
  for (const auto& g : content.growth) {
    const bool interval = g.exponent.low && g.exponent.high;
    table.row(
        {HtmlCell::text(shorten_middle(printable(g.benchmark), 90)),
         HtmlCell::text(fmt::format("{} {} … {}", g.parameter, format_si(g.first), format_si(g.last))),
         HtmlCell::text(fmt::format("{:.2f}", g.exponent.point), g.exponent.point),
         HtmlCell::text(interval ? fmt::format("[{:.2f}, {:.2f}]", *g.exponent.low, *g.exponent.high) : "–",
                        interval ? std::optional(*g.exponent.high - *g.exponent.low) : std::nullopt),
         HtmlCell::text(g.closest), HtmlCell::text(format_percent(g.residual), g.residual)});
  }
  return html_chart(
             "scaling",
             "Time against size, both on logarithmic scales: a straight line is a power law, its slope the "
             "exponent. Lines are the fits.") +
         table.str() +
         "<p class=quiet>The exponent is fitted to the logarithms, with a t interval. “Closest” is the best "
         "of 1, log n, "
         "n, n log n, n², n³; “off by” is what remains of it, root mean square.</p>\n";
}

}  // namespace tare
