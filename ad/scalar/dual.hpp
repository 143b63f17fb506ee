// Dual<T, N>: a number with N tangents, forward mode. Functions come from the op table; a tangent of exactly
// zero stays zero even where the derivative is infinite or undefined, as an argument that does not vary
// contributes nothing.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <type_traits>

#include "ad/ops/table.hpp"

namespace tare::ad {

template <class T, std::size_t N = 1>
class Dual {
 public:
  using value_type = T;
  static constexpr std::size_t tangents = N;

  constexpr Dual() = default;
  template <class U>
    requires(std::is_arithmetic_v<U> || std::is_same_v<U, T>)
  constexpr Dual(const U& value) : value_(static_cast<T>(value)) {}
  constexpr Dual(const T& value, const std::array<T, N>& tangent) : value_(value), tangent_(tangent) {}

  /// The independent variable number i: its own tangent is one.
  static constexpr Dual variable(const T& value, std::size_t i = 0) {
    Dual x(value);
    x.tangent_[i] = T(1);
    return x;
  }

  [[nodiscard]] constexpr const T& value() const { return value_; }
  [[nodiscard]] constexpr const T& tangent(std::size_t i = 0) const { return tangent_[i]; }
  [[nodiscard]] constexpr T& tangent(std::size_t i = 0) { return tangent_[i]; }

  friend constexpr Dual operator-(const Dual& a) {
    return make(-a.value_, [&](std::size_t i) { return -a.tangent_[i]; });
  }
  friend constexpr Dual operator+(const Dual& a) { return a; }

  friend constexpr Dual operator+(const Dual& a, const Dual& b) {
    return make(a.value_ + b.value_, [&](std::size_t i) { return a.tangent_[i] + b.tangent_[i]; });
  }
  friend constexpr Dual operator-(const Dual& a, const Dual& b) {
    return make(a.value_ - b.value_, [&](std::size_t i) { return a.tangent_[i] - b.tangent_[i]; });
  }
  friend constexpr Dual operator*(const Dual& a, const Dual& b) {
    return make(a.value_ * b.value_,
                [&](std::size_t i) { return a.tangent_[i] * b.value_ + a.value_ * b.tangent_[i]; });
  }
  friend constexpr Dual operator/(const Dual& a, const Dual& b) {
    const T inverse = T(1) / b.value_;
    const T y = a.value_ / b.value_;
    return make(y, [&](std::size_t i) { return (a.tangent_[i] - y * b.tangent_[i]) * inverse; });
  }

  template <class U>
  constexpr Dual& operator+=(const U& b) {
    return *this = *this + b;
  }
  template <class U>
  constexpr Dual& operator-=(const U& b) {
    return *this = *this - b;
  }
  template <class U>
  constexpr Dual& operator*=(const U& b) {
    return *this = *this * b;
  }
  template <class U>
  constexpr Dual& operator/=(const U& b) {
    return *this = *this / b;
  }

  friend constexpr bool operator==(const Dual& a, const Dual& b) { return a.value_ == b.value_; }
  friend constexpr bool operator!=(const Dual& a, const Dual& b) { return a.value_ != b.value_; }
  friend constexpr bool operator<(const Dual& a, const Dual& b) { return a.value_ < b.value_; }
  friend constexpr bool operator<=(const Dual& a, const Dual& b) { return a.value_ <= b.value_; }
  friend constexpr bool operator>(const Dual& a, const Dual& b) { return a.value_ > b.value_; }
  friend constexpr bool operator>=(const Dual& a, const Dual& b) { return a.value_ >= b.value_; }

  template <class F>
  static constexpr Dual make(const T& value, F tangent) {
    Dual y(value);
    for (std::size_t i = 0; i < N; ++i) y.tangent_[i] = tangent(i);
    return y;
  }

 private:
  T value_{};
  std::array<T, N> tangent_{};
};

namespace detail {

/// partial · tangent, with nothing times anything being nothing.
template <class T>
inline T carried(const T& partial, const T& tangent) {
  if constexpr (Machine<T>) {
    return tangent == T(0) ? T(0) : partial * tangent;
  } else {
    return partial * tangent;
  }
}

}  // namespace detail

template <class Op, class T, std::size_t N>
inline Dual<T, N> evaluate(const Op& op, const Dual<T, N>& x) {
  const T y = evaluate(op, x.value());
  const T partial = op.partial(x.value(), y);
  return Dual<T, N>::make(y, [&](std::size_t i) { return detail::carried(partial, x.tangent(i)); });
}
template <class Op, class T, std::size_t N>
inline Dual<T, N> evaluate(const Op& op, const Dual<T, N>& a, const Dual<T, N>& b) {
  if constexpr (std::is_same_v<Op, ops::Add>) {
    return a + b;
  } else if constexpr (std::is_same_v<Op, ops::Sub>) {
    return a - b;
  } else if constexpr (std::is_same_v<Op, ops::Mul>) {
    return a * b;
  } else if constexpr (std::is_same_v<Op, ops::Div>) {
    return a / b;
  } else {
    const T y = evaluate(op, a.value(), b.value());
    const T left = op.left(a.value(), b.value(), y);
    const T right = op.right(a.value(), b.value(), y);
    return Dual<T, N>::make(y, [&](std::size_t i) {
      return detail::carried(left, a.tangent(i)) + detail::carried(right, b.tangent(i));
    });
  }
}
template <class T, std::size_t N>
inline Dual<T, N> logsumexp(std::span<const Dual<T, N>> x) {
  const auto parts = ops::LogSumExp{}.parts<T>(x.size(), [&](std::size_t i) { return x[i].value(); });
  Dual<T, N> result(parts.value());
  for (const Dual<T, N>& each : x) {
    const T partial = parts.partial(each.value());
    for (std::size_t i = 0; i < N; ++i) result.tangent(i) += detail::carried(partial, each.tangent(i));
  }
  return result;
}

#define TARE_AD_FUNCTION(Op, name)                            \
  template <class T, std::size_t N>                           \
  [[nodiscard]] inline Dual<T, N> name(const Dual<T, N>& x) { \
    return evaluate(ops::Op{}, x);                            \
  }
TARE_AD_UNARY_OPS(TARE_AD_FUNCTION)
TARE_AD_FUNCTION(Abs, fabs)
#undef TARE_AD_FUNCTION

#define TARE_AD_FUNCTION(Op, name)                                                              \
  template <class T, std::size_t N>                                                             \
  [[nodiscard]] inline Dual<T, N> name(const Dual<T, N>& a, const Dual<T, N>& b) {              \
    return evaluate(ops::Op{}, a, b);                                                           \
  }                                                                                             \
  template <class T, std::size_t N>                                                             \
  [[nodiscard]] inline Dual<T, N> name(const Dual<T, N>& a, const std::type_identity_t<T>& b) { \
    return evaluate(ops::Op{}, a, Dual<T, N>(b));                                               \
  }                                                                                             \
  template <class T, std::size_t N>                                                             \
  [[nodiscard]] inline Dual<T, N> name(const std::type_identity_t<T>& a, const Dual<T, N>& b) { \
    return evaluate(ops::Op{}, Dual<T, N>(a), b);                                               \
  }
TARE_AD_BINARY_OPS(TARE_AD_FUNCTION)
TARE_AD_FUNCTION(Min, fmin)
TARE_AD_FUNCTION(Max, fmax)
#undef TARE_AD_FUNCTION

template <class T, std::size_t N>
[[nodiscard]] inline Dual<T, N> pow(const Dual<T, N>& x, int exponent) {
  return evaluate(ops::PowInt{exponent}, x);
}

#define TARE_AD_PREDICATE(name)                         \
  template <class T, std::size_t N>                     \
  [[nodiscard]] inline bool name(const Dual<T, N>& x) { \
    using std::name;                                    \
    return name(x.value());                             \
  }
TARE_AD_PREDICATE(isnan)
TARE_AD_PREDICATE(isinf)
TARE_AD_PREDICATE(isfinite)
TARE_AD_PREDICATE(signbit)
#undef TARE_AD_PREDICATE

#define TARE_AD_STEP(name)                                    \
  template <class T, std::size_t N>                           \
  [[nodiscard]] inline Dual<T, N> name(const Dual<T, N>& x) { \
    using std::name;                                          \
    return Dual<T, N>(name(x.value()));                       \
  }
TARE_AD_STEP(floor)
TARE_AD_STEP(ceil)
TARE_AD_STEP(round)
TARE_AD_STEP(trunc)
#undef TARE_AD_STEP

}  // namespace tare::ad

template <class T, std::size_t N>
struct std::numeric_limits<tare::ad::Dual<T, N>> : std::numeric_limits<T> {};
