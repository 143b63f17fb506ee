// tare gate: measures binaries against a baseline and holds the change against budgets. Exits with what was
// found.
#include <filesystem>
#include <fmt/format.h>
#include <memory>

#include "bench/analyse/summarise.hpp"
#include "bench/compare/budget.hpp"
#include "bench/compare/budget_file.hpp"
#include "bench/report/annotations.hpp"
#include "bench/report/gate_report.hpp"
#include "bench/report/junit.hpp"
#include "bench/support/text.hpp"
#include "cli/commands.hpp"
#include "cli/duels.hpp"
#include "cli/exit_codes.hpp"
#include "cli/measuring.hpp"
#include "cli/output.hpp"
#include "cli/signals.hpp"
#include "cli/stored.hpp"
#include "cli/terminal.hpp"

namespace tare::cli {
namespace {

struct GateCommand {
  std::vector<std::string> binaries;
  std::string baseline;
  std::string budgets = "budgets.toml";
  SelectionOptions selection;
  DuelOptions duel;
  VerdictOptions verdict;
  KeepingOptions keeping;
  OutputOptions output;

  GateCommand() { output.formats = {"text", "markdown", "json", "junit", "github"}; }
};

/// Both sides live and interleaved; a pair ends as soon as its budgets are decided.
Result<Comparison> against_binary(const GateCommand& command, const CompareOptions& options,
                                  const Budgets& budgets, const std::vector<std::string>& arguments,
                                  const std::atomic<bool>& cancelled) {
  if (command.binaries.size() != 1)
    return fail("a baseline that is a binary is compared with one binary: name just one");
  auto plan = command.duel.plan_of();
  if (!plan) return std::move(plan).error();
  auto selection = command.selection.selection(command.binaries);
  if (!selection) return std::move(selection).error();
  auto pairing = pair_binaries(*selection, command.baseline, command.binaries.front(),
                               process_starter(plan->plan, &cancelled));
  if (!pairing) return std::move(pairing).error();
  DuelObserver observer;
  observer.enough = [&](const BenchmarkComparison& pair) {
    Comparison alone;
    alone.benchmarks.push_back(pair);
    const auto findings = judge(alone, budgets).findings;
    return std::none_of(findings.begin(), findings.end(),
                        [](const GateFinding& f) { return f.outcome == GateOutcome::undecided; });
  };
  return compare_live(*pairing, *plan, options, observer, command.keeping, arguments, cancelled);
}

/// The binaries measured now against a stored run.
Result<Comparison> against_stored(const GateCommand& command, const CompareOptions& options,
                                  const std::vector<std::string>& arguments,
                                  const std::atomic<bool>& cancelled) {
  Run before;
  {
    auto store = open_store(command.keeping.store);
    if (!store) return std::move(store).error();
    auto id = store->resolve_run(command.baseline);
    if (!id) return fail(id.error().message + "; 'tare baseline list' shows the baselines");
    auto run = store->load_run(*id);
    if (!run) return std::move(run).error();
    before = std::move(*run);
  }
  for (auto& result : before.results) summarise(result);
  auto selection = command.selection.selection(command.binaries);
  if (!selection) return std::move(selection).error();
  auto matches = matcher(*selection);
  if (!matches) return std::move(matches).error();
  std::erase_if(before.results,
                [&](const BenchmarkResult& r) { return !(*matches)({r.id, r.tags, r.label}); });
  auto plan = command.duel.plan.plan();
  if (!plan) return std::move(plan).error();
  plan->seed = before.seed;  // another seed would be other data
  const auto start = process_starter(*plan, &cancelled);
  auto catalogue = choose(*selection, start);
  if (!catalogue) return std::move(catalogue).error();
  auto notes = command.keeping.tags();
  if (!notes) return std::move(notes).error();
  Run after = describe_run(arguments, *plan);
  after.tags = *notes;
  after.binaries = catalogue->binaries;
  auto keeper = Keeper::open(command.keeping, after.directory);
  if (!keeper) return std::move(keeper).error();
  if (auto begun = keeper->begin(after); !begun) return std::move(begun).error();
  measure_with_progress(after, *catalogue, *plan, Precision{}, start, *keeper, cancelled);
  auto comparison = compare_runs(before, after, options);
  comparison.before.name = command.baseline;
  comparison.after.name = join(command.binaries, " ");
  return comparison;
}

std::string rendered(const GateResult& result, const Comparison& comparison, const OutputOptions& output) {
  if (output.format == "markdown") return gate_markdown(result);
  if (output.format == "json") return gate_json(result, comparison);
  if (output.format == "junit") return junit_report(result, comparison);
  if (output.format == "github") return annotations(result);
  return gate_report(result, output.path.empty() ? report_options() : ReportOptions{});
}

int exit_code_of(GateOutcome outcome) {
  switch (outcome) {
    case GateOutcome::within:
      return exit_good;
    case GateOutcome::beyond:
      return exit_regression;
    case GateOutcome::undecided:
      return exit_undecided;
    case GateOutcome::failed:
      break;
  }
  return exit_wrong_use;
}

int run(const GateCommand& command, const std::vector<std::string>& arguments) {
  auto budgets = read_budgets(command.budgets);
  if (!budgets) return fail_with(budgets.error());
  auto options = command.verdict.options();
  if (!options) return fail_with(options.error());
  if (auto ready = command.output.ready(); !ready) return fail_with(ready.error());
  const auto& cancelled = watch_signals();
  std::error_code problem;
  const bool live = command.baseline.find('/') != std::string::npos ||
                    std::filesystem::is_regular_file(command.baseline, problem);
  auto comparison = live ? against_binary(command, *options, *budgets, arguments, cancelled)
                         : against_stored(command, *options, arguments, cancelled);
  if (!comparison) return fail_with(comparison.error());
  if (cancelled) return fail_with(fail("cancelled: nothing was judged"));
  const auto result = judge(*comparison, *budgets);
  if (auto written = command.output.write(rendered(result, *comparison, command.output)); !written)
    return fail_with(written.error());
  return exit_code_of(result.outcome);
}

}  // namespace

void add_gate(CLI::App& app, Chosen& chosen) {
  auto command = std::make_shared<GateCommand>();
  auto* sub = app.add_subcommand("gate", "Hold a change against budgets; for continuous integration");
  sub->footer(
      "Examples:\n"
      "  tare gate --baseline old/my_bench --budget budgets.toml new/my_bench\n"
      "  tare gate --baseline release-1 --budget budgets.toml ./my_bench --format junit --out gate.xml\n"
      "  tare gate --baseline release-1 ./my_bench --format github\n\n"
      "A baseline that is a binary is measured side by side with the new one, which sees far smaller changes "
      "than a "
      "stored run.\ndocs/budgets.md describes the file.\n"
      "Exit codes: 0 all within budget, 1 beyond a budget, 2 wrong use, a failure, or not comparable, 3 "
      "undecided.");
  sub->add_option("binaries", command->binaries, "Binaries linked with tare::bench_main")
      ->required()
      ->type_name("BINARY");
  sub->add_option("--baseline", command->baseline, "A binary, a baseline's name or a stored run")
      ->required()
      ->type_name("SIDE");
  sub->add_option("--budget", command->budgets, "The file of budgets")
      ->capture_default_str()
      ->type_name("FILE");
  command->selection.add_to(*sub);
  command->duel.add_to(*sub, "--wall");
  command->verdict.add_to(*sub);
  command->keeping.add_to(*sub);
  command->output.add_to(*sub);
  sub->callback(
      [command, &chosen] { chosen.run = [command, &chosen] { return run(*command, chosen.arguments); }; });
}

}  // namespace tare::cli
