// How long and how often to measure: the numbers of a plan and the pure decisions taken from them.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tare {

struct Plan {
  std::chrono::nanoseconds budget = std::chrono::seconds(3);  ///< wall time for one benchmark, all processes
  std::chrono::nanoseconds time_limit = std::chrono::seconds(60);  ///< then the worker is killed
  std::size_t least_processes = 5;
  std::size_t most_processes = 10;
  std::size_t most_samples = 200;        ///< per process
  std::optional<std::size_t> processes;  ///< exactly that many, instead of by budget and precision
  std::optional<std::size_t> samples;    ///< exactly that many per process, instead of by budget
  std::vector<std::string> meters{"allocations", "cpu", "memory"};
  double watts_per_core = 0;
  std::uint64_t seed = 1;
  std::optional<int> cpu;
};

/// Wall time for the samples of one process: an equal share of the budget.
std::chrono::nanoseconds share_of_process(const Plan& plan);

/// How long one sample should last: a fiftieth of the process's share, at least 100 µs, at most 50 ms, and
/// never so short that the clock's step or its reading matters: 1000 steps of the clock, 1000 reads.
double target_sample_ns(const Plan& plan, double resolution_ns, double clock_cost_ns);

/// The next iteration count while calibrating: grows at least twofold and at most tenfold, and stays a
/// multiple of the granularity. The same count again means: long enough.
std::uint64_t next_iterations(std::uint64_t iterations, std::uint64_t granularity, double elapsed_ns,
                              double target_ns);

/// Whether another process should be started.
struct MeasuredSoFar {
  std::size_t processes = 0;  ///< finished
  std::chrono::nanoseconds spent{};
  std::chrono::nanoseconds longest_process{};
  bool precise = false;
};
bool wants_another_process(const Plan& plan, const MeasuredSoFar& standing);

/// Samples to ask for at once: about 20 ms of them, so that the protocol costs little and progress is seen.
std::uint64_t samples_at_once(double sample_ns, std::size_t still_wanted);

}  // namespace tare
