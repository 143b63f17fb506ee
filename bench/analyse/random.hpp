// Seeded random numbers that are the same on every platform: the engine's output is fixed by the C++
// standard, the distributions of <random> are not, so only the engine is used.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>

namespace tare {

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}

  std::uint64_t bits() { return engine_(); }
  /// In [0, 1), with 53 bits.
  double uniform() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }
  /// In [0, n). The bias towards some index is below n / 2³²: of no weight in resampling.
  std::size_t index(std::uint32_t n) { return static_cast<std::size_t>(((engine_() >> 32) * n) >> 32); }

 private:
  std::mt19937_64 engine_;
};

}  // namespace tare
