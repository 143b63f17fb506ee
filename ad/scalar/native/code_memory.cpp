#include "ad/scalar/native/code_memory.hpp"

#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <new>
#include <sys/mman.h>

namespace tare::ad::detail {
namespace {

constexpr std::size_t page = 4096;
constexpr std::size_t huge_page = std::size_t{2} << 20U;

std::uintptr_t number(const void* at) {
  return reinterpret_cast<std::uintptr_t>(at);
}

void* library() {
  return reinterpret_cast<void*>(static_cast<double (*)(double)>(&std::exp));
}

/// The address is a wish: the system takes another where it is taken.
std::byte* mapped(std::uintptr_t wish, std::size_t bytes) {
  void* const at = ::mmap(reinterpret_cast<void*>(wish), bytes, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return at == MAP_FAILED ? nullptr : static_cast<std::byte*>(at);
}

/// Below and above the library, ever further away, and where the system likes if all that is taken.
std::byte* mapped_near(std::uintptr_t wanted, std::size_t bytes) {
  constexpr std::uintptr_t nearest = std::uintptr_t{32} << 20U;
  constexpr std::uintptr_t farthest = std::uintptr_t{1} << 30U;
  for (std::uintptr_t distance = nearest; distance <= farthest; distance *= 2) {
    for (const std::uintptr_t wish : {wanted - distance - bytes, wanted + distance}) {
      std::byte* const at = mapped(wish / huge_page * huge_page, bytes);
      if (at == nullptr) break;
      if (within_reach(at, bytes, reinterpret_cast<const void*>(wanted))) return at;
      ::munmap(at, bytes);
    }
  }
  return mapped(0, bytes);
}

}  // namespace

CodeMemory::CodeMemory(std::size_t bytes) : bytes_((bytes + page - 1) / page * page) {
  data_ = mapped_near(number(library()), bytes_);
  if (data_ == nullptr) throw std::bad_alloc();
  if (bytes_ >= huge_page) ::madvise(data_, bytes_, MADV_HUGEPAGE);
}
CodeMemory::~CodeMemory() {
  ::munmap(data_, bytes_);
}

bool CodeMemory::make_executable() {
  return ::mprotect(data_, bytes_, PROT_READ | PROT_EXEC) == 0;
}

bool within_reach(const void* code, std::size_t bytes, const void* function) {
  constexpr std::uintptr_t reach = std::numeric_limits<std::int32_t>::max();
  const std::uintptr_t from = number(code);
  const std::uintptr_t to = number(function);
  // From the far end of the code; a whole page to spare for the length of the call itself.
  return to < from ? from + bytes + page - to < reach : to + page - from < reach;
}

}  // namespace tare::ad::detail
