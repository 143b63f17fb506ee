// tare baseline: names for stored runs, to compare with.
#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <memory>

#include "bench/model/json.hpp"
#include "bench/report/runs_report.hpp"
#include "bench/store/store.hpp"
#include "bench/support/text.hpp"
#include "cli/commands.hpp"
#include "cli/exit_codes.hpp"
#include "cli/show.hpp"
#include "cli/stored.hpp"
#include "cli/terminal.hpp"

namespace tare::cli {
namespace {

struct BaselineOptions {
  std::string name;
  std::string run = "last";
  std::string note;
  std::string store;
  bool replace = false;
  bool json = false;
};

std::string saved_sentence(const Baseline& baseline, const RunInfo& run) {
  auto text = fmt::format("{} names run {}: {} benchmark{}", baseline.name, run.id, run.benchmarks,
                          run.benchmarks == 1 ? "" : "s");
  if (run.failed > 0) text += fmt::format(", {} of them failed", run.failed);
  if (!run.commit.empty()) text += fmt::format(", commit {}", printable(run.commit));
  if (!run.finished_unix_ms) text += "; the run is not finished";
  return text + "\n";
}

int save(const BaselineOptions& options) {
  if (auto named = check_baseline_name(options.name); !named) return fail_with(named.error());
  auto store = open_store(options.store, Store::Mode::read_write);
  if (!store) return fail_with(store.error());
  auto id = store->resolve_run(options.run);
  if (!id) return fail_with(id.error());
  auto runs = store->runs();
  if (!runs) return fail_with(runs.error());
  const auto run =
      std::find_if(runs->begin(), runs->end(), [&](const RunInfo& info) { return info.id == *id; });
  if (run == runs->end() || run->benchmarks == 0) {
    return fail_with(
        fail(fmt::format("run {} holds no benchmarks to compare with; 'tare runs' lists others", *id)));
  }
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const Baseline baseline{options.name, *id,
                          std::chrono::duration_cast<std::chrono::milliseconds>(now).count(), options.note,
                          ""};
  if (auto saved = store->save_baseline(baseline, options.replace); !saved) return fail_with(saved.error());
  print(saved_sentence(baseline, *run));
  return exit_good;
}

int list(const BaselineOptions& options) {
  auto store = open_store(options.store);
  if (!store) return fail_with(store.error());
  auto all = store->baselines();
  if (!all) return fail_with(all.error());
  if (!options.json) return print(baselines_report(*all, report_options())), exit_good;
  Json entries = Json::array();
  for (const auto& baseline : *all) entries.push_back(to_json(baseline));
  print(to_text(entries, 2) + "\n");
  return exit_good;
}

int show_baseline(const BaselineOptions& options, const ShowOptions& how) {
  auto store = open_store(how.store);
  if (!store) return fail_with(store.error());
  auto baseline = store->find_baseline(options.name);
  if (!baseline) return fail_with(baseline.error());
  auto chosen = how;
  chosen.run = std::to_string(baseline->run);
  return show(chosen);
}

int remove(const BaselineOptions& options) {
  auto store = open_store(options.store, Store::Mode::read_write);
  if (!store) return fail_with(store.error());
  auto baseline = store->find_baseline(options.name);
  if (!baseline) return fail_with(baseline.error());
  if (auto removed = store->remove_baseline(options.name); !removed) return fail_with(removed.error());
  print(fmt::format("removed {}; run {} stays in the store\n", baseline->name, baseline->run));
  return exit_good;
}

}  // namespace

void add_baseline(CLI::App& app, Chosen& chosen) {
  auto* command = app.add_subcommand("baseline", "Name stored runs, to compare with later");
  command->footer(
      "Examples:\n"
      "  tare baseline save main\n"
      "  tare baseline save v1.2 last~3 --note \"the release\"\n"
      "  tare baseline list\n"
      "  tare baseline show main sort/doubles\n"
      "  tare baseline remove v1.2");
  command->require_subcommand(1);
  auto options = std::make_shared<BaselineOptions>();
  const auto add = [&](const char* action, const char* description, int (*run)(const BaselineOptions&)) {
    auto* sub = command->add_subcommand(action, description);
    add_store_option(*sub, options->store);
    sub->callback([options, run, &chosen] { chosen.run = [options, run] { return run(*options); }; });
    return sub;
  };
  const auto add_name = [&](CLI::App* sub) {
    sub->add_option("name", options->name, "The baseline's name")->required()->type_name("NAME");
  };

  auto* saving = add("save", "Give a run a name", save);
  add_name(saving);
  saving
      ->add_option("run", options->run,
                   "A run's number, last, last~1 for the one before, or another baseline")
      ->capture_default_str()
      ->type_name("RUN");
  saving->add_flag("--replace", options->replace, "Save over a baseline of this name");
  saving->add_option("--note", options->note, "One line to remember it by")->type_name("TEXT");
  saving->footer(
      "Examples:\n  tare baseline save main\n  tare baseline save main 12 --replace --note \"after the "
      "merge\"");

  auto* listing = add("list", "List the baselines", list);
  listing->add_flag("--json", options->json, "As JSON");
  listing->footer("Examples:\n  tare baseline list\n  tare baseline list --json");

  auto how = std::make_shared<ShowOptions>();
  auto* showing = command->add_subcommand("show", "Show the run, as 'tare show' does");
  add_name(showing);
  how->add_to(*showing);
  showing->footer("Examples:\n  tare baseline show main\n  tare baseline show main sort/doubles");
  showing->callback(
      [options, how, &chosen] { chosen.run = [options, how] { return show_baseline(*options, *how); }; });

  auto* removing = add("remove", "Forget the name; the run stays", remove);
  add_name(removing);
  removing->footer("Examples:\n  tare baseline remove v1.2");
}

}  // namespace tare::cli
