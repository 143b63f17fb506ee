// Real<T>: the active type. It behaves as T in ordinary code; while a Recorder<T> records on this thread,
// every assignment of an expression becomes one statement of the recording. Without a recorder it is a number
// with eight bytes of company. Real<Dual<T, N>> records derivatives that carry tangents: forward over
// reverse.
#pragma once

#include <cmath>
#include <concepts>
#include <cstdint>
#include <iosfwd>
#include <limits>
#include <type_traits>

#include "ad/scalar/cursor.hpp"

namespace tare::ad {

template <class T>
class Real {
 public:
  using value_type = T;

  constexpr Real() = default;
  template <class U>
    requires(std::is_arithmetic_v<U> || std::is_same_v<U, T>)
  constexpr Real(const U& value) : value_(static_cast<T>(value)) {}
  template <detail::ExpressionNode E>
    requires std::is_same_v<typename E::value_type, T>
  [[gnu::always_inline]] Real(const E& expression) : Real(detail::record<T>(expression)) {}

  template <detail::ExpressionNode E>
    requires std::is_same_v<typename E::value_type, T>
  [[gnu::always_inline]] Real& operator=(const E& expression) {
    return *this = Real(detail::record<T>(expression));
  }

  [[nodiscard]] const T& value() const { return value_; }
  [[nodiscard]] bool active() const { return id_ != 0; }
  [[nodiscard]] std::uint64_t id() const { return id_; }
  explicit operator double() const
    requires Machine<T>
  {
    return static_cast<double>(value_);
  }
  template <class U>
    requires(std::is_arithmetic_v<U> && !std::is_same_v<U, double> && Machine<T>)
  explicit operator U() const {
    return static_cast<U>(value_);
  }

  template <class U>
  [[gnu::always_inline]] Real& operator+=(const U& other) {
    return *this = *this + other;
  }
  template <class U>
  [[gnu::always_inline]] Real& operator-=(const U& other) {
    return *this = *this - other;
  }
  template <class U>
  [[gnu::always_inline]] Real& operator*=(const U& other) {
    return *this = *this * other;
  }
  template <class U>
  [[gnu::always_inline]] Real& operator/=(const U& other) {
    return *this = *this / other;
  }
  Real& operator++() { return *this = *this + T(1); }
  Real& operator--() { return *this = *this - T(1); }
  Real operator++(int) {
    const Real before = *this;
    ++*this;
    return before;
  }
  Real operator--(int) {
    const Real before = *this;
    --*this;
    return before;
  }

  /// A value with a given identity; for recorders and external functions.
  static Real of(const T& value, std::uint64_t id) {
    Real real;
    real.value_ = value;
    real.id_ = id;
    return real;
  }

 private:
  [[gnu::always_inline]] explicit Real(const detail::Recorded<T>& recorded)
      : value_(recorded.value), id_(recorded.id) {}

  T value_{};
  std::uint64_t id_ = 0;
};

namespace detail {

template <class X>
struct OperandOf {
  using value_type = void;
};
template <class T>
struct OperandOf<Real<T>> {
  using value_type = T;
};
template <ExpressionNode E>
struct OperandOf<E> {
  using value_type = typename E::value_type;
};

/// A Real or an expression of Reals.
template <class X>
concept Active = !std::is_void_v<typename OperandOf<X>::value_type>;
template <class X>
using NumberOf = typename OperandOf<X>::value_type;

/// What may stand beside an active operand of number type T.
template <class X, class T>
concept Passive = !Active<X> && (std::is_arithmetic_v<X> || std::is_same_v<X, T>);

template <class L, class R>
concept Pair = (Active<L> && Active<R> && std::is_same_v<NumberOf<L>, NumberOf<R>>) ||
               (Active<L> && Passive<R, NumberOf<L>>) || (Active<R> && Passive<L, NumberOf<R>>);

template <class L, class R>
using PairNumber = NumberOf<std::conditional_t<Active<L>, L, R>>;

/// An operand as a node: a Real becomes a leaf, a number a constant, a node stays itself.
template <class T, class X>
[[gnu::always_inline]] inline auto operand(const X& x) {
  if constexpr (ExpressionNode<X>) {
    return x;
  } else if constexpr (Active<X>) {
    return Leaf<T>(x.value(), x.id());
  } else {
    return Constant<T>(static_cast<T>(x));
  }
}

template <class Op, class A>
[[gnu::always_inline]] inline auto unary_node(const A& a, const Op& op = {}) {
  using T = NumberOf<A>;
  using Operand = decltype(operand<T>(a));
  return UnaryNode<Op, Operand>(operand<T>(a), op);
}
template <class Op, class L, class R>
[[gnu::always_inline]] inline auto binary_node(const L& l, const R& r) {
  using T = PairNumber<L, R>;
  using Left = decltype(operand<T>(l));
  using Right = decltype(operand<T>(r));
  return BinaryNode<Op, Left, Right>(operand<T>(l), operand<T>(r), Op{});
}

template <class T, class X>
inline T value_in(const X& x) {
  if constexpr (ExpressionNode<X>) {
    return x.value;
  } else if constexpr (Active<X>) {
    return x.value();
  } else {
    return static_cast<T>(x);
  }
}

}  // namespace detail

#define TARE_AD_FUNCTION(Op, name)                                 \
  template <detail::Active A>                                      \
  [[nodiscard, gnu::always_inline]] inline auto name(const A& a) { \
    return detail::unary_node<ops::Op>(a);                         \
  }
TARE_AD_UNARY_OPS(TARE_AD_FUNCTION)
TARE_AD_FUNCTION(Abs, fabs)
#undef TARE_AD_FUNCTION

#define TARE_AD_FUNCTION(Op, name)                                             \
  template <class L, class R>                                                  \
    requires detail::Pair<L, R>                                                \
  [[nodiscard, gnu::always_inline]] inline auto name(const L& l, const R& r) { \
    return detail::binary_node<ops::Op>(l, r);                                 \
  }
TARE_AD_FUNCTION(Atan2, atan2)
TARE_AD_FUNCTION(Hypot, hypot)
TARE_AD_FUNCTION(Min, min)
TARE_AD_FUNCTION(Max, max)
TARE_AD_FUNCTION(Min, fmin)
TARE_AD_FUNCTION(Max, fmax)
#undef TARE_AD_FUNCTION

#define TARE_AD_OPERATOR(Op, sign)                                                      \
  template <class L, class R>                                                           \
    requires detail::Pair<L, R>                                                         \
  [[nodiscard, gnu::always_inline]] inline auto operator sign(const L& l, const R& r) { \
    return detail::binary_node<ops::Op>(l, r);                                          \
  }
TARE_AD_OPERATORS(TARE_AD_OPERATOR)
#undef TARE_AD_OPERATOR

template <detail::Active A>
[[nodiscard, gnu::always_inline]] inline auto operator-(const A& a) {
  return detail::unary_node<ops::Neg>(a);
}
template <detail::Active A>
[[nodiscard]] inline A operator+(const A& a) {
  return a;
}

/// A whole exponent is an op of its own: exact for negative bases and cheaper than the real power.
template <class L, class R>
  requires detail::Pair<L, R>
[[nodiscard, gnu::always_inline]] inline auto pow(const L& base, const R& exponent) {
  if constexpr (std::is_integral_v<R>) {
    return detail::unary_node(base, ops::PowInt{static_cast<int>(exponent)});
  } else {
    return detail::binary_node<ops::Pow>(base, exponent);
  }
}

#define TARE_AD_COMPARE(sign)                                       \
  template <class L, class R>                                       \
    requires detail::Pair<L, R>                                     \
  [[nodiscard]] inline bool operator sign(const L& l, const R& r) { \
    using T = detail::PairNumber<L, R>;                             \
    return detail::value_in<T>(l) sign detail::value_in<T>(r);      \
  }
TARE_AD_COMPARE(<)
TARE_AD_COMPARE(<=)
TARE_AD_COMPARE(>)
TARE_AD_COMPARE(>=)
TARE_AD_COMPARE(==)
TARE_AD_COMPARE(!=)
#undef TARE_AD_COMPARE

#define TARE_AD_PREDICATE(name)                            \
  template <detail::Active A>                              \
  [[nodiscard]] inline bool name(const A& a) {             \
    using std::name;                                       \
    return name(detail::value_in<detail::NumberOf<A>>(a)); \
  }
TARE_AD_PREDICATE(isnan)
TARE_AD_PREDICATE(isinf)
TARE_AD_PREDICATE(isfinite)
TARE_AD_PREDICATE(signbit)
#undef TARE_AD_PREDICATE

/// Piecewise constant functions: their derivative is zero wherever it exists, so the result is a constant.
#define TARE_AD_STEP(name)                                                            \
  template <detail::Active A>                                                         \
  [[nodiscard]] inline Real<detail::NumberOf<A>> name(const A& a) {                   \
    using std::name;                                                                  \
    return Real<detail::NumberOf<A>>(name(detail::value_in<detail::NumberOf<A>>(a))); \
  }
TARE_AD_STEP(floor)
TARE_AD_STEP(ceil)
TARE_AD_STEP(round)
TARE_AD_STEP(trunc)
#undef TARE_AD_STEP

/// The number inside: no derivative passes through it.
template <detail::Active A>
[[nodiscard]] inline detail::NumberOf<A> value_of(const A& a) {
  return detail::value_in<detail::NumberOf<A>>(a);
}
template <class T>
  requires std::is_arithmetic_v<T>
[[nodiscard]] inline T value_of(const T& x) {
  return x;
}

}  // namespace tare::ad
