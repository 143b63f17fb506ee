// A multi-layer perceptron n–n–10 in scalars: one hidden layer of tanh, the loss logsumexp minus the score of
// the true class, over one example. Inputs are the weights: few operations each, read once.
#pragma once

#include "workloads/expression.hpp"

namespace tare::workloads {

struct Mlp {
  static constexpr std::string_view name = "mlp";
  static constexpr std::array<std::size_t, 2> sizes{8, 64};
  static constexpr std::size_t classes = 10;

  Mlp(std::size_t width, std::uint64_t seed) : n(width), example(Random(seed).uniforms(width, -1, 1)) {}
  std::size_t n;
  std::vector<double> example;

  [[nodiscard]] std::size_t inputs() const { return n * n + n + n * classes + classes; }
  [[nodiscard]] std::size_t scratch() const { return n + classes; }
  [[nodiscard]] std::size_t adjoint_scratch() const { return n + 2 * classes; }
  [[nodiscard]] std::vector<double> point(std::uint64_t seed) const {
    const double reach = 1 / std::sqrt(static_cast<double>(n));
    return Random(seed).uniforms(inputs(), -reach, reach);
  }
  [[nodiscard]] std::vector<Block> blocks() const {
    return {{"first weights", 0, n * n},
            {"first biases", n * n, n},
            {"second weights", n * n + n, n * classes},
            {"second biases", n * n + n + n * classes, classes}};
  }

  template <class T>
  [[nodiscard]] T value(const T* x, T* s) const {
    using std::tanh;
    const T* const bias = x + n * n;
    const T* const second = bias + n;
    const T* const second_bias = second + n * classes;
    T* const hidden = s;
    T* const score = s + n;
    for (std::size_t i = 0; i < n; ++i) {
      T sum = bias[i];
      for (std::size_t j = 0; j < n; ++j) sum += x[i * n + j] * example[j];
      hidden[i] = tanh(sum);
    }
    for (std::size_t i = 0; i < classes; ++i) {
      T sum = second_bias[i];
      for (std::size_t j = 0; j < n; ++j) sum += second[i * n + j] * hidden[j];
      score[i] = sum;
    }
    T y = LogSumExp::of(score, classes) - score[0];
    return y;
  }

  double gradient(const double* x, double* g, double* s) const {
    const double* const bias = x + n * n;
    const double* const second = bias + n;
    const double* const second_bias = second + n * classes;
    double* const to_bias = g + n * n;
    double* const to_second = to_bias + n;
    double* const to_second_bias = to_second + n * classes;
    double* const hidden = s;
    double* const score = s + n;
    for (std::size_t i = 0; i < n; ++i) {
      double sum = bias[i];
      for (std::size_t j = 0; j < n; ++j) sum += x[i * n + j] * example[j];
      hidden[i] = std::tanh(sum);
    }
    for (std::size_t i = 0; i < classes; ++i) {
      double sum = second_bias[i];
      for (std::size_t j = 0; j < n; ++j) sum += second[i * n + j] * hidden[j];
      score[i] = sum;
    }
    const double y = LogSumExp::adjoint(score, to_second_bias, classes) - score[0];
    to_second_bias[0] -= 1;
    for (std::size_t j = 0; j < n; ++j) to_bias[j] = 0;
    for (std::size_t i = 0; i < classes; ++i) {
      const double to = to_second_bias[i];
      for (std::size_t j = 0; j < n; ++j) {
        to_second[i * n + j] = to * hidden[j];
        to_bias[j] += to * second[i * n + j];
      }
    }
    for (std::size_t i = 0; i < n; ++i) {
      to_bias[i] *= 1 - hidden[i] * hidden[i];
      for (std::size_t j = 0; j < n; ++j) g[i * n + j] = to_bias[i] * example[j];
    }
    return y;
  }
};

}  // namespace tare::workloads
