// tare gradbench-tool: our engine answers GradBench's messages on standard input.
#include <iostream>
#include <string>

#include "cli/commands.hpp"
#include "cli/exit_codes.hpp"
#include "engines/gradbench/tool.hpp"

namespace tare::cli {
namespace {

int answer_lines() {
  std::string line;
  while (std::getline(std::cin, line)) {
    std::cout << gradbench::answer(line) << '\n' << std::flush;
    if (!std::cout) return exit_wrong_use;
  }
  return exit_good;
}

}  // namespace

void add_gradbench_tool(CLI::App& app, Chosen& chosen) {
  auto* command = app.add_subcommand("gradbench-tool", "Answer GradBench's messages with tare's AD engine");
  command->footer(
      "Reads one JSON message a line from standard input and writes one response a line; "
      "docs/gradbench.md.\n\n"
      "Example:\n"
      "  echo '{\"id\":0,\"kind\":\"evaluate\",\"module\":\"hello\",\"function\":\"double\",\"input\":3}' | "
      "tare "
      "gradbench-tool");
  command->callback([&chosen] { chosen.run = [] { return answer_lines(); }; });
}

}  // namespace tare::cli
