// Starts worker processes and makes sure none outlives its controller.
// Placement is re-drawn for every process: the environment's size moves the stack, an offset moves the heap,
// and address-space randomisation is left on. One process is one placement, and its effect can be larger than
// what is being measured (Mytkowicz et al., ASPLOS 2009).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

#include "bench/support/result.hpp"

namespace tare {

struct Placement {
  std::size_t environment_bytes = 0;
  std::size_t heap_bytes = 0;

  static Placement draw(std::uint64_t random);
};

struct SpawnOptions {
  std::vector<std::string> command;  ///< the binary and its arguments
  Placement placement;
  std::optional<int> cpu;                ///< pin to it
  std::vector<std::string> environment;  ///< further "NAME=value" entries
};

struct Spawned {
  pid_t pid = -1;
  int socket = -1;  ///< our end
  int errors = -1;  ///< the worker's standard error, to read
};

/// The process leads a group of its own and dies with us. Its standard output goes nowhere.
Result<Spawned> spawn(const SpawnOptions& options);

/// How a process ended: "exit code 3", "signal 11 (Segmentation fault)".
struct Ending {
  bool normal = false;  ///< exit code 0
  std::string text;
};
/// Waits up to the grace period, then kills the whole group.
Ending reap(pid_t pid, int grace_ms);
void kill_group(pid_t pid);

}  // namespace tare
