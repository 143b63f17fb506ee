// Finite-difference checks: check_gradients compares a whole gradient and names the worst input; custom()
// makes an op of the caller's functions and, while derivatives are checked, names the op that lies about its
// derivative.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

#include "ad/scalar/derivatives.hpp"
#include "ad/scalar/difference.hpp"

namespace tare::ad {

struct GradientCheck {
  bool agrees = true;
  std::size_t worst_input = 0;
  double worst_error = 0;  ///< |gradient − difference| / (1 + |difference|)
  double gradient = 0;     ///< at the worst input
  double difference = 0;   ///< at the worst input
};

/// f as gradient() takes it, called with active values once and with plain doubles 4·n times.
template <class F>
GradientCheck check_gradients(F&& f, std::span<const double> x, double tolerance = 1e-6) {
  const std::vector<double> g = gradient<double>(f, x);
  std::vector<double> moved(x.begin(), x.end());
  GradientCheck check;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double difference = detail::central_difference(
        [&](double at) {
          moved[i] = at;
          return static_cast<double>(f(std::span<const double>(moved)));
        },
        x[i]);
    moved[i] = x[i];
    double error = std::abs(g[i] - difference) / (1 + std::abs(difference));
    if (std::isnan(error)) error = std::numeric_limits<double>::infinity();
    if (error >= check.worst_error) check = {check.agrees, i, error, g[i], difference};
  }
  check.agrees = check.worst_error <= tolerance;
  return check;
}

/// An op of the caller's on active values: f(x) with derivative df(x). With Checks::derivatives the two are
/// compared.
template <class T, class F, class D>
Real<T> custom(std::string_view op, const Real<T>& x, F&& f, D&& df) {
  const T y = f(x.value());
  Recorder<T>* const recorder = detail::cursor<T>.owner;
  if (recorder == nullptr || !x.active()) return Real<T>(y);
  const T partial = df(x.value());
  if constexpr (Machine<T>) {
    if (recorder->checks().derivatives) {
      detail::check_derivative(
          op, [&](double at) { return static_cast<double>(f(static_cast<T>(at))); }, x.value(), partial,
          std::is_same_v<T, float> ? 1e-2 : 1e-6);
    }
  }
  return recorder->statement(y, std::span(&x, 1), std::span(&partial, 1));
}

}  // namespace tare::ad
