#include "ad/tensor/memory.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <fmt/format.h>
#include <mutex>
#include <sys/mman.h>
#include <utility>
#include <vector>

#include "ad/support/error.hpp"

namespace tare::ad {
namespace {

using detail::Buffer;

// Classes: four steps per power of two, from 128 bytes on; at most a quarter is lost to rounding.
constexpr std::size_t smallest = 128;
constexpr int largest_small_class = 4 * 10;   // 128 KiB
constexpr int largest_medium_class = 4 * 17;  // 16 MiB: beyond, a block is a mapping of its own
constexpr std::size_t slab_bytes = std::size_t{1} << 20U;
constexpr std::size_t huge_page = std::size_t{2} << 20U;
constexpr std::size_t region_bytes = std::size_t{64} << 20U;
constexpr int classes = 4 * 48;

struct Counters {
  std::atomic<std::int64_t> live{0}, peak{0}, held{0}, calls{0}, limit{0};
};
Counters counters;

std::size_t bytes_of_class(int c) {
  const std::size_t base = smallest << static_cast<unsigned>(c / 4);
  return base + base / 4 * static_cast<std::size_t>(c % 4);
}

int class_of(std::size_t bytes) {
  if (bytes <= smallest) return 0;
  const auto power = static_cast<unsigned>(std::bit_width((bytes - 1) / smallest)) - 1;
  const std::size_t base = smallest << power;
  const std::size_t step = base / 4;
  const auto above = (bytes - base + step - 1) / step;
  return static_cast<int>(std::size_t{4} * power + above);
}

/// A block of a medium or large class. What stands in front comes on top, so that sizes that are powers of
/// two, as those of most weights are, fill their class.
std::size_t bytes_of_block(int c) {
  const std::size_t bytes = bytes_of_class(c) + sizeof(Buffer);
  return c <= largest_medium_class ? bytes : (bytes + huge_page - 1) / huge_page * huge_page;
}

void count_held(std::size_t bytes) {
  counters.held.fetch_add(static_cast<std::int64_t>(bytes), std::memory_order_relaxed);
}
void count_returned(std::size_t bytes) {
  counters.held.fetch_sub(static_cast<std::int64_t>(bytes), std::memory_order_relaxed);
}

void* map(std::size_t bytes) {
  void* at = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (at == MAP_FAILED) return nullptr;
  counters.calls.fetch_add(1, std::memory_order_relaxed);
  return at;
}

/// Whole huge pages, on a boundary of theirs: elsewhere the system would use small ones at both ends.
std::byte* map_huge(std::size_t bytes) {
  auto* at = static_cast<std::byte*>(map(bytes + huge_page));
  if (at == nullptr) return nullptr;
  const auto before = (huge_page - reinterpret_cast<std::uintptr_t>(at) % huge_page) % huge_page;
  if (before != 0) ::munmap(at, before);
  ::munmap(at + before + bytes, huge_page - before);
  ::madvise(at + before, bytes, MADV_HUGEPAGE);
  return at + before;
}

/// A block of its own, for AddressSanitizer.
void* take_plain(std::size_t bytes) {
  // More would end the program there instead of failing.
  constexpr std::size_t most = std::size_t{1} << 36U;
  void* block = nullptr;
  if (bytes > most || ::posix_memalign(&block, 64, bytes) != 0) return nullptr;
  counters.calls.fetch_add(1, std::memory_order_relaxed);
  return block;
}

struct Free {
  Free* next;
};

/// Blocks of the small classes, linked through themselves. A thread's blocks go to the shared list at its
/// end.
struct SmallLists {
  std::array<Free*, largest_small_class + 1> first{};
};

/// What all threads share: medium and large blocks by class, and small ones of threads that ended. Medium
/// blocks are cut one after the other from regions of huge pages: a matrix of 1 MiB alone is too small for
/// one, and reading it page by page of 4 KiB costs up to half of the bandwidth. One that was given back keeps
/// its place in the region, without memory behind it.
struct Shared {
  std::mutex mutex;
  std::array<std::vector<void*>, classes> kept;
  std::array<std::vector<void*>, largest_medium_class + 1> returned;
  std::byte* region = nullptr;  ///< what is left of the newest one
  std::size_t region_left = 0;
  SmallLists small;
};
Shared& shared() {
  static auto* one = new Shared;  // never destroyed: tensors of static storage may outlive everything
  return *one;
}

constinit thread_local SmallLists lists;

/// Touched when a thread takes its first slab, so that using the lists needs no check.
struct AtThreadEnd {
  bool touched = false;
  ~AtThreadEnd() {
    auto& first = lists.first;
    auto& s = shared();
    const std::lock_guard lock(s.mutex);
    for (std::size_t c = 0; c < first.size(); ++c) {
      while (first[c] != nullptr) {
        Free* block = first[c];
        first[c] = block->next;
        block->next = s.small.first[c];
        s.small.first[c] = block;
      }
    }
  }
};
thread_local AtThreadEnd at_thread_end;

/// A slab cut into blocks of one class, or the blocks a finished thread left.
void refill(int c) {
  at_thread_end.touched = true;
  auto& first = lists.first[static_cast<std::size_t>(c)];
  {
    auto& s = shared();
    const std::lock_guard lock(s.mutex);
    std::swap(first, s.small.first[static_cast<std::size_t>(c)]);
  }
  if (first != nullptr) return;
  auto* slab = static_cast<std::byte*>(map(slab_bytes));
  if (slab == nullptr) return;
  count_held(slab_bytes);
  const std::size_t size = bytes_of_class(c);
  // Blocks start at multiples of 64 since slabs and sizes do (sizes below 256 are multiples of 32).
  const std::size_t step = (size + 63) / 64 * 64;
  for (std::size_t at = slab_bytes / step; at-- > 0;) {
    auto* block = reinterpret_cast<Free*>(slab + at * step);
    block->next = first;
    first = block;
  }
}

void* take_from(int c) {
  auto& first = lists.first[static_cast<std::size_t>(c)];
  if (first == nullptr) refill(c);
  Free* block = first;
  if (block == nullptr) return nullptr;
  first = block->next;
  return block;
}

/// With the lock held.
void* cut(Shared& s, std::size_t bytes) {
  if (bytes > s.region_left) {
    auto* region = map_huge(region_bytes);
    if (region == nullptr) return nullptr;
    s.region = region;
    s.region_left = region_bytes;
  }
  s.region_left -= bytes;
  return std::exchange(s.region, s.region + bytes);
}

void* take_shared(int c) {
  auto& s = shared();
  const std::size_t bytes = bytes_of_block(c);
  const auto place = static_cast<std::size_t>(c);
  const auto take_last = [](std::vector<void*>& blocks) {
    void* block = blocks.back();
    blocks.pop_back();
    return block;
  };
  const std::lock_guard lock(s.mutex);
  if (!s.kept[place].empty()) return take_last(s.kept[place]);
  void* block = nullptr;
  if (c > largest_medium_class) {
    block = map_huge(bytes);
  } else if (!s.returned[place].empty()) {
    block = take_last(s.returned[place]);
    counters.calls.fetch_add(1, std::memory_order_relaxed);
  } else {
    block = cut(s, bytes);
  }
  if (block != nullptr) count_held(bytes);
  return block;
}

void* take_large(int c) {
  if (void* block = take_shared(c)) return block;
  release_cached_memory();
  return take_shared(c);
}

/// The whole pages inside; the block's ends may share theirs with its neighbours.
void return_pages(void* block, std::size_t bytes) {
  constexpr std::uintptr_t page = 4096;
  const auto from = (reinterpret_cast<std::uintptr_t>(block) + page - 1) / page * page;
  const auto to = (reinterpret_cast<std::uintptr_t>(block) + bytes) / page * page;
  ::madvise(reinterpret_cast<void*>(from), to - from, MADV_DONTNEED);  // NOLINT(performance-no-int-to-ptr)
}

void count_live(std::int64_t bytes) {
  const auto live = counters.live.fetch_add(bytes, std::memory_order_relaxed) + bytes;
  auto peak = counters.peak.load(std::memory_order_relaxed);
  while (live > peak && !counters.peak.compare_exchange_weak(peak, live, std::memory_order_relaxed)) {
  }
}

}  // namespace

MemoryStats memory_stats() {
  return {counters.live.load(), counters.peak.load(), counters.held.load(), counters.calls.load()};
}

void reset_peak_memory() {
  counters.peak.store(counters.live.load());
}

void set_memory_limit(std::int64_t bytes) {
  if (bytes < 0) throw AdError(fmt::format("set_memory_limit: {} bytes; give 0 for no limit", bytes));
  counters.limit.store(bytes);
}

void release_cached_memory() {
  auto& s = shared();
  const std::lock_guard lock(s.mutex);
  for (int c = largest_small_class + 1; c < classes; ++c) {
    const auto place = static_cast<std::size_t>(c);
    for (void* block : s.kept[place]) {
      if (c > largest_medium_class) {
        ::munmap(block, bytes_of_block(c));
      } else {
        return_pages(block, bytes_of_block(c));
        s.returned[place].push_back(block);
      }
      count_returned(bytes_of_block(c));
    }
    s.kept[place].clear();
  }
}

namespace detail {

Buffer* allocate(std::string_view op, std::int64_t bytes) {
  const auto limit = counters.limit.load(std::memory_order_relaxed);
  const auto live = counters.live.load(std::memory_order_relaxed);
  if (limit != 0 && live + bytes > limit) {
    throw AdError(fmt::format(
        "{}: {} bytes more than the {} in use would pass the limit of {} bytes; free tensors or raise "
        "set_memory_limit",
        op, bytes, live, limit));
  }
  const std::size_t whole = static_cast<std::size_t>(bytes) + sizeof(Buffer);
  const int with_front = class_of(whole);
  const int c = with_front <= largest_small_class
                    ? with_front
                    : std::max(class_of(static_cast<std::size_t>(bytes)), largest_small_class + 1);
  void* block = !keeps_memory              ? take_plain(whole)
                : c <= largest_small_class ? take_from(c)
                : c < classes              ? take_large(c)
                                           : nullptr;
  if (block == nullptr)
    throw AdError(fmt::format("{}: the system has no memory for {} bytes ({} are in use)", op, bytes, live));
  auto* buffer = ::new (block) Buffer;
  buffer->size_class = c;
  buffer->data = static_cast<std::byte*>(block) + sizeof(Buffer);
  buffer->bytes = bytes;
  count_live(bytes);
  return buffer;
}

Buffer* borrow(void* data, std::int64_t bytes, bool read_only) {
  auto* buffer = ::new (take_small(sizeof(Buffer))) Buffer;
  buffer->read_only = read_only;
  buffer->data = static_cast<std::byte*>(data);
  buffer->bytes = bytes;
  buffer->release = [](Buffer* b) { give_small(b, sizeof(Buffer)); };
  return buffer;
}

void free_buffer(Buffer* buffer) {
  if (buffer->size_class < 0) {
    buffer->release(buffer);
    return;
  }
  counters.live.fetch_sub(buffer->bytes, std::memory_order_relaxed);
  if (!keeps_memory) return std::free(buffer);
  const int c = buffer->size_class;
  if (c <= largest_small_class) {
    auto& first = lists.first[static_cast<std::size_t>(c)];
    auto* block = reinterpret_cast<Free*>(buffer);
    block->next = first;
    first = block;
    return;
  }
  auto& s = shared();
  const std::lock_guard lock(s.mutex);
  s.kept[static_cast<std::size_t>(c)].push_back(buffer);
}

void* take_small(std::size_t bytes) {
  void* block = keeps_memory ? take_from(class_of(bytes)) : take_plain(bytes);
  if (block == nullptr) throw AdError(fmt::format("the system has no memory for {} bytes", bytes));
  return block;
}

void give_small(void* block, std::size_t bytes) {
  if (!keeps_memory) return std::free(block);
  auto& first = lists.first[static_cast<std::size_t>(class_of(bytes))];
  auto* free = static_cast<Free*>(block);
  free->next = first;
  first = free;
}

}  // namespace detail
}  // namespace tare::ad
