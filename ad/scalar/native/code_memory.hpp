// Memory that holds machine code: written once, then executable and never again writable. It lies within
// reach of a direct call of the C library where the address space allows it: a call through a register or a
// table is predicted far worse once a program has thousands of them (2 to 4 times the time of the whole
// program were measured, by luck of the addresses). Large code is given large pages.
#pragma once

#include <cstddef>

namespace tare::ad::detail {

class CodeMemory {
 public:
  /// Throws std::bad_alloc where there is no memory.
  explicit CodeMemory(std::size_t bytes);
  ~CodeMemory();
  CodeMemory(const CodeMemory&) = delete;
  CodeMemory& operator=(const CodeMemory&) = delete;

  [[nodiscard]] std::byte* data() const { return data_; }
  /// What is written until now can be run from here on. False where the system forbids it.
  bool make_executable();

 private:
  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
};

/// Whether a direct call from anywhere in [code, code + bytes) reaches the function.
bool within_reach(const void* code, std::size_t bytes, const void* function);

}  // namespace tare::ad::detail
