// tare show: a stored run as a table, or everything about one of its benchmarks.
#include "cli/show.hpp"

#include <fmt/format.h>
#include <map>
#include <memory>

#include "bench/analyse/histogram.hpp"
#include "bench/analyse/summarise.hpp"
#include "bench/report/details_report.hpp"
#include "bench/support/text.hpp"
#include "cli/commands.hpp"
#include "cli/exit_codes.hpp"
#include "cli/output.hpp"
#include "cli/stored.hpp"
#include "cli/terminal.hpp"

namespace tare::cli {
namespace {

std::string details_of(const Run& run, const BenchmarkResult& result, bool ascii, bool to_terminal) {
  std::map<std::string, Histogram> histograms;
  for (const auto& metric : result.metrics) {
    if (metric.nature != Nature::noisy || metric.samples.size() < 10) continue;
    std::vector<double> values;
    for (const auto& sample : metric.samples) values.push_back(metric.value(sample));
    histograms[metric.name] = histogram(values);
  }
  auto options = to_terminal ? report_options() : ReportOptions{};
  options.ascii = ascii;
  return details_report(run, result, histograms, options);
}

}  // namespace

int show(const ShowOptions& options) {
  if (auto ready = options.output.ready(); !ready) return fail_with(ready.error());
  auto store = open_store(options.store);
  if (!store) return fail_with(store.error());
  auto id = store->resolve_run(options.run);
  if (!id) return fail_with(id.error());
  auto run = store->load_run(*id);
  if (!run) return fail_with(run.error());
  for (auto& result : run->results) summarise(result);

  if (!options.benchmark.empty()) {
    auto chosen = benchmarks_named(*run, options.benchmark);
    if (chosen.empty()) {
      return fail_with(fail(fmt::format("run {} has no benchmark named '{}'; 'tare show {}' lists its {}",
                                        *id, printable(options.benchmark), *id, run->results.size())));
    }
    run->results = std::move(chosen);
  }
  std::string text;
  if (!options.benchmark.empty() && options.output.format == "text") {
    for (const auto& result : run->results) {
      if (!text.empty()) text += "\n";
      text += details_of(*run, result, options.ascii, options.output.path.empty());
    }
  } else {
    text = options.output.render(*run);
  }
  if (auto written = options.output.write(text); !written) return fail_with(written.error());
  return exit_good;
}

void ShowOptions::add_to(CLI::App& command) {
  command.add_option("benchmark", benchmark, "A benchmark's name, or a part of it")->type_name("BENCH");
  add_store_option(command, store);
  output.add_to(command);
  command.add_flag("--ascii", ascii, "Draw with plain ASCII characters");
}

void add_show(CLI::App& app, Chosen& chosen) {
  auto options = std::make_shared<ShowOptions>();
  auto* command = app.add_subcommand("show", "Show a stored run, or everything about one benchmark of it");
  command->footer(
      "Examples:\n"
      "  tare show\n"
      "  tare show last~1\n"
      "  tare show 7 sort/doubles\n"
      "  tare show main\n"
      "  tare show last --format json --out run.json");
  command->add_option("run", options->run, "A run's number, last, last~1 for the one before, or a baseline")
      ->capture_default_str()
      ->type_name("RUN");
  options->add_to(*command);
  command->callback([options, &chosen] { chosen.run = [options] { return show(*options); }; });
}

}  // namespace tare::cli
