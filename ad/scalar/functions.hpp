// Functions of active values that are more than one op: reductions over many values, ops of the caller's,
// values through which no derivative passes. They record on this thread's recorder and are plain arithmetic
// without one.
#pragma once

#include <span>
#include <vector>

#include "ad/scalar/recorder.hpp"

namespace tare::ad {

/// A value with derivatives the caller knows: y = value, ∂y/∂arguments[i] = partials[i].
template <class T>
Real<T> custom(const T& value, std::span<const Real<std::type_identity_t<T>>> arguments,
               std::span<const std::type_identity_t<T>> partials) {
  Recorder<T>* const recorder = detail::cursor<T>.owner;
  return recorder != nullptr ? recorder->statement(value, arguments, partials) : Real<T>(value);
}

/// log Σ exp(xᵢ) as one statement.
template <class T>
Real<T> logsumexp(std::span<const Real<T>> x) {
  const auto parts = ops::LogSumExp{}.parts<T>(x.size(), [&](std::size_t i) { return x[i].value(); });
  Recorder<T>* const recorder = detail::cursor<T>.owner;
  if (recorder == nullptr) return Real<T>(parts.value());
  return recorder->statement_of(parts.value(), x, [&](std::size_t i) { return parts.partial(x[i].value()); });
}

/// Σ aᵢ·bᵢ as one statement; b may be active or plain numbers.
template <class T>
Real<T> dot(std::span<const Real<T>> a, std::span<const std::type_identity_t<T>> b) {
  if (a.size() != b.size()) detail::throw_size("dot", a.size(), b.size());
  T y(0);
  for (std::size_t i = 0; i < a.size(); ++i) y = y + a[i].value() * b[i];
  Recorder<T>* const recorder = detail::cursor<T>.owner;
  if (recorder == nullptr) return Real<T>(y);
  return recorder->statement_of(y, a, [&](std::size_t i) { return b[i]; });
}

/// The value, through which no derivative passes.
template <detail::Active A>
[[nodiscard]] Real<detail::NumberOf<A>> stop_gradient(const A& a) {
  return Real<detail::NumberOf<A>>(value_of(a));
}

/// round(x), with the derivative of x itself.
template <class T>
[[nodiscard]] Real<T> straight_through_round(const Real<T>& x) {
  using std::round;
  return Real<T>::of(round(x.value()), x.id());
}

}  // namespace tare::ad

template <class T>
struct std::numeric_limits<tare::ad::Real<T>> : std::numeric_limits<T> {};
