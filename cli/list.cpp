// tare list: the benchmarks of binaries, without running them.
#include <fmt/format.h>
#include <memory>

#include "bench/model/json.hpp"
#include "bench/support/text.hpp"
#include "cli/commands.hpp"
#include "cli/exit_codes.hpp"
#include "cli/options.hpp"
#include "cli/signals.hpp"
#include "cli/terminal.hpp"

namespace tare::cli {
namespace {

struct ListOptions {
  std::vector<std::string> binaries;
  SelectionOptions selection;
  bool json = false;
};

int list(const ListOptions& options) {
  auto selection = options.selection.selection(options.binaries);
  if (!selection) return complain(selection.error().message), exit_wrong_use;
  auto catalogue = choose(*selection, process_starter(Plan{}, &watch_signals()));
  if (!catalogue) return complain(catalogue.error().message), exit_wrong_use;
  Json all = Json::array();
  std::string text;
  for (const auto& [binary, listed] : catalogue->benchmarks) {
    Json entry = to_json(listed);
    entry["full_name"] = listed.id.full();
    entry["binary"] = catalogue->binaries[binary].path;
    all.push_back(std::move(entry));
    text += printable(listed.id.full()) + "\n";
  }
  print(options.json ? to_text(all, 2) + "\n" : text);
  return exit_good;
}

}  // namespace

void add_list(CLI::App& app, Chosen& chosen) {
  auto options = std::make_shared<ListOptions>();
  auto* command = app.add_subcommand("list", "List the benchmarks of binaries");
  command->footer(
      "Examples:\n"
      "  tare list ./my_bench\n"
      "  tare list ./my_bench --filter sort --json");
  command->add_option("binaries", options->binaries, "Binaries linked with tare::bench_main")
      ->required()
      ->type_name("BINARY");
  options->selection.add_to(*command);
  command->add_flag("--json", options->json, "With parameters and tags, as JSON");
  command->callback([options, &chosen] { chosen.run = [options] { return list(*options); }; });
}

}  // namespace tare::cli
