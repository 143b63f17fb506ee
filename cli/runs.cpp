// tare runs: what the store holds, newest first.
#include <filesystem>
#include <memory>

#include "bench/model/json.hpp"
#include "bench/report/runs_report.hpp"
#include "bench/store/store.hpp"
#include "cli/commands.hpp"
#include "cli/exit_codes.hpp"
#include "cli/stored.hpp"
#include "cli/terminal.hpp"

namespace tare::cli {
namespace {

struct RunsOptions {
  std::string store;
  std::size_t limit = 20;
  bool json = false;
};

int runs(const RunsOptions& options) {
  auto store = open_store(options.store);
  if (!store) return complain(store.error().message), exit_wrong_use;
  auto all = store->runs(options.limit);
  if (!all) return complain(all.error().message), exit_wrong_use;
  if (!options.json) return print(runs_report(*all, report_options())), exit_good;
  Json list = Json::array();
  for (const auto& info : *all) list.push_back(to_json(info));
  print(to_text(list, 2) + "\n");
  return exit_good;
}

}  // namespace

void add_runs(CLI::App& app, Chosen& chosen) {
  auto options = std::make_shared<RunsOptions>();
  auto* command = app.add_subcommand("runs", "List the stored runs, newest first");
  command->footer(
      "Examples:\n"
      "  tare runs\n"
      "  tare runs --limit 0 --store /shared/results.db");
  add_store_option(*command, options->store);
  command->add_option("--limit", options->limit, "At most this many; 0 for all")->capture_default_str();
  command->add_flag("--json", options->json, "As JSON");
  command->callback([options, &chosen] { chosen.run = [options] { return runs(*options); }; });
}

}  // namespace tare::cli
