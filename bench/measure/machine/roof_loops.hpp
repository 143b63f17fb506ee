// The loops that find a machine's roofs: as many independent multiply-adds as the widest vectors allow, and
// passes over memory. The instruction set is chosen when the program runs.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tare {

/// Multiply-adds in registers. Gives a number that depends on all of them.
struct FmaLoop {
  const char* isa;
  double flops_per_round;
  float (*run)(std::int64_t rounds, float factor, float addend);
};
const FmaLoop& best_fma_loop();

/// Passes over `count` floats per array; each call is one pass. Arrays are aligned to 64 bytes, `count` is a
/// multiple of 64.
struct MemoryLoop {
  const char* name;
  double bytes_per_float;  ///< moved for each float of `count`
  float (*run)(float* to, const float* a, const float* b, std::size_t count);
};
/// "read" sums an array, "triad" is to = a + 3·b, "stream" the same with stores that go past the caches.
const MemoryLoop& read_loop();
const MemoryLoop& triad_loop();
const MemoryLoop& stream_loop();

}  // namespace tare
