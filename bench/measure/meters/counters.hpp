// Hardware and software counters of the kernel's perf_event interface, for one pass.
//
// Method: three groups, each counted and read as one: {cycles, instructions, branches, branch misses}, {cache
// references, cache misses}, and the software events. A processor with few counting registers lets the groups
// take turns; a count that ran only part of the time is scaled by enabled / running time and says so.
// Hardware events count user space only, so they need no more than perf_event_paranoid 2. Context switches
// and migrations happen inside the kernel and are only counted where the kernel may be observed.
//
// Limits: the thread that called open() is counted, and no other. Cache events mean what the processor's
// maker decided (usually the last level). A start or stop is two system calls per group.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "bench/measure/meters/descriptor.hpp"

namespace tare {

enum class HardwareCounter {
  cycles,
  instructions,
  branches,
  branch_misses,
  cache_references,
  cache_misses,
  page_faults,
  context_switches,
  cpu_migrations,
};
inline constexpr std::size_t counter_count = 9;
/// "cycles", "branch_misses", …: the metric's name.
const char* name_of(HardwareCounter counter);

struct CounterReading {
  double value = 0;
  double share = 1;  ///< of the pass during which it was really counted; below 1 the value is scaled

  bool operator==(const CounterReading&) const = default;
  /// For Metric::origin: "measured" or "estimated (counted 50 % of the time and scaled)".
  [[nodiscard]] std::string origin() const;
};

using CounterReadings = std::array<std::optional<CounterReading>, counter_count>;

class CounterMeter {
 public:
  /// Opens what the kernel grants; never fails as a whole.
  static CounterMeter open();

  /// At least one hardware counter.
  [[nodiscard]] bool available() const;
  [[nodiscard]] bool available(HardwareCounter counter) const;
  /// Why the hardware counters, or this one, cannot be read; empty when available.
  [[nodiscard]] std::string why_not() const;
  [[nodiscard]] std::string why_not(HardwareCounter counter) const;

  void start() noexcept;
  CounterReadings stop() noexcept;

 private:
  struct Group {
    int leader = -1;
    std::array<HardwareCounter, counter_count> members{};
    std::size_t size = 0;
    std::array<std::uint64_t, counter_count + 3> before{};
  };
  std::array<Descriptor, counter_count> events_;
  std::array<int, counter_count> refusals_{};  ///< errno
  std::array<Group, 3> groups_{};
};

/// A raw count that ran for `running` of `enabled` nanoseconds; empty when it never ran.
std::optional<CounterReading> scale_count(std::uint64_t raw, std::uint64_t enabled, std::uint64_t running);

/// The kernel's refusal in words, with what to do. `paranoid` is perf_event_paranoid, if known.
std::string explain_refusal(HardwareCounter counter, int error, std::optional<int> paranoid);

}  // namespace tare
