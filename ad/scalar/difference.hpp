// Finite differences to check derivatives by: a five-point central one, good to about 1e-11 of the function's
// scale on smooth functions and useless across a kink or a jump.
#pragma once

#include <algorithm>
#include <cmath>
#include <string_view>

#include "ad/scalar/error.hpp"

namespace tare::ad::detail {

template <class F>
double central_difference(F&& f, double x) {
  const double h = 1e-3 * std::max(1.0, std::abs(x));
  return (8 * (f(x + h) - f(x - h)) - (f(x + 2 * h) - f(x - 2 * h))) / (12 * h);
}

/// Throws DerivativeError when `derivative`, claimed for f at x, is not what differences of f give.
template <class F>
void check_derivative(std::string_view op, F&& f, double x, double derivative, double tolerance) {
  const double difference = central_difference(f, x);
  const double error = std::abs(derivative - difference) / (1 + std::abs(difference));
  if (!(error <= tolerance)) throw_lying(op, x, derivative, difference);
}

}  // namespace tare::ad::detail
