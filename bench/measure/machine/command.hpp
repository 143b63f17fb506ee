// Runs another program to its end and keeps what it wrote: no shell, standard input empty, a time limit.
// For tools that tare asks (git, valgrind); workers have a protocol of their own.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "bench/support/result.hpp"

namespace tare {

struct CommandOptions {
  std::optional<std::vector<std::string>> environment =
      std::nullopt;  ///< "NAME=value"; this process's own when empty
  std::chrono::milliseconds limit = std::chrono::seconds(60);
  std::size_t keep_bytes = 1 << 20;  ///< of each stream; the rest is read and dropped
};

struct CommandResult {
  int exit_code = 0;  ///< when signal is 0
  int signal = 0;     ///< that ended it
  std::string output;
  std::string errors;

  [[nodiscard]] bool succeeded() const { return exit_code == 0 && signal == 0; }
};

/// An Error when it cannot be started or exceeds the limit (then it is killed). argv[0] is looked up in PATH.
Result<CommandResult> run_command(const std::vector<std::string>& argv, const CommandOptions& options = {});

}  // namespace tare
