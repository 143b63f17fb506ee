// Functions of the C library that machine code calls through a table of addresses, so that the code itself
// holds none and can be kept on disk.
#pragma once

#include <cstdint>

// clang-format off
#define TARE_JIT_ONE_ARGUMENT(X) \
  X(exp) X(expm1) X(log) X(log1p) X(tanh) X(erf) X(sin) X(cos) X(exp2) X(log2) X(log10) X(cbrt) X(erfc) X(tan) \
  X(asin) X(acos) X(atan) X(sinh) X(cosh) X(asinh) X(acosh) X(atanh)
#define TARE_JIT_TWO_ARGUMENTS(X) X(pow) X(atan2) X(hypot)
// clang-format on

namespace tare::ad::jit {

enum class LibraryFunction : std::uint8_t {
#define TARE_JIT_NAME(name) name##_,
  TARE_JIT_ONE_ARGUMENT(TARE_JIT_NAME) TARE_JIT_TWO_ARGUMENTS(TARE_JIT_NAME)
#undef TARE_JIT_NAME
      count
};

constexpr std::uint64_t library_index(LibraryFunction function, bool is_double) {
  return 2 * static_cast<std::uint64_t>(function) + (is_double ? 1 : 0);
}

/// Addresses by library_index().
const void* const* library_table();

}  // namespace tare::ad::jit
