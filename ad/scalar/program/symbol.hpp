// Symbol: the number type that records a Program. It computes as a double and writes down what it did, so any
// template over the number type can be recorded:
//   Program p = record_program(at, [](std::span<const Symbol> x) { return sin(x[0]) * x[1]; });
// `at` decides the branches the recording takes. Operations of constants are not recorded. A Symbol has no
// conversion to double: a number taken out of a recording would be frozen into it.
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "ad/ops/table.hpp"
#include "ad/scalar/program/program.hpp"

namespace tare::ad {

class Symbol {
 public:
  Symbol() = default;
  template <class U>
    requires std::is_arithmetic_v<U>
  Symbol(U value) : value_(static_cast<double>(value)) {}

  Symbol& operator+=(const Symbol& b);
  Symbol& operator-=(const Symbol& b);
  Symbol& operator*=(const Symbol& b);
  Symbol& operator/=(const Symbol& b);

  /// Whether it depends on no input.
  [[nodiscard]] bool constant() const { return tag_ == 0; }

 private:
  friend class ProgramRecorder;
  Symbol(double value, std::uint32_t node, std::uint32_t tag) : value_(value), node_(node), tag_(tag) {}

  double value_ = 0;
  std::uint32_t node_ = 0;
  std::uint32_t tag_ = 0;
};

/// Writes a program while it is alive; one per thread. record_program() is the usual way to use it.
class ProgramRecorder {
 public:
  explicit ProgramRecorder(std::span<const double> at);
  ~ProgramRecorder();
  ProgramRecorder(const ProgramRecorder&) = delete;
  ProgramRecorder& operator=(const ProgramRecorder&) = delete;

  [[nodiscard]] std::span<const Symbol> inputs() const { return inputs_; }
  /// Ends the recording.
  Program finish(std::span<const Symbol> outputs);

  template <class Op>
  static Symbol unary(const Op& op, const Symbol& x) {
    return append(code_of<Op>, evaluate(op, x.value_), x, x);
  }
  template <class Op>
  static Symbol binary(const Op& op, const Symbol& a, const Symbol& b) {
    return append(code_of<Op>, evaluate(op, a.value_, b.value_), a, b);
  }
  static Symbol power(const Symbol& x, int exponent);
  static Symbol logsumexp(std::span<const Symbol> x);
  static Symbol step(OpCode code, const Symbol& x);
  static Symbol custom(ScalarCustomOp op, const Symbol& a, const Symbol& b);
  static bool compare(Comparison comparison, const Symbol& a, const Symbol& b);

 private:
  static Symbol append(OpCode code, double value, const Symbol& a, const Symbol& b);
  /// This thread's recorder, to which at least one of the arguments belongs.
  static ProgramRecorder& owner(std::string_view operation, const Symbol& a, const Symbol& b);
  std::uint32_t place(std::string_view operation, const Symbol& x);
  std::uint32_t push(const Node& node);

  Program program_;
  std::vector<Symbol> inputs_;
  std::uint32_t tag_;
};

/// Records f(x), a function of a span of Symbols that gives one.
template <class F>
Program record_program(std::span<const double> at, F&& f) {
  ProgramRecorder recorder(at);
  const Symbol y = f(recorder.inputs());
  return recorder.finish(std::span(&y, 1));
}
/// Records f(x, y), which fills the given number of outputs.
template <class F>
Program record_program(std::span<const double> at, std::size_t outputs, F&& f) {
  ProgramRecorder recorder(at);
  std::vector<Symbol> y(outputs);
  f(recorder.inputs(), std::span<Symbol>(y));
  return recorder.finish(y);
}

#define TARE_AD_FUNCTION(Op, name)                    \
  [[nodiscard]] inline Symbol name(const Symbol& x) { \
    return ProgramRecorder::unary(ops::Op{}, x);      \
  }
TARE_AD_UNARY_OPS(TARE_AD_FUNCTION)
TARE_AD_FUNCTION(Abs, fabs)
TARE_AD_FUNCTION(Neg, operator-)
#undef TARE_AD_FUNCTION

#define TARE_AD_FUNCTION(Op, name)                                     \
  [[nodiscard]] inline Symbol name(const Symbol& a, const Symbol& b) { \
    return ProgramRecorder::binary(ops::Op{}, a, b);                   \
  }
TARE_AD_FUNCTION(Atan2, atan2)
TARE_AD_FUNCTION(Hypot, hypot)
TARE_AD_FUNCTION(Min, min)
TARE_AD_FUNCTION(Max, max)
TARE_AD_FUNCTION(Min, fmin)
TARE_AD_FUNCTION(Max, fmax)
#undef TARE_AD_FUNCTION

#define TARE_AD_OPERATOR(Op, sign)                                              \
  [[nodiscard]] inline Symbol operator sign(const Symbol& a, const Symbol& b) { \
    return ProgramRecorder::binary(ops::Op{}, a, b);                            \
  }                                                                             \
  inline Symbol& Symbol::operator sign##=(const Symbol & b) {                   \
    return *this = *this sign b;                                                \
  }
TARE_AD_OPERATORS(TARE_AD_OPERATOR)
#undef TARE_AD_OPERATOR

[[nodiscard]] inline Symbol operator+(const Symbol& x) {
  return x;
}

/// A whole exponent is an op of its own, as for the other number types.
template <class E>
  requires(std::is_arithmetic_v<E> || std::same_as<E, Symbol>)
[[nodiscard]] inline Symbol pow(const Symbol& base, const E& exponent) {
  if constexpr (std::is_integral_v<E>) {
    return ProgramRecorder::power(base, static_cast<int>(exponent));
  } else {
    return ProgramRecorder::binary(ops::Pow{}, base, exponent);
  }
}
template <class B>
  requires std::is_arithmetic_v<B>
[[nodiscard]] inline Symbol pow(B base, const Symbol& exponent) {
  return ProgramRecorder::binary(ops::Pow{}, base, exponent);
}

[[nodiscard]] inline Symbol logsumexp(std::span<const Symbol> x) {
  return ProgramRecorder::logsumexp(x);
}

/// Every comparison becomes a guard of the program.
#define TARE_AD_COMPARE(comparison, sign)                                     \
  [[nodiscard]] inline bool operator sign(const Symbol& a, const Symbol& b) { \
    return ProgramRecorder::compare(Comparison::comparison, a, b);            \
  }
TARE_AD_COMPARE(less, <)
TARE_AD_COMPARE(less_equal, <=)
TARE_AD_COMPARE(greater, >)
TARE_AD_COMPARE(greater_equal, >=)
TARE_AD_COMPARE(equal, ==)
TARE_AD_COMPARE(not_equal, !=)
#undef TARE_AD_COMPARE

#define TARE_AD_PREDICATE(comparison, name)                        \
  [[nodiscard]] inline bool name(const Symbol& x) {                \
    return ProgramRecorder::compare(Comparison::comparison, x, x); \
  }
TARE_AD_PREDICATE(is_nan, isnan)
TARE_AD_PREDICATE(is_inf, isinf)
TARE_AD_PREDICATE(is_finite, isfinite)
TARE_AD_PREDICATE(sign_bit, signbit)
#undef TARE_AD_PREDICATE

/// Piecewise constant functions are computed at every replay; their derivative is zero.
#define TARE_AD_STEP(Op, name)                        \
  [[nodiscard]] inline Symbol name(const Symbol& x) { \
    return ProgramRecorder::step(OpCode::Op, x);      \
  }
TARE_AD_STEP(Floor, floor)
TARE_AD_STEP(Ceil, ceil)
TARE_AD_STEP(Round, round)
TARE_AD_STEP(Trunc, trunc)
TARE_AD_STEP(StopGradient, stop_gradient)
TARE_AD_STEP(StraightThroughRound, straight_through_round)
#undef TARE_AD_STEP

/// f(x) with derivative df(x), called at every replay.
template <class F, class D>
  requires(std::invocable<F, double> && std::invocable<D, double>)
Symbol custom(std::string name, const Symbol& x, F f, D df) {
  return ProgramRecorder::custom({std::move(name), 1, [f](double a, double) { return f(a); },
                                  [df](double a, double) { return df(a); }, nullptr},
                                 x, x);
}
/// f(a, b) with derivatives in a and in b, called at every replay.
template <class F, class A, class B>
Symbol custom(std::string name, const Symbol& a, const Symbol& b, F f, A dfa, B dfb) {
  return ProgramRecorder::custom({std::move(name), 2, f, dfa, dfb}, a, b);
}

}  // namespace tare::ad

template <>
struct std::numeric_limits<tare::ad::Symbol> : std::numeric_limits<double> {};
