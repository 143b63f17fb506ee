// tare calibrate: proves the comparisons on this machine, with identical sides and injected slowdowns.
#include <fmt/format.h>
#include <memory>

#include "bench/measure/machine/environment.hpp"
#include "bench/report/calibration_report.hpp"
#include "bench/support/text.hpp"
#include "cli/calibration.hpp"
#include "cli/commands.hpp"
#include "cli/exit_codes.hpp"
#include "cli/output.hpp"
#include "cli/signals.hpp"
#include "cli/terminal.hpp"

namespace tare::cli {
namespace {

struct CalibrateOptions {
  std::string body = "chain";
  std::vector<double> slowdowns{0, 0.01};
  std::size_t comparisons = 40;
  std::size_t suite = 1;
  std::string budget = "1s";
  std::string against;
  int load = 0;
  OutputOptions output;

  CalibrateOptions() { output.formats = {"text", "json", "markdown"}; }
};

std::string rendered(const Calibration& calibration, const OutputOptions& output) {
  if (output.format == "json") return calibration_json(calibration);
  if (output.format == "markdown") return calibration_markdown(calibration);
  return calibration_report(calibration, output.path.empty() ? report_options() : ReportOptions{});
}

int run(const CalibrateOptions& options) {
  auto budget = parse_duration(options.budget);
  if (!budget) return fail_with(fail("--budget: " + budget.error().message));
  if (auto ready = options.output.ready(); !ready) return fail_with(ready.error());
  const auto& cancelled = watch_signals();
  Calibration calibration{observe_machine(), options.load, {}};
  const BusyLoad load(options.load);
  ProgressLine line;
  for (const double slowdown : options.slowdowns) {
    const Scenario scenario{options.body, slowdown, options.comparisons, options.suite, *budget};
    const auto tick = [&](const char* tool) {
      return [&, tool](std::size_t done, std::size_t found) {
        line.draw(fmt::format("{} · {}: {} of {} done, {} called different", scenario.name(), tool, done,
                              scenario.comparisons, found));
      };
    };
    auto row = calibrate(scenario, tick("tare"), cancelled);
    line.clear();
    if (!row) return fail_with(row.error());
    calibration.rows.push_back(*row);
    if (options.against.empty() || cancelled || options.body == "allocate") continue;
    auto peer = calibrate_google(scenario, tick("Google Benchmark"), cancelled);
    line.clear();
    if (!peer) return fail_with(peer.error());
    calibration.rows.insert(calibration.rows.end(), peer->begin(), peer->end());
  }
  if (auto written = options.output.write(rendered(calibration, options.output)); !written)
    return fail_with(written.error());
  if (cancelled) return fail_with(fail("cancelled: the table holds what was finished"));
  return exit_good;
}

}  // namespace

void add_calibrate(CLI::App& app, Chosen& chosen) {
  auto options = std::make_shared<CalibrateOptions>();
  auto* command = app.add_subcommand(
      "calibrate", "Prove the comparisons on this machine: false alarms and found slowdowns, counted");
  command->footer(
      "Examples:\n"
      "  tare calibrate\n"
      "  tare calibrate --slowdown 0.005 --budget 10s --comparisons 60 --load 2\n"
      "  tare calibrate --slowdown 0 --comparisons 300 --against google-benchmark --format markdown\n"
      "  tare calibrate --slowdown 0 --suite 200 --budget 250ms --comparisons 20\n\n"
      "Identical sides should be called different in about 5 % of the comparisons, slowdowns found in nearly "
      "all.");
  command
      ->add_option("--body", options->body,
                   "What is compared: chain (computes), stream (64 MB of memory), allocate")
      ->check(CLI::IsMember({"chain", "stream", "allocate"}))
      ->capture_default_str();
  command
      ->add_option("--slowdown", options->slowdowns,
                   "Share of extra work on one side; may be given several times")
      ->check(CLI::IsMember({0.0, 0.0025, 0.005, 0.01, 0.03}))
      ->allow_extra_args(false);
  command->add_option("--comparisons", options->comparisons, "How many of each")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command->add_option("--suite", options->suite, "Benchmarks in one comparison, corrected together")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command->add_option("--budget", options->budget, "Wall time for one benchmark of a comparison")
      ->capture_default_str();
  command->add_option("--load", options->load, "Busy processes to run beside")
      ->check(CLI::Range(0, 64))
      ->capture_default_str();
  command->add_option("--against", options->against, "Give a peer the same wall time: google-benchmark")
      ->check(CLI::IsMember({"google-benchmark"}));
  options->output.add_to(*command);
  command->callback([options, &chosen] { chosen.run = [options] { return run(*options); }; });
}

}  // namespace tare::cli
