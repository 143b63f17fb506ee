#include "bench/report/growth_report.hpp"

#include <fmt/format.h>

#include "bench/report/table.hpp"
#include "bench/support/text.hpp"

namespace tare {

std::string growth_report(const std::vector<GrowthFinding>& findings, const ReportOptions& options) {
  if (findings.empty()) return "";
  Table table({{"growth", Align::left, true},
               {"along", Align::left},
               {"exponent", Align::right},
               {"95 % interval", Align::left},
               {"closest", Align::left},
               {"off by", Align::right}});
  for (const auto& f : findings) {
    const auto interval = f.exponent.low && f.exponent.high
                              ? fmt::format("[{:.2f}, {:.2f}]", *f.exponent.low, *f.exponent.high)
                              : "–";
    table.row({{f.benchmark},
               {fmt::format("{} {}…{}", f.parameter, format_si(f.first), format_si(f.last))},
               {fmt::format("{:.2f}", f.exponent.point)},
               {interval},
               {f.closest},
               {format_percent(f.residual)}});
  }
  return table.str(options.width, options.style);
}

}  // namespace tare
