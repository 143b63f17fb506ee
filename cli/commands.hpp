// The commands of tare: each adds itself to the application and says what it does when chosen.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

namespace tare::cli {

/// A chosen command runs after all arguments are parsed; its result is the exit code.
struct Chosen {
  std::function<int()> run;
  std::vector<std::string> arguments;  ///< of the whole command line, "tare" first
};

void add_run(CLI::App& app, Chosen& chosen);
void add_compare(CLI::App& app, Chosen& chosen);
void add_explain(CLI::App& app, Chosen& chosen);
void add_cmd(CLI::App& app, Chosen& chosen);
void add_gate(CLI::App& app, Chosen& chosen);
void add_calibrate(CLI::App& app, Chosen& chosen);
void add_power(CLI::App& app, Chosen& chosen);
void add_test(CLI::App& app, Chosen& chosen);
void add_list(CLI::App& app, Chosen& chosen);
void add_runs(CLI::App& app, Chosen& chosen);
void add_show(CLI::App& app, Chosen& chosen);
void add_baseline(CLI::App& app, Chosen& chosen);
void add_table(CLI::App& app, Chosen& chosen);
void add_report(CLI::App& app, Chosen& chosen);
void add_pareto(CLI::App& app, Chosen& chosen);
void add_comply(CLI::App& app, Chosen& chosen);
void add_submit(CLI::App& app, Chosen& chosen);
void add_validate(CLI::App& app, Chosen& chosen);
void add_rank(CLI::App& app, Chosen& chosen);
void add_gradbench_tool(CLI::App& app, Chosen& chosen);
void add_doctor(CLI::App& app, Chosen& chosen);
void add_completion(CLI::App& app, Chosen& chosen);

}  // namespace tare::cli
