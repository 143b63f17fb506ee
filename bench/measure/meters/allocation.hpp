// Counts every heap allocation of the process while a pass is on, by standing in front of malloc.
//
// Method: the object file of this meter defines malloc, free and their relatives, so an executable that links
// the meter calls these first; operator new arrives here too, since libstdc++ calls malloc. Each call is
// forwarded to the allocator that would have served it otherwise (the next definition in the dynamic linker's
// order: glibc, or a jemalloc that the benchmark links or preloads). Outside a pass the price is one relaxed
// load of a flag; inside, atomic additions, which make the counts exact with any number of threads.
//
// Rules
//   - An allocation is a call that returned memory. free(nullptr) and failed calls count nothing.
//   - realloc(p, n) is one allocation of n bytes and, if p is not null, one deallocation of p's block,
//   whether
//     the block moved or not. realloc(p, 0) as glibc does it is one deallocation.
//   - requested_bytes is what callers asked for; live bytes are what the allocator set aside
//     (malloc_usable_size), relative to the start of the pass, so freeing older memory makes them negative.
//   - The peak takes a realloc as the change of size, not as two blocks during the copy.
//
// Limits: threads that allocate while start() or stop() runs may be counted or not; let them finish or wait
// at a barrier first. Creating a thread allocates. The usable size of a block may exceed the request by a few
// bytes depending on the heap's past, so live bytes repeat less exactly than the counts. Memory that a
// library maps by itself (mmap) is not seen. Compiled out under Address-, Thread- and MemorySanitizer, which
// own malloc, and where the C library is not glibc.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace tare {

struct AllocationCounts {
  std::uint64_t allocations = 0;
  std::uint64_t deallocations = 0;
  std::uint64_t requested_bytes = 0;
  std::optional<std::int64_t> peak_live_bytes;  ///< ≥ 0; empty when the allocator does not tell block sizes
  std::optional<std::int64_t> retained_bytes;   ///< live at the end less live at the start

  bool operator==(const AllocationCounts&) const = default;
};

class AllocationMeter {
 public:
  [[nodiscard]] static bool available();
  /// One sentence; empty when available.
  [[nodiscard]] static std::string why_not();

  /// Throws std::logic_error when the meter is unavailable or a pass is already on. Allocates nothing else.
  static void start();
  /// Throws std::logic_error when no pass is on.
  static AllocationCounts stop();
};

}  // namespace tare
