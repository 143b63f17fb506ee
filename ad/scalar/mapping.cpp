#include "ad/scalar/mapping.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <new>
#include <sys/mman.h>
#include <utility>

namespace tare::ad::detail {
namespace {

constexpr std::size_t page = 4096;
constexpr std::size_t huge_page = std::size_t{2} << 20U;
constexpr std::size_t kept_pages = std::size_t{1} << 20U;
constexpr std::size_t smallest = std::size_t{64} << 10U;

struct Kept {
  std::byte* data = nullptr;
  std::size_t bytes = 0;
  std::size_t asked = 0;
};

/// A few mappings per thread; more would hold memory nobody asked to keep.
struct Pool {
  std::array<Kept, 8> kept{};
  std::size_t count = 0;

  ~Pool() {
    while (count != 0) {
      --count;
      ::munmap(kept[count].data, kept[count].bytes);
    }
    closed = true;
  }
  static thread_local bool closed;
};
thread_local bool Pool::closed = false;
thread_local Pool pool;

}  // namespace

Mapping::Mapping(std::size_t bytes) : asked_(bytes) {
  if (!Pool::closed) {
    for (std::size_t i = pool.count; i-- != 0;) {
      if (pool.kept[i].asked != bytes) continue;
      data_ = pool.kept[i].data;
      bytes_ = pool.kept[i].bytes;
      pool.kept[i] = pool.kept[--pool.count];
      return;
    }
  }
  for (std::size_t want = std::max(smallest, (bytes + page - 1) / page * page);;
       want = want / 2 / page * page) {
    void* const at =
        ::mmap(nullptr, want, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at != MAP_FAILED) {
      data_ = static_cast<std::byte*>(at);
      bytes_ = want;
      break;
    }
    if (want / 2 < smallest) throw std::bad_alloc();
  }
  // Small recordings stay on small pages; beyond two megabytes fewer page faults are worth the rounding.
  if (bytes_ > 2 * huge_page) ::madvise(data_ + huge_page, bytes_ - huge_page, MADV_HUGEPAGE);
}

Mapping::~Mapping() {
  if (data_ == nullptr) return;
  if (!Pool::closed && pool.count < pool.kept.size()) {
    const auto low = reinterpret_cast<std::uintptr_t>(used_from_) / page * page;
    const auto high = (reinterpret_cast<std::uintptr_t>(used_to_) + page - 1) / page * page;
    if (high - low > kept_pages) ::madvise(reinterpret_cast<void*>(low), high - low, MADV_DONTNEED);
    pool.kept[pool.count++] = Kept{data_, bytes_, asked_};
    return;
  }
  ::munmap(data_, bytes_);
}

Mapping::Mapping(Mapping&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)),
      bytes_(std::exchange(other.bytes_, 0)),
      asked_(std::exchange(other.asked_, 0)),
      used_from_(std::exchange(other.used_from_, nullptr)),
      used_to_(std::exchange(other.used_to_, nullptr)) {}

Mapping& Mapping::operator=(Mapping&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  std::swap(asked_, other.asked_);
  std::swap(used_from_, other.used_from_);
  std::swap(used_to_, other.used_to_);
  return *this;
}

}  // namespace tare::ad::detail
