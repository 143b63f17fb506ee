// What the operating system did to the process, and what the process used: a snapshot that is cheap enough to
// take before and after every sample, CPU time, and peak memory.
//
// Sources: getrusage for switches and faults (whole process), the CPU number for migrations (one that moves
// away and back is not seen), schedstat's run delay for waiting (the thread that constructed the meter),
// /proc/stat for steal (all CPUs together, in ticks of about 10 ms). A snapshot is four system calls, some
// microseconds, no allocation; it belongs outside the clock. A source that is missing reads as zero and is
// named in notes(). Construct the meter on the thread that takes the samples, after any fork.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/measure/meters/descriptor.hpp"
#include "bench/model/sample.hpp"
#include "bench/support/result.hpp"

namespace tare {

/// Running totals; only differences mean something.
struct InterferenceSnapshot {
  std::uint64_t voluntary_switches = 0;
  std::uint64_t involuntary_switches = 0;
  std::uint64_t minor_faults = 0;
  std::uint64_t major_faults = 0;
  std::uint64_t wait_ns = 0;
  std::uint64_t steal_ns = 0;
  int cpu = -1;

  bool operator==(const InterferenceSnapshot&) const = default;
};

/// From `before` to `after`. A total that went backwards, as steal may, counts as zero.
Interference difference(const InterferenceSnapshot& before, const InterferenceSnapshot& after) noexcept;

/// Waiting that can lie inside a clocked region of so much wall time and so much CPU time of its thread: what
/// was waited around the region, as when a reading of the meter itself is interrupted, is taken off.
Interference within_region(Interference seen, double wall_ns, double cpu_ns) noexcept;

class InterferenceMeter {
 public:
  explicit InterferenceMeter(const std::string& proc = "/proc");

  [[nodiscard]] InterferenceSnapshot now() const noexcept;
  /// What cannot be seen on this machine, one sentence each.
  [[nodiscard]] const std::vector<std::string>& notes() const { return notes_; }

 private:
  Descriptor schedstat_;
  Descriptor stat_;
  std::uint64_t tick_ns_ = 0;
  std::vector<std::string> notes_;
};

/// Second number of a schedstat line, in nanoseconds.
std::optional<std::uint64_t> parse_run_delay(std::string_view schedstat) noexcept;
/// Eighth number of /proc/stat's first line, in ticks.
std::optional<std::uint64_t> parse_steal(std::string_view stat) noexcept;

/// All threads of the process, user and system.
std::int64_t process_cpu_ns() noexcept;
/// The calling thread.
std::int64_t thread_cpu_ns() noexcept;

/// Most memory ever resident, or since the last reset.
Result<std::uint64_t> peak_resident_bytes(const std::string& proc = "/proc");
/// Makes the present resident size the peak, so that a pass of its own can be measured.
Status reset_peak_resident(const std::string& proc = "/proc");

}  // namespace tare
