// tare: parses the command line, runs one command, answers with its exit code.
#include <exception>

#include "bench/define/build.hpp"
#include "bench/measure/serve.hpp"
#include "cli/calibration_bodies.hpp"
#include "cli/commands.hpp"
#include "cli/exit_codes.hpp"
#include "cli/terminal.hpp"

int main(int argc, char** argv) {
  using namespace tare::cli;
  // Started by itself as a worker: the bodies of tare calibrate.
  if (const auto descriptor = tare::worker_descriptor()) {
    tare::serve(calibration_registry(), *descriptor);
    return exit_good;
  }
  CLI::App app{
      "Benchmarks with calibrated answers: is it really faster, by how much, and how sure is that?\n\n"
      "  tare run ./my_bench                 measure every benchmark of a binary\n"
      "  tare compare old/bench new/bench    is the change really faster?\n"
      "  tare cmd 'old --flag' 'new --flag'  the same for whole commands\n"
      "  tare gate --baseline old/bench --budget budgets.toml new/bench\n"
      "  tare show last my/benchmark         everything about one result\n"
      "  tare explain ./my_bench             where does the time go, and which roof stops it?\n"
      "  tare report --last                  the newest run as one HTML page\n"
      "  tare doctor                         is this machine fit to measure?\n\n"
      "Exit codes: 0 nothing worse, 1 a regression beyond budget, 2 wrong use or a failed benchmark, 3 "
      "undecided."};
  app.name("tare");
  app.set_version_flag("--version", std::string("tare ") + tare::version());
  app.require_subcommand(1);
  Chosen chosen;
  chosen.arguments = {"tare"};
  for (int i = 1; i < argc; ++i) chosen.arguments.emplace_back(argv[i]);
  add_run(app, chosen);
  add_compare(app, chosen);
  add_cmd(app, chosen);
  add_gate(app, chosen);
  add_explain(app, chosen);
  add_list(app, chosen);
  add_runs(app, chosen);
  add_show(app, chosen);
  add_baseline(app, chosen);
  add_table(app, chosen);
  add_report(app, chosen);
  add_pareto(app, chosen);
  add_comply(app, chosen);
  add_submit(app, chosen);
  add_validate(app, chosen);
  add_rank(app, chosen);
  add_gradbench_tool(app, chosen);
  add_doctor(app, chosen);
  add_calibrate(app, chosen);
  add_power(app, chosen);
  add_test(app, chosen);
  add_completion(app, chosen);
  try {
    app.parse(argc, argv);
    return chosen.run();
  } catch (const CLI::Success& success) {
    return app.exit(success);  // --help and --version
  } catch (const CLI::ParseError& problem) {
    const auto used = app.get_subcommands();
    complain(std::string(problem.what()) + "; see 'tare " +
             (used.empty() ? "" : used.front()->get_name() + " ") + "--help'");
    return exit_wrong_use;
  } catch (const std::exception& problem) {
    complain(std::string("unexpected: ") + problem.what());
    return exit_wrong_use;
  }
}
