#include "bench/measure/meters/allocation.hpp"

#include <stdexcept>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define TARE_MALLOC_IS_SANITIZED 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define TARE_MALLOC_IS_SANITIZED 1
#endif

#if !defined(__GLIBC__) || defined(TARE_MALLOC_IS_SANITIZED)

namespace tare {

bool AllocationMeter::available() {
  return false;
}

std::string AllocationMeter::why_not() {
#if defined(TARE_MALLOC_IS_SANITIZED)
  return "this binary was built with a sanitizer, which replaces malloc itself; build without it to count "
         "allocations";
#else
  return "allocations are counted in front of glibc's malloc, and this binary uses another C library";
#endif
}

void AllocationMeter::start() {
  throw std::logic_error("AllocationMeter::start: " + why_not());
}

AllocationCounts AllocationMeter::stop() {
  throw std::logic_error("AllocationMeter::stop: no pass is on");
}

}  // namespace tare

#else

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <dlfcn.h>
#include <malloc.h>
#include <new>

extern "C" {
// glibc's own entry points, exported for exactly this purpose.
void* __libc_malloc(std::size_t);
void __libc_free(void*);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
void* __libc_valloc(std::size_t);
void* __libc_pvalloc(std::size_t);
}

namespace {

/// The allocator behind this one.
struct Next {
  decltype(&__libc_malloc) malloc;
  decltype(&__libc_free) free;
  decltype(&__libc_calloc) calloc;
  decltype(&__libc_realloc) realloc;
  decltype(&__libc_memalign) memalign;
  decltype(&__libc_memalign) aligned_alloc;
  int (*posix_memalign)(void**, std::size_t, std::size_t);
  decltype(&__libc_valloc) valloc;
  decltype(&__libc_pvalloc) pvalloc;
  std::size_t (*usable_size)(void*);  ///< null when unknown for this allocator's blocks
};

int glibc_posix_memalign(void** out, std::size_t alignment, std::size_t size) {
  if (alignment == 0 || alignment % sizeof(void*) != 0 || (alignment & (alignment - 1)) != 0) return EINVAL;
  void* block = __libc_memalign(alignment, size);
  if (block == nullptr) return ENOMEM;
  *out = block;
  return 0;
}

constinit const Next glibc{__libc_malloc,   __libc_free,     __libc_calloc,        __libc_realloc,
                           __libc_memalign, __libc_memalign, glibc_posix_memalign, __libc_valloc,
                           __libc_pvalloc,  nullptr};
constinit Next found{};
constinit std::atomic<const Next*> chosen{nullptr};
constinit std::atomic<bool> choosing{false};

template <class F>
void look_up(F& function, const char* name, F otherwise) {
  void* symbol = dlsym(RTLD_NEXT, name);
  function = symbol != nullptr ? reinterpret_cast<F>(symbol) : otherwise;
}

bool same_library(void* a, void* b) {
  Dl_info of_a{};
  Dl_info of_b{};
  return a != nullptr && b != nullptr && dladdr(a, &of_a) != 0 && dladdr(b, &of_b) != 0 &&
         of_a.dli_fbase == of_b.dli_fbase;
}

// The first call comes from a library's initialiser, before there are threads. A call made by dlsym itself on
// the way is served by glibc.
[[gnu::noinline, gnu::cold]] const Next& choose() {
  if (choosing.exchange(true)) {
    const Next* next = chosen.load(std::memory_order_acquire);
    return next != nullptr ? *next : glibc;
  }
  look_up(found.malloc, "malloc", glibc.malloc);
  look_up(found.free, "free", glibc.free);
  look_up(found.calloc, "calloc", glibc.calloc);
  look_up(found.realloc, "realloc", glibc.realloc);
  look_up(found.memalign, "memalign", glibc.memalign);
  look_up(found.aligned_alloc, "aligned_alloc", glibc.aligned_alloc);
  look_up(found.posix_memalign, "posix_memalign", glibc.posix_memalign);
  look_up(found.valloc, "valloc", glibc.valloc);
  look_up(found.pvalloc, "pvalloc", glibc.pvalloc);
  look_up(found.usable_size, "malloc_usable_size", glibc.usable_size);
  // Asking one allocator for the size of another's block would read garbage.
  if (!same_library(reinterpret_cast<void*>(found.malloc), reinterpret_cast<void*>(found.usable_size)))
    found.usable_size = nullptr;
  chosen.store(&found, std::memory_order_release);
  return found;
}

inline const Next& next() {
  const Next* known = chosen.load(std::memory_order_acquire);
  return known != nullptr ? *known : choose();
}

constinit std::atomic<bool> counting{false};
constinit std::atomic<std::uint64_t> allocations{0};
constinit std::atomic<std::uint64_t> deallocations{0};
constinit std::atomic<std::uint64_t> requested{0};
constinit std::atomic<std::int64_t> live{0};
constinit std::atomic<std::int64_t> peak{0};

inline bool on() {
  return counting.load(std::memory_order_relaxed);
}

std::int64_t size_of(void* block) {
  const auto usable_size = next().usable_size;
  return usable_size != nullptr ? static_cast<std::int64_t>(usable_size(block)) : 0;
}

// Live bytes are added after the block exists and taken off before it goes, so that with several threads they
// never exceed what was really live and the peak is never invented.
void count_allocation(void* block, std::size_t size) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  requested.fetch_add(size, std::memory_order_relaxed);
  const std::int64_t added = size_of(block);
  const std::int64_t level = live.fetch_add(added, std::memory_order_relaxed) + added;
  std::int64_t highest = peak.load(std::memory_order_relaxed);
  while (level > highest && !peak.compare_exchange_weak(highest, level, std::memory_order_relaxed)) {
  }
}

void count_deallocation(void* block) {
  deallocations.fetch_add(1, std::memory_order_relaxed);
  live.fetch_sub(size_of(block), std::memory_order_relaxed);
}

void begin() {
  allocations = 0;
  deallocations = 0;
  requested = 0;
  live = 0;
  peak = 0;
  counting = true;
}

inline void* counted(void* block, std::size_t size) {
  if (on() && block != nullptr) [[unlikely]]
    count_allocation(block, size);
  return block;
}

void* counted_realloc(void* block, std::size_t size) {
  const std::int64_t old_size = block != nullptr ? size_of(block) : 0;
  live.fetch_sub(old_size, std::memory_order_relaxed);
  void* moved = next().realloc(block, size);
  if (moved == nullptr && (size != 0 || block == nullptr)) {
    live.fetch_add(old_size, std::memory_order_relaxed);  // it failed: the old block is still there
    return nullptr;
  }
  if (block != nullptr) deallocations.fetch_add(1, std::memory_order_relaxed);
  if (moved != nullptr) count_allocation(moved, size);
  return moved;
}

}  // namespace

extern "C" {

[[gnu::visibility("default")]] void* malloc(std::size_t size) noexcept {
  return counted(next().malloc(size), size);
}

[[gnu::visibility("default")]] void free(void* block) noexcept {
  if (on() && block != nullptr) [[unlikely]]
    count_deallocation(block);
  next().free(block);
}

[[gnu::visibility("default")]] void* calloc(std::size_t count, std::size_t size) noexcept {
  return counted(next().calloc(count, size), count * size);  // an overflow returns null and is not counted
}

[[gnu::visibility("default")]] void* realloc(void* block, std::size_t size) noexcept {
  return on() ? counted_realloc(block, size) : next().realloc(block, size);
}

[[gnu::visibility("default")]] void* reallocarray(void* block, std::size_t count, std::size_t size) noexcept {
  std::size_t bytes = 0;
  if (__builtin_mul_overflow(count, size, &bytes)) {
    errno = ENOMEM;
    return nullptr;
  }
  return on() ? counted_realloc(block, bytes) : next().realloc(block, bytes);
}

[[gnu::visibility("default")]] void* memalign(std::size_t alignment, std::size_t size) noexcept {
  return counted(next().memalign(alignment, size), size);
}

[[gnu::visibility("default")]] void* aligned_alloc(std::size_t alignment, std::size_t size) noexcept {
  return counted(next().aligned_alloc(alignment, size), size);
}

[[gnu::visibility("default")]] int posix_memalign(void** out, std::size_t alignment,
                                                  std::size_t size) noexcept {
  const int code = next().posix_memalign(out, alignment, size);
  if (code == 0) counted(*out, size);
  return code;
}

[[gnu::visibility("default")]] void* valloc(std::size_t size) noexcept {
  return counted(next().valloc(size), size);
}

[[gnu::visibility("default")]] void* pvalloc(std::size_t size) noexcept {
  return counted(next().pvalloc(size), size);
}

}  // extern "C"

namespace tare {

bool AllocationMeter::available() {
  // Linked into a shared library that something else loads, these functions would never be called, and
  // counting nothing would look like allocating nothing: so one allocation of libstdc++'s is tried.
  static const bool reached = [] {
    begin();
    ::operator delete(::operator new(1));
    counting = false;
    return allocations == 1 && deallocations == 1;
  }();
  return reached;
}

std::string AllocationMeter::why_not() {
  return available()
             ? std::string()
             : "another malloc stands before the meter's, as when tare is linked into a shared library; "
               "link it into the executable to count allocations";
}

void AllocationMeter::start() {
  if (!available()) throw std::logic_error("AllocationMeter::start: " + why_not());
  if (on()) throw std::logic_error("AllocationMeter::start: a pass is already on; call stop() first");
  begin();
}

AllocationCounts AllocationMeter::stop() {
  if (!counting.exchange(false))
    throw std::logic_error("AllocationMeter::stop: no pass is on; call start() first");
  AllocationCounts counts{allocations, deallocations, requested, {}, {}};
  if (next().usable_size != nullptr) {
    counts.peak_live_bytes = peak;
    counts.retained_bytes = live;
  }
  return counts;
}

}  // namespace tare

#endif
