// tare report: stored runs or a comparison as one self-contained page, or as Markdown, JSON or a trace.
#include <fmt/format.h>
#include <memory>

#include "bench/report/html.hpp"
#include "bench/report/layout.hpp"
#include "bench/report/report_json.hpp"
#include "bench/report/report_markdown.hpp"
#include "bench/report/trace.hpp"
#include "bench/support/text.hpp"
#include "cli/commands.hpp"
#include "cli/duels.hpp"
#include "cli/exit_codes.hpp"
#include "cli/output.hpp"
#include "cli/report_assets.hpp"
#include "cli/report_content.hpp"
#include "cli/stored.hpp"
#include "cli/terminal.hpp"
#include "cli/trade_options.hpp"

namespace tare::cli {
namespace {

struct ReportCommand {
  std::vector<std::string> runs;
  std::vector<std::string> compare;
  bool last = false;
  std::string title;
  std::string store;
  VerdictOptions verdict;
  TradeOptions trade;
  OutputOptions output;

  ReportCommand() {
    output.format = "html";
    output.formats = {"html", "markdown", "json", "trace"};
  }
};

Result<ReportRequest> request_of(const ReportCommand& command) {
  ReportRequest request;
  request.runs = command.runs;
  request.compare = command.compare;
  if (command.last || (request.runs.empty() && request.compare.empty())) request.runs.emplace_back("last");
  request.title = command.title;
  auto options = command.verdict.options();
  if (!options) return std::move(options).error();
  request.options = *options;
  auto trade = command.trade.request();
  if (!trade) return std::move(trade).error();
  request.pareto = std::move(*trade);
  return request;
}

Result<std::string> render(const std::string& format, const ReportContent& content) {
  if (format == "markdown") return report_markdown(content);
  if (format == "json") return to_text(report_json(content)) + "\n";
  if (format == "html") return html_report(content, report_assets());
  if (content.breakdowns.empty())
    return fail(
        "there is no breakdown to trace in these runs; leave out --format trace, or explain a benchmark "
        "first");
  return to_text(chrome_trace(content.breakdowns)) + "\n";
}

Status report(const ReportCommand& command) {
  auto output = command.output;
  if (output.format == "html" && output.path.empty()) output.path = "report.html";
  if (auto ready = output.ready(); !ready) return ready;
  auto request = request_of(command);
  if (!request) return std::move(request).error();
  auto store = open_store(command.store);
  if (!store) return std::move(store).error();
  auto content = gather(*store, *request);
  if (!content) return std::move(content).error();
  auto text = render(output.format, *content);
  if (!text) return std::move(text).error();
  if (auto written = output.write(*text); !written) return written;
  if (output.format == "html") {
    std::size_t benchmarks = 0;
    for (const auto& run : content->runs) benchmarks += run.results.size();
    print(fmt::format("{} ({}, {})\n", output.path, plural(benchmarks, "benchmark"),
                      format_bytes(static_cast<double>(text->size()))));
  }
  return ok();
}

}  // namespace

void add_report(CLI::App& app, Chosen& chosen) {
  auto command = std::make_shared<ReportCommand>();
  auto* sub = app.add_subcommand("report", "One self-contained HTML page of stored runs or a comparison");
  sub->footer(
      "Examples:\n"
      "  tare report --last --out report.html\n"
      "  tare report 7 8 --title 'Before the release'\n"
      "  tare report --compare main last --out report.html\n"
      "  tare report --compare main last --format markdown\n"
      "  tare report last --x latency --y accuracy --require 'accuracy>=0.95'\n\n"
      "The page loads nothing from anywhere and can be mailed. Without --out it is written to report.html; "
      "the other "
      "formats go to standard output.");
  sub->add_option("runs", command->runs, "Runs: numbers, last, last~1, baselines; the newest without any")
      ->type_name("RUN");
  sub->add_option("--compare", command->compare, "Compare two stored runs; measured live, as they were then")
      ->expected(2)
      ->type_name("A B");
  sub->add_flag("--last", command->last, "The newest run");
  sub->add_option("--title", command->title, "The page's title")->type_name("TEXT");
  add_store_option(*sub, command->store);
  command->verdict.add_to(*sub);
  command->trade.add_to(*sub);
  command->output.add_to(*sub);
  sub->callback([command, &chosen] {
    chosen.run = [command] {
      if (auto done = report(*command); !done) return complain(done.error().message), exit_wrong_use;
      return exit_good;
    };
  });
}

}  // namespace tare::cli
