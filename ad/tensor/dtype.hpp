// Element types, their sizes, and what two of them make together:
// - the result of two types is the later of  bool, u8, i8, i64, f32, f64  (u8 with i8 gives i64);
// - a C++ number takes the tensor's type where that holds its value (f32 and f64 always do), else it is an
// i64
//   when it is whole and an f32 when it has a fraction;
// - division and every function of the table (exp, …) turn whole types into f32;
// - comparisons give bool; + − × min max and matmul of two bools give i64; sum, prod and cumsum of whole
// types
//   give i64, mean gives f32. Whole numbers wrap around.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tare::ad {

enum class DType : std::uint8_t { boolean, u8, i8, i64, f32, f64 };

constexpr std::size_t size_of(DType type) {
  switch (type) {
    case DType::boolean:
    case DType::u8:
    case DType::i8:
      return 1;
    case DType::f32:
      return 4;
    case DType::i64:
    case DType::f64:
      return 8;
  }
  return 0;
}

constexpr std::string_view name_of(DType type) {
  switch (type) {
    case DType::boolean:
      return "bool";
    case DType::u8:
      return "u8";
    case DType::i8:
      return "i8";
    case DType::i64:
      return "i64";
    case DType::f32:
      return "f32";
    case DType::f64:
      return "f64";
  }
  return "?";
}

constexpr bool is_floating(DType type) {
  return type >= DType::f32;
}

constexpr DType promote(DType a, DType b) {
  if ((a == DType::u8 && b == DType::i8) || (a == DType::i8 && b == DType::u8)) return DType::i64;
  return a > b ? a : b;
}

/// What a function such as exp, or a division, computes in.
constexpr DType floating(DType type) {
  return is_floating(type) ? type : DType::f32;
}

template <class T>
struct DTypeOf;
template <>
struct DTypeOf<bool> {
  static constexpr DType value = DType::boolean;
};
template <>
struct DTypeOf<std::uint8_t> {
  static constexpr DType value = DType::u8;
};
template <>
struct DTypeOf<std::int8_t> {
  static constexpr DType value = DType::i8;
};
template <>
struct DTypeOf<std::int64_t> {
  static constexpr DType value = DType::i64;
};
template <>
struct DTypeOf<float> {
  static constexpr DType value = DType::f32;
};
template <>
struct DTypeOf<double> {
  static constexpr DType value = DType::f64;
};

template <class T>
inline constexpr DType dtype_of = DTypeOf<T>::value;

/// Calls f with a value of the C++ type of the dtype: visit(type, [](auto zero) { using T = decltype(zero); …
/// }).
template <class F>
decltype(auto) visit(DType type, F&& f) {
  switch (type) {
    case DType::boolean:
      return f(bool{});
    case DType::u8:
      return f(std::uint8_t{});
    case DType::i8:
      return f(std::int8_t{});
    case DType::i64:
      return f(std::int64_t{});
    case DType::f32:
      return f(float{});
    default:
      return f(double{});
  }
}

}  // namespace tare::ad
