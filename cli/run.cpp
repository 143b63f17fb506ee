// tare run: measures binaries into the store and prints the results.
#include <algorithm>
#include <fmt/format.h>
#include <memory>

#include "bench/support/text.hpp"
#include "cli/commands.hpp"
#include "cli/exit_codes.hpp"
#include "cli/keeping.hpp"
#include "cli/measuring.hpp"
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
  KeepingOptions keeping;
  std::string in_turns;
};

bool has_parameter(const Catalogue& catalogue, const std::string& key) {
  return std::ranges::any_of(catalogue.benchmarks, [&](const Selected& selected) {
    return std::ranges::any_of(selected.listed.id.parameters,
                               [&](const auto& parameter) { return parameter.first == key; });
  });
}

int run(const RunOptions& options, const std::vector<std::string>& arguments) {
  auto selection = options.selection.selection(options.binaries);
  if (!selection) return fail_with(selection.error());
  auto plan = options.plan.plan();
  if (!plan) return fail_with(plan.error());
  auto precision = options.plan.wanted();
  if (!precision) return fail_with(precision.error());
  if (auto ready = options.output.ready(); !ready) return fail_with(ready.error());
  auto notes = options.keeping.tags();
  if (!notes) return fail_with(notes.error());

  const auto& cancelled = watch_signals();
  const auto start = process_starter(*plan, &cancelled);
  auto catalogue = choose(*selection, start);
  if (!catalogue) return fail_with(catalogue.error());
  if (!options.in_turns.empty() && !has_parameter(*catalogue, options.in_turns)) {
    return fail_with(
        fail(fmt::format("--in-turns {}: no chosen benchmark has this parameter; 'tare list' shows them",
                         printable(options.in_turns))));
  }

  Run run = describe_run(arguments, *plan);
  run.tags = *notes;
  run.binaries = catalogue->binaries;
  auto keeper = Keeper::open(options.keeping, run.directory);
  if (!keeper) return fail_with(keeper.error());
  if (auto begun = keeper->begin(run); !begun) return fail_with(begun.error());
  measure_with_progress(run, *catalogue, *plan, *precision, start, *keeper, cancelled, options.in_turns);

  if (auto written = options.output.write(options.output.render(run)); !written)
    return fail_with(written.error());
  if (cancelled) {
    const auto finished = std::count_if(run.results.begin(), run.results.end(), [](const BenchmarkResult& r) {
      return r.outcome != Outcome::cancelled;
    });
    complain(fmt::format("cancelled: {} of {} benchmarks finished{}", finished, catalogue->benchmarks.size(),
                         keeper->keeps() ? fmt::format(" and kept as run {}", run.id) : ""));
    return exit_wrong_use;
  }
  if (keeper->keeps() && options.output.format == "text" && options.output.path.empty()) {
    print(fmt::format("Run {} kept in {}: tare show {} NAME tells more.\n", run.id, keeper->store()->path(),
                      run.id));
  }
  return keeper->failed() ? exit_wrong_use : exit_code_of(run.results);
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
      "  tare run ./my_bench --in-turns engine\n"
      "  tare run ./my_bench --meters allocations,instructions --format markdown --out results.md\n\n"
      "Every benchmark runs in several processes of its own. Results are kept in .tare/results.db beside the "
      "project.\n"
      "Exit code 2 when a benchmark failed, crashed, timed out or gave a wrong answer.");
  command->add_option("binaries", options->binaries, "Binaries linked with tare::bench_main")
      ->required()
      ->type_name("BINARY");
  options->selection.add_to(*command);
  command
      ->add_option(
          "--in-turns", options->in_turns,
          "Benchmarks that differ in this parameter alone are measured in turns, a process of each, so that "
          "their ratios hold though the machine drifts")
      ->type_name("PARAMETER");
  options->plan.add_to(*command);
  options->output.add_to(*command);
  options->keeping.add_to(*command);
  command->callback(
      [options, &chosen] { chosen.run = [options, &chosen] { return run(*options, chosen.arguments); }; });
}

}  // namespace tare::cli
