// The one table of scalar ops. The explicit tape's methods, the active type's and the dual number's
// functions, the opcodes and the tests all follow from this list; adding an op is a rule in one of the
// headers below and its name here. logsumexp, the only op of any number of arguments, stands in nary.hpp and
// closes the list of codes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "ad/ops/binary.hpp"
#include "ad/ops/nary.hpp"
#include "ad/ops/op.hpp"
#include "ad/ops/trigonometric.hpp"
#include "ad/ops/unary.hpp"

// clang-format off
/// X(Op type, function name) for every unary op that is called by name.
#define TARE_AD_UNARY_OPS(X) \
  X(Square, square) X(Exp, exp) X(Exp2, exp2) X(Expm1, expm1) X(Log, log) X(Log1p, log1p) \
  X(Log2, log2) X(Log10, log10) X(Sqrt, sqrt) X(Cbrt, cbrt) X(Abs, abs) X(Erf, erf) \
  X(Erfc, erfc) X(Softplus, softplus) X(Sigmoid, sigmoid) X(Sin, sin) X(Cos, cos) X(Tan, tan) \
  X(Asin, asin) X(Acos, acos) X(Atan, atan) X(Sinh, sinh) X(Cosh, cosh) X(Tanh, tanh) \
  X(Asinh, asinh) X(Acosh, acosh) X(Atanh, atanh)
// clang-format on

/// X(Op type, function name) for every binary op that is called by name.
#define TARE_AD_BINARY_OPS(X) X(Pow, pow) X(Atan2, atan2) X(Hypot, hypot) X(Min, min) X(Max, max)

/// X(Op type, operator) for the arithmetic operators.
#define TARE_AD_OPERATORS(X) X(Add, +) X(Sub, -) X(Mul, *) X(Div, /)

namespace tare::ad {

template <class... Ops>
struct OpList {
  static constexpr std::size_t size = sizeof...(Ops);
  static constexpr std::array<OpInfo, size> infos{Ops::info...};
};

#define TARE_AD_LISTED(Op, name) , ops::Op
using UnaryOps = OpList<ops::Neg, ops::PowInt TARE_AD_UNARY_OPS(TARE_AD_LISTED)>;
using BinaryOps = OpList<ops::Add, ops::Sub, ops::Mul, ops::Div TARE_AD_BINARY_OPS(TARE_AD_LISTED)>;
#undef TARE_AD_LISTED

/// Unary codes first, then binary, then n-ary; the codes after those belong to recordings, not to arithmetic.
#define TARE_AD_CODE(Op, name) , Op
enum class OpCode : std::uint8_t {
  Neg,
  PowInt TARE_AD_UNARY_OPS(TARE_AD_CODE),
  Add,
  Sub,
  Mul,
  Div TARE_AD_BINARY_OPS(TARE_AD_CODE),
  LogSumExp,
  Input,
  Custom,
  Constant,
  Floor,
  Ceil,
  Round,
  Trunc,
  StopGradient,
  StraightThroughRound,
};
#undef TARE_AD_CODE

namespace detail {
template <class Op>
struct CodeOf;
#define TARE_AD_CODE(Op, name)                  \
  template <>                                   \
  struct CodeOf<ops::Op> {                      \
    static constexpr OpCode value = OpCode::Op; \
  };
TARE_AD_CODE(Neg, )
TARE_AD_CODE(PowInt, )
TARE_AD_UNARY_OPS(TARE_AD_CODE)
TARE_AD_OPERATORS(TARE_AD_CODE)
TARE_AD_BINARY_OPS(TARE_AD_CODE)
TARE_AD_CODE(LogSumExp, )
#undef TARE_AD_CODE
}  // namespace detail

template <class Op>
inline constexpr OpCode code_of = detail::CodeOf<Op>::value;

/// Facts about every op, by code.
constexpr std::array<OpInfo, UnaryOps::size + BinaryOps::size + 1> op_table() {
  std::array<OpInfo, UnaryOps::size + BinaryOps::size + 1> table{};
  std::size_t at = 0;
  for (const OpInfo& info : UnaryOps::infos) table[at++] = info;
  for (const OpInfo& info : BinaryOps::infos) table[at++] = info;
  table[at] = ops::LogSumExp::info;
  return table;
}

constexpr std::string_view name_of(OpCode code) {
  const auto at = static_cast<std::size_t>(code);
  constexpr auto table = op_table();
  if (at < table.size()) return table[at].name;
  constexpr std::array<std::string_view, 9> others{"input", "custom",        "constant",
                                                   "floor", "ceil",          "round",
                                                   "trunc", "stop_gradient", "straight_through_round"};
  return others.at(at - table.size());
}

}  // namespace tare::ad
