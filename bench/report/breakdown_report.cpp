#include "bench/report/breakdown_report.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "bench/report/layout.hpp"
#include "bench/report/table.hpp"
#include "bench/support/text.hpp"

namespace tare {
namespace {

/// Rows of one mode's table, and reasons; the rest is summed up.
constexpr std::size_t most_rows = 12;
constexpr std::size_t most_reasons = 4;

std::string percent(double share) {
  return fmt::format("{:.0f} %", 100 * share);
}

std::string roofs_line(const MachineRoofs& roofs, const ReportOptions& options) {
  std::vector<std::string> parts;
  for (const auto& peak : roofs.peaks)
    parts.push_back(fmt::format("{}flop/s on {}", format_si(peak.flops_per_s),
                                plural(static_cast<std::size_t>(std::max(0, peak.threads)), "thread")));
  for (const auto& b : roofs.bandwidths)
    parts.push_back(fmt::format("{} {}/s", printable(b.level), format_bytes(b.bytes_per_s)));
  if (roofs.overhead_ns > 0)
    parts.push_back(fmt::format("{} to call an operation", format_duration(roofs.overhead_ns)));
  if (parts.empty()) parts.emplace_back("not known");
  return hanging("At best: ", dotted(parts), options.width);
}

/// One bar a mode, all to one scale: matmul, the rest, and what lies between the operations.
std::string bars(const Breakdown& breakdown, const ReportOptions& options) {
  std::size_t names = 0;
  double longest = 0;
  for (const auto& mode : breakdown.modes) {
    names = std::max(names, display_width(printable(mode.mode)));
    longest = std::max({longest, mode.whole_ns(), mode.total_ns()});
  }
  const double room = static_cast<double>(options.width > names + 50 ? options.width - names - 44 : 6);
  std::string text;
  for (const auto& mode : breakdown.modes) {
    const double matmul = mode.total_ns() * mode.matmul_share();
    const auto columns = [&](double ns) {
      return longest > 0 ? static_cast<std::size_t>(std::lround(ns / longest * room)) : 0;
    };
    const auto a = columns(matmul), b = columns(mode.total_ns()), c = columns(mode.whole_ns());
    text += fmt::format("{}  {}{}{}  {}, {} matmul\n", pad_right(printable(mode.mode), names),
                        repeat(options.ascii ? "#" : "█", a),
                        repeat(options.ascii ? "+" : "▒", b > a ? b - a : 0),
                        repeat(options.ascii ? "." : "·", c > std::max(a, b) ? c - std::max(a, b) : 0),
                        format_duration(mode.whole_ns()), percent(mode.matmul_share()));
  }
  text += fmt::format("{}  {} matmul, {} other operations, {} between operations\n", repeat(" ", names),
                      options.ascii ? "#" : "█", options.ascii ? "+" : "▒", options.ascii ? "." : "·");
  return text;
}

std::string ops_table(const ModeBreakdown& mode, const MachineRoofs& roofs, const ReportOptions& options) {
  Table table({{"operations of " + printable(mode.mode), Align::left, true},
               {"calls", Align::right},
               {"time", Align::decimal},
               {"share", Align::right},
               {"flop", Align::decimal},
               {"bytes", Align::decimal},
               {"flop/B", Align::right},
               {"of roof", Align::right},
               {"regime", Align::left}});
  const auto groups = groups_of(mode, roofs);
  const double total = mode.total_ns();
  double rest = 0;
  std::size_t left = 0;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const auto& g = groups[i];
    if (i >= most_rows) {
      rest += g.total_ns;
      left += g.count;
      continue;
    }
    table.row({{printable(g.name), g.kind == OpKind::matmul ? Ink::strong : Ink::plain},
               {std::to_string(g.count)},
               {format_duration(g.total_ns)},
               {total > 0 ? percent(g.total_ns / total) : "–"},
               {format_si(g.flops)},
               {format_bytes(g.bytes)},
               {g.bytes > 0 ? fmt::format("{:.2f}", g.flops / g.bytes) : "–"},
               {g.total_ns > 0 && g.best_ns > 0 ? percent(g.best_ns / g.total_ns) : "–"},
               {name_of(g.regime)}});
  }
  std::string text = table.str(options.width, options.style);
  if (left > 0)
    text += fmt::format("and {} more that take {} of the time\n", left,
                        total > 0 ? percent(rest / total) : "none");
  for (std::size_t i = 0; i < std::min(groups.size(), most_reasons); ++i) {
    if (!groups[i].reason.empty())
      text += hanging("  ",
                      fmt::format("{} ({}): {}.", shorten_middle(printable(groups[i].name), 40),
                                  name_of(groups[i].regime), groups[i].reason),
                      options.width);
  }
  return text;
}

std::string what_if(const Breakdown& breakdown, std::optional<double> faster, const ReportOptions& options) {
  std::vector<Column> columns{{"if matmul were", Align::left}};
  for (const auto& mode : breakdown.modes) {
    columns.push_back({printable(mode.mode), Align::decimal});
    columns.push_back({"matmul", Align::right});
    columns.push_back({"the rest", Align::right});
  }
  Table table(columns);
  std::vector<double> factors{1, 2, 4, 8};
  if (faster && std::find(factors.begin(), factors.end(), *faster) == factors.end())
    factors.push_back(*faster);
  for (const double k : factors) {
    const bool asked = faster && k == *faster;
    const Ink ink = asked ? Ink::strong : Ink::plain;
    std::vector<Cell> cells{
        {k == 1 ? std::string("as it is") : fmt::format("{} times faster", format_number(k)), ink}};
    for (const auto& mode : breakdown.modes) {
      cells.push_back({format_duration(mode.total_ns(k)), ink});
      cells.push_back({percent(mode.matmul_share(k)), ink});
      cells.push_back({percent(1 - mode.matmul_share(k)), ink});
    }
    table.row(cells);
  }
  return table.str(options.width, options.style);
}

std::string gain_line(const Breakdown& breakdown, const ReportOptions& options) {
  if (breakdown.modes.size() < 2) return "";
  std::vector<std::string> parts;
  if (breakdown.predicted_gain) parts.push_back(fmt::format("predicted {:.2f}", *breakdown.predicted_gain));
  if (const auto& measured = breakdown.measured_gain) {
    parts.push_back(fmt::format("measured {:.2f}", measured->point));
    if (measured->low && measured->high)
      parts.back() += fmt::format(" [{:.2f}, {:.2f}]", *measured->low, *measured->high);
  }
  if (parts.empty()) return "";
  return hanging(fmt::format("{} faster than {}, times: ", printable(breakdown.modes.back().mode),
                             printable(breakdown.modes.front().mode)),
                 dotted(parts), options.width) +
         "\n";
}

}  // namespace

std::string breakdown_report(const Breakdown& breakdown, std::optional<double> faster_matmul,
                             const ReportOptions& options) {
  std::string text = options.style.paint(Ink::strong, printable(breakdown.benchmark)) + "\n";
  text += roofs_line(breakdown.roofs, options) + "\n" + bars(breakdown, options) + "\n";
  for (const auto& mode : breakdown.modes) text += ops_table(mode, breakdown.roofs, options) + "\n";
  const bool has_matmul = std::any_of(breakdown.modes.begin(), breakdown.modes.end(),
                                      [](const ModeBreakdown& mode) { return mode.matmul_share() > 0; });
  if (has_matmul) text += what_if(breakdown, faster_matmul, options) + "\n";
  text += gain_line(breakdown, options);
  for (std::size_t i = 0; i < breakdown.advice.size(); ++i)
    text += hanging(fmt::format("{}. ", i + 1), printable(breakdown.advice[i]), options.width);
  return text;
}

}  // namespace tare
