// Code: what executors run. One straight list of primitive instructions without branches, each result used by
// its number; values and derivatives of a program are the same list. A mask is a value whose bits are all one
// or all zero.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "ad/scalar/program/program.hpp"

namespace tare::ad::detail {

enum class Prim : std::uint8_t {
  constant,    ///< constants[a]
  load,        ///< input number a of the port
  add,         ///< a + b
  sub,         ///< a - b
  mul,         ///< a · b
  div,         ///< a / b
  neg,         ///< -a
  fma,         ///< a · b + c, rounded once
  fms,         ///< a · b - c, rounded once
  fnma,        ///< c - a · b, rounded once
  sqrt,        ///< √a
  abs,         ///< |a|
  min,         ///< b < a ? b : a
  max,         ///< a < b ? b : a
  floor,       ///< ⌊a⌋
  ceil,        ///< ⌈a⌉
  trunc,       ///< a towards zero
  less,        ///< mask of a < b
  less_equal,  ///< mask of a <= b
  equal,       ///< mask of a == b
  not_equal,   ///< mask of a != b, true for NaN
  keep,        ///< b where the mask a is set, else 0
  select,      ///< b where the mask a is set, else c
  call,        ///< a library function of a, b, c
  store,       ///< a becomes output number b of the port
};

/// Where loads come from and stores go to. Varying inputs, results and gradients have one number per lane;
/// uniform inputs are the same in all lanes; sums are added to.
enum class Port : std::uint8_t { varying, uniform, results, gradient, sums };

// clang-format off
#define TARE_AD_LIBRARY_UNARY(X) \
  X(exp) X(exp2) X(expm1) X(log) X(log1p) X(log2) X(log10) X(cbrt) X(erf) X(erfc) X(sin) X(cos) X(tan) \
  X(asin) X(acos) X(atan) X(sinh) X(cosh) X(tanh) X(asinh) X(acosh) X(atanh)
#define TARE_AD_LIBRARY_BINARY(X) X(pow) X(atan2) X(hypot)
// clang-format on

/// Functions reached by a call. pow_left is the op table's rule for ∂(aᵇ)/∂a, custom an op of the caller's.
#define TARE_AD_LISTED(name) name,
enum class Function : std::uint8_t {
  TARE_AD_LIBRARY_UNARY(TARE_AD_LISTED) TARE_AD_LIBRARY_BINARY(TARE_AD_LISTED) round,
  copysign,
  pow_left,
  custom,
};
#undef TARE_AD_LISTED

struct Instruction {
  Prim prim = Prim::constant;
  std::uint8_t detail = 0;  ///< the Port of a load or store, the Function of a call
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  std::uint32_t c = 0;  ///< of a custom call: which of Code::customs, three functions each

  [[nodiscard]] Port port() const { return static_cast<Port>(detail); }
  [[nodiscard]] Function function() const { return static_cast<Function>(detail); }
  friend bool operator==(const Instruction&, const Instruction&) = default;
};

struct Code {
  std::vector<Instruction> instructions;
  std::vector<double> constants;
  std::shared_ptr<const std::vector<ScalarCustomOp>> customs;
  std::size_t varying = 0;   ///< inputs with a number per lane
  std::size_t uniform = 0;   ///< inputs shared by all lanes
  std::size_t results = 0;   ///< outputs of the program, then the status of its guards
  std::size_t gradient = 0;  ///< derivatives that are written
};

/// How many of a, b, c are numbers of instructions.
constexpr int arguments_of(const Instruction& i) {
  switch (i.prim) {
    case Prim::constant:
    case Prim::load:
      return 0;
    case Prim::neg:
    case Prim::sqrt:
    case Prim::abs:
    case Prim::floor:
    case Prim::ceil:
    case Prim::trunc:
    case Prim::store:
      return 1;
    case Prim::fma:
    case Prim::fms:
    case Prim::fnma:
    case Prim::select:
      return 3;
    case Prim::call:
      if (i.function() == Function::pow_left) return 3;
      return i.function() < Function::pow || i.function() == Function::round ? 1 : 2;
    default:
      return 2;
  }
}
constexpr std::uint32_t& argument(Instruction& i, int k) {
  return k == 0 ? i.a : k == 1 ? i.b : i.c;
}
constexpr const std::uint32_t& argument(const Instruction& i, int k) {
  return k == 0 ? i.a : k == 1 ? i.b : i.c;
}

}  // namespace tare::ad::detail
