// One timed batch of iterations, exactly as it was read: nothing subtracted, nothing rounded, nothing
// dropped.
#pragma once

#include <cstdint>

namespace tare {

/// What the operating system did to the process while a sample was taken.
struct Interference {
  std::uint32_t voluntary_switches = 0;
  std::uint32_t involuntary_switches = 0;
  std::uint32_t migrations = 0;  ///< 1 when the sample ended on another CPU than it began
  std::uint32_t minor_faults = 0;
  std::uint32_t major_faults = 0;
  std::uint64_t wait_ns = 0;   ///< ready to run but waiting for a CPU
  std::uint64_t steal_ns = 0;  ///< taken by the hypervisor, all CPUs; counted in clock ticks of about 10 ms

  bool operator==(const Interference&) const = default;
};

struct Sample {
  std::uint32_t process = 0;     ///< which launched worker, counted from 0
  std::uint64_t iterations = 1;  ///< calls of the body in this batch
  double total = 0;              ///< for the whole batch, in the metric's unit
  Interference interference;

  bool operator==(const Sample&) const = default;
};

}  // namespace tare
