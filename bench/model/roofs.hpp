// What a machine was measured to reach at best, and how much of it a piece of work reached
// (Williams, Waterman and Patterson 2009, the roofline model).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bench/model/benchmark.hpp"

namespace tare {

struct MachineRoofs {
  struct Peak {
    int threads = 1;
    double flops_per_s = 0;  ///< single precision, multiply and add counted as two

    bool operator==(const Peak&) const = default;
  };
  struct Bandwidth {
    std::string level;  ///< "L1", "L2", "L3", "DRAM"
    double bytes_per_s = 0;
    int threads = 1;
    std::uint64_t holds_bytes = 0;  ///< what fits there, for all these threads together; 0: everything

    bool operator==(const Bandwidth&) const = default;
  };
  std::vector<Peak> peaks;
  std::vector<Bandwidth> bandwidths;  ///< of each number of threads, from the fastest level to the slowest
  double overhead_ns = 0;             ///< of one operation that does nothing

  bool operator==(const MachineRoofs&) const = default;
  /// Only what was measured with that many threads, or with the next fewer; with the fewest when there is no
  /// such.
  [[nodiscard]] MachineRoofs with_threads(int threads) const;
};

/// The least time this machine needs for so many flops and bytes: the bytes come from the fastest level that
/// holds them all, and moving overlaps with computing. Empty when a roof that is needed is not known.
std::optional<double> least_ns(const MachineRoofs& roofs, double flops, double bytes, int threads);

/// least_ns ÷ the measured time: 1 is all the machine can do. For benchmarks that state flops, bytes and
/// single precision.
std::optional<double> share_of_roof(const MachineRoofs& roofs, const BenchmarkResult& result);

}  // namespace tare
