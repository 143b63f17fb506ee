// tare compare: two binaries live, two parts of one binary live, or two stored runs.
#include <filesystem>
#include <fmt/format.h>
#include <memory>

#include "cli/commands.hpp"
#include "cli/duels.hpp"
#include "cli/exit_codes.hpp"
#include "cli/output.hpp"
#include "cli/signals.hpp"
#include "cli/stored.hpp"
#include "cli/terminal.hpp"

namespace tare::cli {
namespace {

struct CompareCommand {
  std::vector<std::string> sides;
  std::vector<std::string> between;
  std::string vary;
  SelectionOptions selection;
  DuelOptions duel;
  VerdictOptions verdict;
  KeepingOptions keeping;
  OutputOptions output;

  CompareCommand() { output.formats = {"text", "json", "markdown"}; }
};

bool is_file(const std::string& path) {
  std::error_code problem;
  return path.find('/') != std::string::npos || std::filesystem::exists(path, problem);
}

Result<Comparison> compare_stored(const CompareCommand& command, const CompareOptions& options) {
  auto store = open_store(command.keeping.store);
  if (!store) return std::move(store).error();
  auto selection = command.selection.selection({});
  if (!selection) return std::move(selection).error();
  auto matches = matcher(*selection);
  if (!matches) return std::move(matches).error();
  std::function<bool(const BenchmarkResult&)> chosen;
  const auto& asked = command.selection;
  if (!asked.filter.empty() || !asked.parameters.empty() || !asked.tags.empty())
    chosen = [&](const BenchmarkResult& r) { return (*matches)({r.id, r.tags, r.label}); };
  return cli::compare_stored(*store, command.sides[0], command.sides[1], options, chosen)
      .transform([](StoredComparison&& all) { return std::move(all.comparison); });
}

Result<Pairing> pairing_of(const CompareCommand& command, const Starter& start) {
  auto selection = command.selection.selection({command.sides.front()});
  if (!selection) return std::move(selection).error();
  if (!command.between.empty())
    return pair_between(*selection, command.between[0], command.between[1], start);
  if (!command.vary.empty()) return pair_varied(*selection, command.vary, start);
  return pair_binaries(*selection, command.sides[0], command.sides[1], start);
}

Result<Comparison> compare(const CompareCommand& command, const CompareOptions& options,
                           const std::vector<std::string>& arguments, const std::atomic<bool>& cancelled) {
  const bool within_one = !command.between.empty() || !command.vary.empty();
  if (within_one && command.sides.size() != 1)
    return fail("--between and --vary compare within one binary: name just one");
  if (!within_one && command.sides.size() != 2)
    return fail("name two binaries or two stored runs, or one binary with --between or --vary");
  const auto files = std::count_if(command.sides.begin(), command.sides.end(), is_file);
  if (files == 0 && !within_one) return compare_stored(command, options);
  if (static_cast<std::size_t>(files) != command.sides.size()) {
    return fail(
        "one side is a file and the other is not: compare two binaries live, or 'tare run' the binary first "
        "and compare two stored runs");
  }
  auto plan = command.duel.plan_of();
  if (!plan) return std::move(plan).error();
  auto pairing = pairing_of(command, process_starter(plan->plan, &cancelled));
  if (!pairing) return std::move(pairing).error();
  auto comparison = compare_live(*pairing, *plan, options, {}, command.keeping, arguments, cancelled);
  if (comparison && within_one) {
    comparison->before.name =
        command.between.empty() ? command.vary.substr(0, command.vary.find(',')) : command.between[0];
    comparison->after.name = command.between.empty() ? command.vary.substr(0, command.vary.find('=') + 1) +
                                                           command.vary.substr(command.vary.find(',') + 1)
                                                     : command.between[1];
  }
  return comparison;
}

int run(const CompareCommand& command, const std::vector<std::string>& arguments) {
  auto options = command.verdict.options();
  if (!options) return fail_with(options.error());
  if (auto ready = command.output.ready(); !ready) return fail_with(ready.error());
  const auto& cancelled = watch_signals();
  auto comparison = compare(command, *options, arguments, cancelled);
  if (!comparison) return fail_with(comparison.error());
  if (auto written = command.output.write(command.output.render(*comparison)); !written)
    return fail_with(written.error());
  if (cancelled) {
    complain(fmt::format("cancelled: {} comparisons finished; the last of them may be incomplete",
                         comparison->benchmarks.size()));
    return exit_wrong_use;
  }
  return exit_code_of(*comparison);
}

}  // namespace

int exit_code_of(const Comparison& comparison) {
  bool failed = false, worse = false, undecided = false;
  for (const auto& pair : comparison.benchmarks) {
    failed = failed || !pair.comparable || (pair.outcome != Outcome::ok && pair.outcome != Outcome::skipped);
    for (const auto& row : pair.metrics) {
      worse = worse || row.verdict == Verdict::worse;
      // What has neither a test nor an exact value was not asked.
      undecided = undecided || (row.verdict == Verdict::undecided &&
                                (row.p || row.nature != Nature::noisy || row.metric == "time"));
    }
  }
  for (const auto& warning : comparison.warnings) failed = failed || warning.doubt == Doubt::unavailable;
  return failed ? exit_wrong_use : worse ? exit_regression : undecided ? exit_undecided : exit_good;
}

void add_compare(CLI::App& app, Chosen& chosen) {
  auto command = std::make_shared<CompareCommand>();
  auto* sub =
      app.add_subcommand("compare", "Is it really faster? Two binaries side by side, or two stored runs");
  sub->footer(
      "Examples:\n"
      "  tare compare old/my_bench new/my_bench\n"
      "  tare compare old/my_bench new/my_bench --filter sort --budget 10s --margin 0.5%\n"
      "  tare compare ./my_bench --between sort/std sort/radix\n"
      "  tare compare ./my_bench --vary engine=tape,real --allow seed\n"
      "  tare compare last~1 last\n\n"
      "Live, both sides run interleaved in pairs of processes until the difference is shown or the budget is "
      "spent.\n"
      "Exit codes: 0 nothing is worse, 1 something is worse, 2 wrong use, a failure, or not comparable, 3 "
      "undecided.");
  sub->add_option("sides", command->sides, "Two binaries, or two stored runs: number, last, last~1, baseline")
      ->required()
      ->expected(1, 2)
      ->type_name("SIDE");
  auto* between =
      sub->add_option("--between", command->between,
                      "Compare benchmarks of one binary: those matching the first expression with those "
                      "matching the second")
          ->expected(2)
          ->type_name("RE RE");
  sub->add_option("--vary", command->vary, "Compare benchmarks of one binary that differ in this parameter")
      ->type_name("KEY=A,B")
      ->excludes(between);
  command->selection.add_to(*sub);
  command->duel.add_to(*sub);
  command->verdict.add_to(*sub);
  command->keeping.add_to(*sub);
  command->output.add_to(*sub);
  sub->callback(
      [command, &chosen] { chosen.run = [command, &chosen] { return run(*command, chosen.arguments); }; });
}

}  // namespace tare::cli
