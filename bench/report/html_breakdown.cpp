// Where the time of an explained benchmark goes: roofs, modes side by side, the what-if, each operation.
#include <algorithm>
#include <fmt/format.h>

#include "bench/report/html_escape.hpp"
#include "bench/report/html_pages.hpp"
#include "bench/report/html_table.hpp"
#include "bench/report/layout.hpp"
#include "bench/support/text.hpp"

namespace tare {
namespace {

std::string roofs_html(const MachineRoofs& roofs) {
  std::vector<std::pair<std::string, std::string>> facts;
  for (const auto& p : roofs.peaks)
    facts.emplace_back(
        fmt::format("peak, {}", plural(static_cast<std::size_t>(std::max(0, p.threads)), "thread")),
        format_si(p.flops_per_s) + "flop/s");
  for (const auto& b : roofs.bandwidths)
    facts.emplace_back(b.level + " bandwidth", format_bytes(b.bytes_per_s) + "/s");
  if (roofs.overhead_ns > 0)
    facts.emplace_back("overhead of an operation", format_duration(roofs.overhead_ns));
  return html_facts(facts);
}

/// The slider's answers for those who cannot slide.
std::string what_if_table(const Breakdown& breakdown) {
  std::vector<HtmlColumn> columns{{"matmul", false}};
  for (const auto& mode : breakdown.modes) {
    columns.push_back({mode.mode, true});
    columns.push_back({"matmul's share", true});
  }
  HtmlTable table("what if", columns);
  for (const int k : {1, 2, 4, 8, 16}) {
    std::vector<HtmlCell> cells{HtmlCell::text(k == 1 ? "as measured" : fmt::format("{}× faster", k))};
    for (const auto& mode : breakdown.modes) {
      cells.push_back(HtmlCell::text(format_duration(mode.total_ns(k)), mode.total_ns(k)));
      cells.push_back(
          HtmlCell::text(fmt::format("{:.0f} %", 100 * mode.matmul_share(k)), mode.matmul_share(k)));
    }
    table.row(cells);
  }
  return table.str();
}

std::string shapes_text(const OpCost& op) {
  std::vector<std::string> shapes;
  for (const auto& shape : op.shapes) shapes.push_back(fmt::format("{}", fmt::join(shape, "×")));
  return join(shapes, ", ");
}

std::string ops_table(const Breakdown& breakdown) {
  HtmlTable table("operations", {{"operation", false},
                                 {"mode", false},
                                 {"shapes", false},
                                 {"time", true},
                                 {"share", true},
                                 {"flops", true},
                                 {"bytes", true},
                                 {"regime", false},
                                 {"of roof", true}});
  for (const auto& mode : breakdown.modes) {
    const double total = mode.total_ns();
    for (const auto& op : mode.ops) {
      const double share = total > 0 ? op.duration_ns / total : 0;
      table.row({HtmlCell::text(shorten_middle(printable(op.name), 60)), HtmlCell::text(mode.mode),
                 HtmlCell::text(shapes_text(op)),
                 HtmlCell::text(format_duration(op.duration_ns), op.duration_ns),
                 HtmlCell::text(fmt::format("{:.1f} %", 100 * share), share),
                 HtmlCell::text(format_si(op.flops), op.flops),
                 HtmlCell::text(format_bytes(op.bytes), op.bytes), HtmlCell::text(name_of(op.regime)),
                 HtmlCell::text(fmt::format("{:.0f} %", 100 * op.share_of_roof), op.share_of_roof)});
    }
  }
  return table.empty() ? "" : table.str();
}

std::string gain_sentence(const Breakdown& b) {
  std::vector<std::string> parts;
  if (b.predicted_gain) parts.push_back(fmt::format("predicted {:.2f}×", *b.predicted_gain));
  if (b.measured_gain) {
    auto text = fmt::format("measured {:.2f}×", b.measured_gain->point);
    if (b.measured_gain->low && b.measured_gain->high)
      text += fmt::format(" [{:.2f}, {:.2f}]", *b.measured_gain->low, *b.measured_gain->high);
    parts.push_back(text);
  }
  return parts.empty()
             ? ""
             : fmt::format("<p class=statement>Gain of fusing: {}.</p>\n", html_escape(join(parts, ", ")));
}

std::string one(const Breakdown& breakdown, std::size_t index) {
  const auto of = fmt::format("data-breakdown={}", index);
  std::string all =
      fmt::format("<section class=explained><h3>{}</h3>\n{}",
                  html_escape(shorten_middle(printable(breakdown.benchmark), 120)), gain_sentence(breakdown));
  std::string advice;
  for (const auto& line : breakdown.advice) advice += fmt::format("<li>{}</li>", html_escape(line));
  if (!advice.empty()) all += fmt::format("<ul class=advice>{}</ul>\n", advice);
  all += html_chart(
      "timeline",
      "Operations in time, one row per mode. Matmul is grey: what remains when it gets faster is the "
      "colour.",
      of);
  all += "<h4>What if matmul were faster?</h4>\n" + what_if_table(breakdown);
  all += html_chart(
      "roofline",
      "Each operation below the roofs measured here: on a slanted roof it waits for memory, on a flat "
      "one it computes, far below it is overhead. Squares are the graph's, circles the other modes'.",
      of);
  return all + roofs_html(breakdown.roofs) + ops_table(breakdown) + "</section>\n";
}

}  // namespace

std::string breakdown_page(const ReportContent& content) {
  std::string all;
  for (std::size_t i = 0; i < content.breakdowns.size(); ++i) all += one(content.breakdowns[i], i);
  return all;
}

}  // namespace tare
