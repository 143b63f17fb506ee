// Derivatives of a function given as a template over its number type:
//   gradient, jacobian, hessian_vector, hessian.
// f is called with a span of inputs and gives one number, or is called with a span of inputs and a span of
// outputs to fill. jacobian picks forward mode when there are no more inputs than outputs and reverse mode
// otherwise, and sweeps several columns or rows at once either way. The overloads that take a recorder reuse
// its memory.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "ad/scalar/dual.hpp"
#include "ad/scalar/recorder.hpp"

namespace tare::ad {

template <class T>
struct Matrix {
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::vector<T> values;  ///< row by row

  Matrix(std::size_t r, std::size_t c) : rows(r), columns(c), values(r * c) {}
  T& operator()(std::size_t i, std::size_t j) { return values[i * columns + j]; }
  const T& operator()(std::size_t i, std::size_t j) const { return values[i * columns + j]; }
};

enum class JacobianMode { automatic, forward, reverse };

/// Columns or rows swept together: two cache lines of doubles.
inline constexpr std::size_t sweep_width = 8;

/// f(x); the gradient goes into g.
template <class T, class F>
T gradient(F&& f, std::span<const T> x, std::span<T> g, Recorder<T>& recorder) {
  if (x.size() != g.size()) detail::throw_size("gradient", x.size(), g.size());
  static thread_local std::vector<Real<T>> variables;
  std::vector<Real<T>> own;
  own.swap(variables);  // f may itself ask for gradients
  own.resize(x.size());
  const auto scope = recorder.record();
  recorder.inputs(x, own);
  const Real<T> y = f(std::span<const Real<T>>(own));
  if (y.active()) {
    recorder.backward(y);
    recorder.gradients(own, g);
  } else {
    std::fill(g.begin(), g.end(), T(0));
  }
  own.swap(variables);
  return y.value();
}
template <class T, class F>
std::vector<T> gradient(F&& f, std::span<const T> x) {
  Recorder<T> recorder;
  std::vector<T> g(x.size());
  gradient<T>(std::forward<F>(f), x, g, recorder);
  return g;
}

namespace detail {

template <class T, class F>
void jacobian_forward(F& f, std::span<const T> x, Matrix<T>& jacobian) {
  using D = Dual<T, sweep_width>;
  std::vector<D> in(x.begin(), x.end());
  std::vector<D> out(jacobian.rows);
  for (std::size_t from = 0; from < x.size(); from += sweep_width) {
    const std::size_t width = std::min(sweep_width, x.size() - from);
    for (std::size_t k = 0; k < width; ++k) in[from + k] = D::variable(x[from + k], k);
    f(std::span<const D>(in), std::span<D>(out));
    for (std::size_t i = 0; i < out.size(); ++i) {
      for (std::size_t k = 0; k < width; ++k) jacobian(i, from + k) = out[i].tangent(k);
    }
    for (std::size_t k = 0; k < width; ++k) in[from + k] = D(x[from + k]);
  }
}

template <class T, class F>
void jacobian_reverse(F& f, std::span<const T> x, Matrix<T>& jacobian) {
  Recorder<T> recorder;
  std::vector<Real<T>> in(x.size());
  std::vector<Real<T>> out(jacobian.rows);
  const auto scope = recorder.record();
  recorder.inputs(x, in);
  f(std::span<const Real<T>>(in), std::span<Real<T>>(out));
  for (std::size_t from = 0; from < out.size(); from += sweep_width) {
    const std::size_t width = std::min(sweep_width, out.size() - from);
    recorder.template backward_lanes<sweep_width>(std::span<const Real<T>>(out).subspan(from, width),
                                                  Retain::yes);
    for (std::size_t j = 0; j < in.size(); ++j) {
      const auto& lanes = recorder.template gradient_lanes<sweep_width>(in[j]);
      for (std::size_t k = 0; k < width; ++k) jacobian(from + k, j) = lanes.lane[k];
    }
  }
}

}  // namespace detail

/// ∂f_i/∂x_j of f(in, out) with the given number of outputs.
template <class T, class F>
Matrix<T> jacobian(F&& f, std::span<const T> x, std::size_t outputs,
                   JacobianMode mode = JacobianMode::automatic) {
  Matrix<T> result(outputs, x.size());
  const bool forward =
      mode == JacobianMode::forward || (mode == JacobianMode::automatic && x.size() <= outputs);
  if (forward) {
    detail::jacobian_forward<T>(f, x, result);
  } else {
    detail::jacobian_reverse<T>(f, x, result);
  }
  return result;
}

/// H·v of f at x, forward over reverse: about the cost of two gradients, whatever the size.
template <class T, class F>
std::vector<T> hessian_vector(F&& f, std::span<const T> x, std::span<const T> v) {
  if (x.size() != v.size()) detail::throw_size("hessian_vector", x.size(), v.size());
  using D = Dual<T, 1>;
  Recorder<D> recorder;
  std::vector<Real<D>> in(x.size());
  const auto scope = recorder.record();
  for (std::size_t i = 0; i < x.size(); ++i) in[i] = recorder.input(D(x[i], {v[i]}));
  const Real<D> y = f(std::span<const Real<D>>(in));
  std::vector<T> product(x.size());
  if (!y.active()) return product;
  recorder.backward(y);
  for (std::size_t i = 0; i < x.size(); ++i) product[i] = recorder.gradient(in[i]).tangent();
  return product;
}

/// The Hessian of f at x, several columns per sweep.
template <class T, class F>
Matrix<T> hessian(F&& f, std::span<const T> x) {
  constexpr std::size_t width = 4;
  using D = Dual<T, width>;
  Recorder<D> recorder;
  Matrix<T> result(x.size(), x.size());
  std::vector<Real<D>> in(x.size());
  for (std::size_t from = 0; from < x.size(); from += width) {
    const std::size_t columns = std::min(width, x.size() - from);
    const auto scope = recorder.record();
    for (std::size_t i = 0; i < x.size(); ++i) {
      const bool seeded = i >= from && i < from + columns;
      in[i] = recorder.input(seeded ? D::variable(x[i], i - from) : D(x[i]));
    }
    const Real<D> y = f(std::span<const Real<D>>(in));
    if (!y.active()) return result;
    recorder.backward(y);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const D g = recorder.gradient(in[i]);
      for (std::size_t k = 0; k < columns; ++k) result(i, from + k) = g.tangent(k);
    }
  }
  return result;
}

}  // namespace tare::ad
