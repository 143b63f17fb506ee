// tare comply: whether a stored run meets the targets of standard tasks.
#include <fmt/format.h>
#include <fstream>
#include <memory>
#include <sstream>

#include "bench/analyse/summarise.hpp"
#include "bench/compare/compliance.hpp"
#include "bench/report/compliance_report.hpp"
#include "bench/support/text.hpp"
#include "cli/commands.hpp"
#include "cli/exit_codes.hpp"
#include "cli/output.hpp"
#include "cli/stored.hpp"
#include "cli/terminal.hpp"

namespace tare::cli {
namespace {

struct ComplyCommand {
  std::string run = "last";
  std::string tasks;
  std::string latency = "p99";
  std::vector<std::string> settings;
  std::string store;
  OutputOptions output;

  ComplyCommand() {
    output.format = "markdown";
    output.formats = {"markdown", "json"};
  }
};

Result<std::string> whole_file(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file) return fail(fmt::format("the tasks {} cannot be read", printable(path)));
  return text.str();
}

Result<Compliance> judge(const ComplyCommand& command) {
  if (auto ready = command.output.ready(); !ready) return std::move(ready).error();
  std::map<std::string, std::string> values;
  for (const auto& setting : command.settings) {
    auto pair = parse_assignment(setting);
    if (!pair) return fail("--set: " + pair.error().message);
    values.insert_or_assign(pair->first, pair->second);
  }
  auto tasks = whole_file(command.tasks).and_then([&](const std::string& text) {
    return parse_tasks(text, command.tasks, values);
  });
  if (!tasks) return std::move(tasks).error();
  auto store = open_store(command.store);
  if (!store) return std::move(store).error();
  auto run = store->resolve_run(command.run).and_then([&](std::int64_t id) { return store->load_run(id); });
  if (!run) return std::move(run).error();
  for (auto& result : run->results) summarise(result);
  return comply(*run, *tasks, command.latency);
}

int run_command(const ComplyCommand& command) {
  auto compliance = judge(command);
  if (!compliance) return complain(compliance.error().message), exit_wrong_use;
  const auto written = command.output.write(
      command.output.format == "json" ? compliance_json(*compliance) : compliance_markdown(*compliance));
  if (!written) return complain(written.error().message), exit_wrong_use;
  return compliance->whole() ? exit_good : exit_regression;
}

}  // namespace

void add_comply(CLI::App& app, Chosen& chosen) {
  auto command = std::make_shared<ComplyCommand>();
  auto* sub = app.add_subcommand("comply", "Whether a run meets the targets of standard tasks");
  sub->footer(
      "Examples:\n"
      "  tare comply last --tasks suites/models/tasks.toml --set variant=int8\n"
      "  tare comply last --tasks suites/models/tasks.toml --set variant=fp32 --latency p90 --format json\n\n"
      "A task that was not measured, or crashed, has failed. Exit codes: 0 every task meets its targets, 1 "
      "one does "
      "not, 2 wrong use.");
  sub->add_option("run", command->run, "A run's number, last, last~1 for the one before, or a baseline")
      ->capture_default_str()
      ->type_name("RUN");
  sub->add_option("--tasks", command->tasks,
                  "The tasks: name, benchmark, accuracy and latency of each, in TOML")
      ->required()
      ->type_name("FILE");
  sub->add_option("--set", command->settings, "A value for {KEY} in the benchmarks' names")
      ->type_name("KEY=VALUE")
      ->expected(1)
      ->take_all();
  sub->add_option("--latency", command->latency, "What is held against the latency: p50, p90, p99 or mean")
      ->capture_default_str();
  add_store_option(*sub, command->store);
  command->output.add_to(*sub);
  sub->callback([command, &chosen] { chosen.run = [command] { return run_command(*command); }; });
}

}  // namespace tare::cli
