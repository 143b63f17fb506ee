// Memory of tensors: blocks are kept after use and given out again, so that a loop whose shapes repeat asks
// the system for nothing. Small blocks come from slabs and are kept per thread; all others stand on
// huge pages, since touching fresh 4 KiB pages costs more than most kernels, and so does finding many. Data
// is aligned to 64 bytes. Under AddressSanitizer nothing is kept: every block is the system's own, so that it
// sees each step outside.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tare::ad {

struct MemoryStats {
  std::int64_t live_bytes = 0;    ///< of tensors that exist
  std::int64_t peak_bytes = 0;    ///< the most of live_bytes since the last reset_peak_memory()
  std::int64_t held_bytes = 0;    ///< taken from the system: live and kept for reuse
  std::int64_t system_calls = 0;  ///< how often the system was asked for memory
};

MemoryStats memory_stats();
void reset_peak_memory();
/// Gives kept blocks of this thread and the shared large ones back to the system.
void release_cached_memory();
/// Live bytes beyond this are refused with an AdError that names the op; 0 means no limit.
void set_memory_limit(std::int64_t bytes);

namespace detail {

#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool keeps_memory = false;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
inline constexpr bool keeps_memory = false;
#else
inline constexpr bool keeps_memory = true;
#endif
#else
inline constexpr bool keeps_memory = true;
#endif

/// What stands in front of the data of every tensor.
struct alignas(64) Buffer {
  std::atomic<std::int32_t> owners{1};
  std::int32_t size_class = -1;  ///< −1: not ours; `release` is called instead
  std::uint32_t version = 0;     ///< grows with every change in place
  bool read_only = false;        ///< somebody else's constants
  std::byte* data = nullptr;
  std::int64_t bytes = 0;  ///< as asked for
  void (*release)(Buffer*) = nullptr;
  void* context = nullptr;
};

/// Throws an AdError naming the op and the bytes when there is no memory.
Buffer* allocate(std::string_view op, std::int64_t bytes);
/// Memory that somebody else owns and keeps alive.
Buffer* borrow(void* data, std::int64_t bytes, bool read_only);
void free_buffer(Buffer* buffer);

inline void share(Buffer* buffer) {
  buffer->owners.fetch_add(1, std::memory_order_relaxed);
}
inline void drop(Buffer* buffer) {
  // The common case, one owner, needs no locked instruction.
  if (buffer->owners.load(std::memory_order_acquire) == 1 ||
      buffer->owners.fetch_sub(1, std::memory_order_acq_rel) == 1)
    free_buffer(buffer);
}

/// Fixed-size blocks kept per thread, for the engine's own small objects.
void* take_small(std::size_t bytes);
void give_small(void* block, std::size_t bytes);

}  // namespace detail
}  // namespace tare::ad
