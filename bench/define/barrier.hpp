// Barriers against the optimiser. They cost no instruction themselves: tests/codegen reads the generated
// assembly.
//   keep(x)    the value x counts as used: what computes it cannot be removed. No copy is made.
//   opaque(x)  the same value, of which the compiler knows nothing: computing with it cannot be folded or
//   hoisted. clobber()  all memory counts as read and written: stores before it happen, loads after it are
//   made.
#pragma once

#include <type_traits>

namespace tare {

namespace detail {
template <class T>
inline constexpr bool in_register =
    (std::is_arithmetic_v<T> || std::is_pointer_v<T> || std::is_enum_v<T>) && sizeof(T) <= sizeof(void*);
}  // namespace detail

[[gnu::always_inline]] inline void clobber() {
  asm volatile("" : : : "memory");
}

template <class T>
[[gnu::always_inline]] inline void keep(const T& value) {
  if constexpr (detail::in_register<T> && std::is_floating_point_v<T>) {
#if defined(__x86_64__)
    asm volatile("" : : "x"(value));
#elif defined(__aarch64__)
    asm volatile("" : : "w"(value));
#else
    asm volatile("" : : "m"(value));
#endif
  } else if constexpr (detail::in_register<T>) {
    asm volatile("" : : "r"(value));
  } else {
    // What an object points to counts as used too: a vector's elements, not only its three pointers.
    asm volatile("" : : "m"(value) : "memory");
  }
}

template <class T>
[[gnu::always_inline]] inline T opaque(T value) {
  if constexpr (detail::in_register<T> && std::is_floating_point_v<T>) {
#if defined(__x86_64__)
    asm volatile("" : "+x"(value));
#elif defined(__aarch64__)
    asm volatile("" : "+w"(value));
#else
    asm volatile("" : "+m"(value));
#endif
  } else if constexpr (detail::in_register<T>) {
    asm volatile("" : "+r"(value));
  } else {
    asm volatile("" : "+m"(value) : : "memory");
  }
  return value;
}

}  // namespace tare
