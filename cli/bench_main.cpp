// main() of a benchmark binary (tare::bench_main). Started by tare it is a worker; started by a person it
// measures itself, in processes of its own as tare would, and prints a table.
#include <CLI/CLI.hpp>
#include <exception>
#include <unistd.h>

#include "bench/bench.hpp"
#include "bench/measure/bare.hpp"
#include "bench/measure/serve.hpp"
#include "bench/report/json_report.hpp"
#include "bench/report/text_report.hpp"
#include "bench/support/text.hpp"
#include "cli/exit_codes.hpp"
#include "cli/options.hpp"
#include "cli/pipeline.hpp"
#include "cli/signals.hpp"
#include "cli/terminal.hpp"

namespace {

using namespace tare;
using namespace tare::cli;

int measure_myself(const SelectionOptions& chosen, const PlanOptions& wanted, bool list, bool json,
                   bool in_process, const std::vector<std::string>& arguments) {
  auto plan = wanted.plan();
  if (!plan) return fail_with(plan.error());
  auto precision = wanted.wanted();
  if (!precision) return fail_with(precision.error());
  // The path survives a change of the working directory and a rebuild under way.
  auto selection = chosen.selection({"/proc/self/exe"});
  if (!selection) return fail_with(selection.error());
  const auto& cancelled = watch_signals();
  Starter start = process_starter(*plan, &cancelled);
  if (in_process) {
    start = [&](const std::string&, Instant) { return Worker::in_process(registry(), &cancelled); };
    if (!plan->processes) plan->processes = 1;
  }
  auto catalogue = choose(*selection, start);
  if (!catalogue) return fail_with(catalogue.error());
  if (list) {
    for (const auto& [_, listed] : catalogue->benchmarks) print(printable(listed.id.full()) + "\n");
    return exit_good;
  }
  ProgressLine line;
  const auto begun = std::chrono::steady_clock::now();
  PipelineHooks hooks;
  hooks.progress = [&](std::size_t index, const Progress& progress) {
    const double spent = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
    line.draw(progress_text(index, catalogue->benchmarks.size(), progress.fraction, spent,
                            catalogue->benchmarks[index].listed.id.full(), progress.process, 200));
  };
  Run run = describe_run(arguments, *plan);
  run.binaries = catalogue->binaries;
  run.results = measure_all(*catalogue, *plan, *precision, start, hooks, &cancelled);
  line.clear();
  for (auto& binary : run.binaries) binary.path = arguments.front();
  for (auto& result : run.results) result.binary = arguments.front();
  print(json ? json_report(run) : run_header(run, report_options()) + text_report(run, report_options()));
  if (cancelled) return fail_with(fail("cancelled: what is not shown was not measured"));
  return exit_code_of(run.results);
}

}  // namespace

int main(int argc, char** argv) {
  if (const auto descriptor = worker_descriptor()) {
    serve(registry(), *descriptor);
    return exit_good;
  }
  if (const auto request = bare_request()) {
    const auto done = run_bare(registry(), *request);
    return done ? exit_good : fail_with(done.error());
  }
  CLI::App app{
      "Benchmarks written with tare. 'tare run' on this binary also keeps the results and compares them."};
  SelectionOptions selection;
  PlanOptions plan;
  bool list = false;
  bool json = false;
  bool in_process = false;
  selection.add_to(app);
  plan.add_to(app);
  app.add_flag("--list", list, "Print the names of the benchmarks and stop");
  app.add_flag("--json", json, "Print the results, with every raw sample, as JSON");
  app.add_flag("--in-process", in_process, "Measure in this process, for debuggers and profilers");
  try {
    app.parse(argc, argv);
    return measure_myself(selection, plan, list, json, in_process, {argv, argv + argc});
  } catch (const CLI::Success& success) {
    return app.exit(success);
  } catch (const CLI::ParseError& problem) {
    return fail_with(fail(std::string(problem.what()) + "; see --help"));
  } catch (const std::exception& problem) {
    return fail_with(fail(std::string("unexpected: ") + problem.what()));
  }
}
