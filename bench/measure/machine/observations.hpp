// What the doctor looks at besides the machine's fixed properties: load, clock, permissions, memory, power,
// limits and noise, as plain values. Reading them is here; judging them is in doctor.hpp, so that judgements
// are tested with invented values. What could not be read is empty.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "bench/measure/machine/noise.hpp"
#include "bench/model/sample.hpp"

namespace tare {

struct BusyProcess {
  std::string name;
  double cpus = 0;  ///< CPU time over wall time
};

struct ClockQuality {
  double resolution_ns = 0;  ///< smallest step seen between two readings that differ
  double read_ns = 0;        ///< one reading
};

struct Observations {
  std::optional<double> load;  ///< average of the last minute
  std::optional<BusyProcess> busiest;
  std::optional<double> steal_share;  ///< of all CPU time since boot
  std::optional<ClockQuality> clock;
  std::optional<std::string> counters;  ///< why not; empty text when they can be read
  std::string energy;                   ///< the energy meter's origin
  std::optional<double> memory_available_share;
  std::optional<double>
      memory_pressure;  ///< share of the last ten seconds in which something waited for memory
  std::uint64_t swap_used_bytes = 0;
  std::optional<std::uint64_t> throttle_events;  ///< since boot, all cores
  std::optional<bool> on_battery;                ///< empty without a battery
  std::optional<double> cpu_quota;               ///< CPUs that the control group allows
  std::optional<int> allowed_cpus;               ///< by affinity or cpuset
  std::optional<MachineNoise> noise;
  Interference during_noise;  ///< what happened while the noise was measured
};

struct ExamineOptions {
  std::chrono::milliseconds noise_time{
      1000};  ///< zero leaves out all that takes time: noise, busiest process
  ComparisonSize comparison;
};

/// `root` stands for "/". The clock, the counters and the noise are always this machine's.
Observations observe(const std::filesystem::path& root = "/", const ExamineOptions& options = {});

/// One line of /proc/PID/stat: the name, which may hold any character, and the CPU ticks used.
struct ProcessUse {
  std::string name;
  std::uint64_t ticks = 0;
};
std::optional<ProcessUse> parse_process_stat(std::string_view text);
/// CPUs that "max 100000" or "50000 100000" allow; empty without a limit.
std::optional<double> parse_cpu_max(std::string_view text);

}  // namespace tare
