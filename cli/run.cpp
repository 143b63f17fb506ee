// tare run: measures binaries into the store and prints the results.
#include <chrono>
#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <optional>

#include "bench/store/store.hpp"
#include "bench/support/text.hpp"
#include "cli/commands.hpp"
#include "cli/exit_codes.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/signals.hpp"
#include "cli/terminal.hpp"

namespace tare::cli {
namespace {

struct RunOptions {
  std::vector<std::string> binaries;
  SelectionOptions selection;
  PlanOptions plan;
  OutputOptions output;
  std::vector<std::string> notes;
  std::string store;
  std::string wait = "30s";
  bool no_store = false;
};

int fail_with(const Error& error) {
  complain(error.message);
  return exit_wrong_use;
}

std::int64_t now_unix_ms() {
  using namespace std::chrono;
  return duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count();
}

int run(const RunOptions& options, const std::vector<std::string>& arguments) {
  auto selection = options.selection.selection(options.binaries);
  if (!selection) return fail_with(selection.error());
  auto plan = options.plan.plan();
  if (!plan) return fail_with(plan.error());
  auto precision = options.plan.wanted();
  if (!precision) return fail_with(precision.error());
  if (auto ready = options.output.ready(); !ready) return fail_with(ready.error());
  auto wait = parse_duration(options.wait);
  if (!wait) return fail_with(fail("--wait: " + wait.error().message));
  Tags notes;
  for (const auto& text : options.notes) {
    auto pair = parse_assignment(text);
    if (!pair) return fail_with(fail("--note: " + pair.error().message));
    notes.insert(*pair);
  }

  const auto& cancelled = watch_signals();
  const auto start = process_starter(*plan, &cancelled);
  auto catalogue = choose(*selection, start);
  if (!catalogue) return fail_with(catalogue.error());

  Run run = describe_run(arguments, *plan);
  run.tags = notes;
  run.binaries = catalogue->binaries;
  std::optional<Store> store;
  if (!options.no_store) {
    const auto path = options.store.empty() ? default_store_path(run.directory) : options.store;
    auto opened = Store::open(path, Store::Mode::create, std::chrono::ceil<std::chrono::milliseconds>(*wait));
    if (!opened) return fail_with(opened.error());
    store.emplace(std::move(*opened));
    auto id = store->begin_run(run);
    if (!id) return fail_with(id.error());
    run.id = *id;
  }

  ProgressLine line;
  const auto begun = std::chrono::steady_clock::now();
  const auto& benchmarks = catalogue->benchmarks;
  std::optional<Error> store_problem;
  PipelineHooks hooks;
  hooks.progress = [&](std::size_t index, const Progress& progress) {
    const double spent = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
    line.draw(progress_text(index, benchmarks.size(), progress.fraction, spent,
                            benchmarks[index].listed.id.full(), progress.process, 200));
  };
  hooks.finished = [&](const BenchmarkResult& result) {
    if (!store || store_problem) return;
    if (auto added = store->add_result(run.id, result); !added) {
      store_problem = added.error();
      line.clear();
      complain(store_problem->message + "; the results from here on are only printed");
    }
  };
  run.results = measure_all(*catalogue, *plan, *precision, start, hooks, &cancelled);
  line.clear();
  if (store && !store_problem && !cancelled) {
    if (auto finished = store->finish_run(run.id, now_unix_ms()); !finished) store_problem = finished.error();
  }

  if (auto written = options.output.write(options.output.render(run)); !written)
    return fail_with(written.error());
  if (cancelled) {
    const auto finished = std::count_if(run.results.begin(), run.results.end(), [](const BenchmarkResult& r) {
      return r.outcome != Outcome::cancelled;
    });
    complain(fmt::format("cancelled: {} of {} benchmarks finished{}", finished, benchmarks.size(),
                         store && !store_problem ? fmt::format(" and kept as run {}", run.id) : ""));
    return exit_wrong_use;
  }
  if (store && !store_problem && options.output.format == "text" && options.output.path.empty()) {
    print(fmt::format("Run {} kept in {}: tare show {} NAME tells more.\n", run.id, store->path(), run.id));
  }
  return store_problem ? exit_wrong_use : exit_code_of(run.results);
}

}  // namespace

void add_run(CLI::App& app, Chosen& chosen) {
  auto options = std::make_shared<RunOptions>();
  auto* command = app.add_subcommand("run", "Measure the benchmarks of one or more binaries");
  command->footer(
      "Examples:\n"
      "  tare run ./my_bench\n"
      "  tare run ./my_bench --filter 'sort/.*' --param n=1024\n"
      "  tare run ./my_bench --precision 0.5% --budget 20s --pin 1\n"
      "  tare run ./my_bench --meters allocations,instructions --format markdown --out results.md\n\n"
      "Every benchmark runs in several processes of its own. Results are kept in .tare/results.db beside the "
      "project.\n"
      "Exit code 2 when a benchmark failed, crashed, timed out or gave a wrong answer.");
  command->add_option("binaries", options->binaries, "Binaries linked with tare::bench_main")
      ->required()
      ->type_name("BINARY");
  options->selection.add_to(*command);
  options->plan.add_to(*command);
  options->output.add_to(*command);
  command->add_option("--note", options->notes, "Remember this with the run; may be given several times")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  auto* store =
      command->add_option("--store", options->store, "The results database, instead of .tare/results.db")
          ->type_name("PATH");
  command
      ->add_option("--wait", options->wait,
                   "How long to wait for another process that is writing to the store")
      ->capture_default_str();
  command->add_flag("--no-store", options->no_store, "Do not keep the results")->excludes(store);
  command->callback(
      [options, &chosen] { chosen.run = [options, &chosen] { return run(*options, chosen.arguments); }; });
}

}  // namespace tare::cli
