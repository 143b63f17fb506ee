// Runs a whole command once, as a process of its own, and times it: from the call of exec to the moment its
// end is seen. What precedes exec (the fork, the pinning, opening files) is neither in the time nor in the
// CPU time. Knows nothing of statistics or of rounds.
//
// CPU time and peak memory are those of the process and of the descendants it waited for. The kernel counts
// the memory of the process before exec as well, so a peak that is not above that is unknown.
//
// The process leads a group of its own: what is left of it when it ends, exceeds its limit or is cancelled is
// killed. Standard error goes to a file in memory that is only looked at when the execution failed: reading
// along would be work beside what is timed.
#pragma once

#include <atomic>
#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "bench/model/benchmark.hpp"
#include "bench/support/result.hpp"

namespace tare {

struct Execution {
  std::vector<std::string> argv;      ///< argv[0] is a path
  std::string input = "/dev/null";    ///< standard input is read from this file
  int output = -1;                    ///< descriptor for standard output; negative: /dev/null
  std::optional<int> cpu;             ///< pin to it
  std::size_t environment_bytes = 0;  ///< further bytes of environment, which move the stack
  std::chrono::nanoseconds limit = std::chrono::seconds(60);
};

struct Executed {
  double wall_ns = 0;
  double cpu_ns = 0;
  std::optional<double> peak_rss_bytes;
  std::uint32_t minor_faults = 0;
  std::uint32_t major_faults = 0;
  Outcome outcome = Outcome::ok;  ///< failed: an exit code; crashed: a signal; or timed_out, cancelled
  std::string ending;             ///< "exit code 3: its last words on standard error"; empty when ok
};

/// An Error when it cannot be started at all.
Result<Executed> execute(const Execution& execution, const std::atomic<bool>* cancelled = nullptr);

/// The file that exec would run for this word, looked up in PATH when it has no slash.
Result<std::string> find_program(const std::string& word);

/// CPUs that this process may use.
std::vector<int> usable_cpus();

}  // namespace tare
