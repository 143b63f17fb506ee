// The clock: CLOCK_MONOTONIC in nanoseconds, read without a system call on any kernel we know.
#pragma once

#include <ctime>

namespace tare {

/// Whole nanoseconds; exact as a double for 104 days of up-time.
[[gnu::always_inline]] inline double clock_ns() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

}  // namespace tare
