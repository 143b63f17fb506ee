// tare pareto: which variant to take, when they trade metrics against each other.
#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <regex>

#include "bench/analyse/summarise.hpp"
#include "bench/model/pareto_json.hpp"
#include "bench/report/pareto_report.hpp"
#include "bench/support/text.hpp"
#include "cli/commands.hpp"
#include "cli/exit_codes.hpp"
#include "cli/output.hpp"
#include "cli/stored.hpp"
#include "cli/terminal.hpp"
#include "cli/trade_options.hpp"

namespace tare::cli {
namespace {

struct ParetoCommand {
  std::string run = "last";
  std::string filter;
  std::string store;
  TradeOptions trade;
  OutputOptions output;

  ParetoCommand() {
    trade.x = "latency";
    trade.y = "accuracy";
    output.formats = {"text", "json"};
  }
};

Status pareto(const ParetoCommand& command) {
  if (auto ready = command.output.ready(); !ready) return ready;
  auto request = command.trade.request();
  if (!request) return std::move(request).error();
  auto store = open_store(command.store);
  if (!store) return std::move(store).error();
  auto run = store->resolve_run(command.run).and_then([&](std::int64_t id) { return store->load_run(id); });
  if (!run) return std::move(run).error();
  if (auto kept = keep_matching(*run, command.filter); !kept) return kept;
  for (auto& result : run->results) summarise(result);
  auto front = pareto_of(run->results, *request);
  if (!front) return fail(fmt::format("run {}: {}", run->id, front.error().message));
  if (command.output.format == "json") return command.output.write(to_text(to_json(*front), 2) + "\n");
  return command.output.write(
      pareto_text(*front, command.output.path.empty() ? report_options() : ReportOptions{}));
}

}  // namespace

void add_pareto(CLI::App& app, Chosen& chosen) {
  auto command = std::make_shared<ParetoCommand>();
  auto* sub = app.add_subcommand("pareto", "Which variant to take: frontier, who beats whom, what for");
  sub->footer(
      "Examples:\n"
      "  tare pareto last --x latency --y accuracy --size memory\n"
      "  tare pareto last --of variant --require 'accuracy>=0.95' --require 'memory<=64MiB'\n"
      "  tare pareto last --filter '^mlp/.*batch=1$' --of variant --base fp32\n"
      "  tare pareto last --x time --y peak_bytes --format json\n\n"
      "Variants whose intervals overlap are tied; one beats another when it is better beyond doubt in one "
      "metric and "
      "worse in none.");
  sub->add_option("run", command->run, "A run's number, last, last~1 for the one before, or a baseline")
      ->capture_default_str()
      ->type_name("RUN");
  sub->add_option("--filter", command->filter, "Only benchmarks that match this regular expression")
      ->type_name("REGEX");
  command->trade.add_to(*sub);
  add_store_option(*sub, command->store);
  command->output.add_to(*sub);
  sub->callback([command, &chosen] {
    chosen.run = [command] {
      if (auto done = pareto(*command); !done) return complain(done.error().message), exit_wrong_use;
      return exit_good;
    };
  });
}

}  // namespace tare::cli
