// The loss of a long short-term memory over a sequence of n characters, as in ADBench: gates act element by
// element (weights are diagonal), two layers of 14 cells, the prediction judged by logsumexp. Inputs: per
// layer four weights and four biases a cell, then a scale in, a scale out and a bias out. The chain through
// the cells' states is as long as the sequence.
#pragma once

#include "workloads/expression.hpp"

namespace tare::workloads {

struct Lstm {
  static constexpr std::string_view name = "lstm";
  static constexpr std::array<std::size_t, 2> sizes{10, 200};
  static constexpr std::size_t layers = 2;
  static constexpr std::size_t width = 14;
  static constexpr std::size_t gates = 4;  ///< forget, in, out, change

  Lstm(std::size_t characters, std::uint64_t seed) : n(characters) {
    sequence = Random(seed).uniforms((n + 1) * width, -1, 1);
  }
  std::size_t n;
  std::vector<double> sequence;

  [[nodiscard]] std::size_t inputs() const { return layers * 2 * gates * width + 3 * width; }
  [[nodiscard]] std::size_t scratch() const { return 2 * layers * width + 2 * width; }
  [[nodiscard]] std::size_t adjoint_scratch() const {
    return n * layers * width * 8 + n * width * 3 + 3 * layers * width + width;
  }
  [[nodiscard]] std::vector<double> point(std::uint64_t seed) const {
    return Random(seed).uniforms(inputs(), 0.2, 1);
  }
  [[nodiscard]] std::vector<Block> blocks() const {
    const std::size_t cells = layers * 2 * gates * width;
    return {{"weights", 0, cells / 2}, {"biases", cells / 2, cells / 2}, {"extra", cells, 3 * width}};
  }

  template <class T>
  [[nodiscard]] T value(const T* x, T* s) const {
    using std::exp, std::tanh;
    const T* const extra = x + layers * 2 * gates * width;
    T* const hidden = s;
    T* const cell = hidden + layers * width;
    T* const in = cell + layers * width;
    T* const out = in + width;
    for (std::size_t i = 0; i < 2 * layers * width; ++i) s[i] = 0.0;
    T y = 0.0;
    for (std::size_t t = 0; t < n; ++t) {
      for (std::size_t j = 0; j < width; ++j) in[j] = extra[j] * sequence[t * width + j];
      for (std::size_t layer = 0; layer < layers; ++layer) {
        const T* const w = x + layer * gates * width;
        const T* const b = w + layers * gates * width;
        for (std::size_t j = 0; j < width; ++j) {
          const std::size_t k = layer * width + j;
          T forget = sigmoid<T>(in[j] * w[j] + b[j]);
          T enter = sigmoid<T>(hidden[k] * w[width + j] + b[width + j]);
          T leave = sigmoid<T>(in[j] * w[2 * width + j] + b[2 * width + j]);
          T change = tanh(hidden[k] * w[3 * width + j] + b[3 * width + j]);
          cell[k] = cell[k] * forget + enter * change;
          hidden[k] = leave * tanh(cell[k]);
          in[j] = hidden[k];
        }
      }
      for (std::size_t j = 0; j < width; ++j) out[j] = in[j] * extra[width + j] + extra[2 * width + j];
      T sum = LogSumExp::of(out, width);
      for (std::size_t j = 0; j < width; ++j) y += sequence[(t + 1) * width + j] * (out[j] - sum);
    }
    y *= -1.0 / static_cast<double>(n * width);
    return y;
  }

  double gradient(const double* x, double* g, double* s) const {
    constexpr std::size_t all = layers * width;
    const double* const extra = x + 2 * gates * all;
    double* const to_extra = g + 2 * gates * all;
    double* const kept = s;  // per step and cell: in, hidden before, forget, enter, leave, change, cell
                             // before, tanh of the cell after
    double* const last = kept + n * all * 8;
    double* const out = last + n * width;
    double* const weight = out + n * width;
    double* const hidden = weight + n * width;
    double* const cell = hidden + all;
    double* const in = cell + all;
    const double factor = -1.0 / static_cast<double>(n * width);
    for (std::size_t i = 0; i < inputs(); ++i) g[i] = 0;
    for (std::size_t i = 0; i < all; ++i) hidden[i] = cell[i] = 0;
    double y = 0;
    for (std::size_t t = 0; t < n; ++t) {
      for (std::size_t j = 0; j < width; ++j) in[j] = extra[j] * sequence[t * width + j];
      for (std::size_t layer = 0; layer < layers; ++layer) {
        const double* const w = x + layer * gates * width;
        const double* const b = w + gates * all;
        for (std::size_t j = 0; j < width; ++j) {
          const std::size_t k = layer * width + j;
          double* const v = kept + (t * all + k) * 8;
          v[0] = in[j];
          v[1] = hidden[k];
          v[2] = sigmoid(in[j] * w[j] + b[j]);
          v[3] = sigmoid(hidden[k] * w[width + j] + b[width + j]);
          v[4] = sigmoid(in[j] * w[2 * width + j] + b[2 * width + j]);
          v[5] = std::tanh(hidden[k] * w[3 * width + j] + b[3 * width + j]);
          v[6] = cell[k];
          cell[k] = v[6] * v[2] + v[3] * v[5];
          v[7] = std::tanh(cell[k]);
          in[j] = hidden[k] = v[4] * v[7];
        }
      }
      const double* const target = sequence.data() + (t + 1) * width;
      double* const o = out + t * width;
      double total = 0;
      for (std::size_t j = 0; j < width; ++j) {
        last[t * width + j] = in[j];
        o[j] = in[j] * extra[width + j] + extra[2 * width + j];
        y += target[j] * o[j];
        total += target[j];
      }
      double* const soft = weight + t * width;
      y -= total * LogSumExp::adjoint(o, soft, width);
      for (std::size_t j = 0; j < width; ++j) soft[j] = factor * (target[j] - total * soft[j]);
    }

    double* const to_hidden = hidden;
    double* const to_cell = cell;
    double* const to_in = in;
    for (std::size_t i = 0; i < all; ++i) to_hidden[i] = to_cell[i] = 0;
    for (std::size_t t = n; t-- != 0;) {
      for (std::size_t j = 0; j < width; ++j) {
        const double to_out = weight[t * width + j];
        to_extra[width + j] += to_out * last[t * width + j];
        to_extra[2 * width + j] += to_out;
        to_in[j] = to_out * extra[width + j];
      }
      for (std::size_t layer = layers; layer-- != 0;) {
        const double* const w = x + layer * gates * width;
        double* const to_w = g + layer * gates * width;
        double* const to_b = to_w + gates * all;
        for (std::size_t j = 0; j < width; ++j) {
          const std::size_t k = layer * width + j;
          const double* const v = kept + (t * all + k) * 8;
          const double to_h = to_hidden[k] + to_in[j];
          const double to_c = to_cell[k] + to_h * v[4] * (1 - v[7] * v[7]);
          const double to_forget = to_c * v[6] * v[2] * (1 - v[2]);
          const double to_enter = to_c * v[5] * v[3] * (1 - v[3]);
          const double to_leave = to_h * v[7] * v[4] * (1 - v[4]);
          const double to_change = to_c * v[3] * (1 - v[5] * v[5]);
          to_cell[k] = to_c * v[2];
          to_hidden[k] = to_enter * w[width + j] + to_change * w[3 * width + j];
          to_in[j] = to_forget * w[j] + to_leave * w[2 * width + j];
          to_w[j] += to_forget * v[0];
          to_w[width + j] += to_enter * v[1];
          to_w[2 * width + j] += to_leave * v[0];
          to_w[3 * width + j] += to_change * v[1];
          to_b[j] += to_forget;
          to_b[width + j] += to_enter;
          to_b[2 * width + j] += to_leave;
          to_b[3 * width + j] += to_change;
        }
      }
      for (std::size_t j = 0; j < width; ++j) to_extra[j] += to_in[j] * sequence[t * width + j];
    }
    return factor * y;
  }

 private:
  template <class T>
  static T sigmoid(const T& x) {
    using std::exp;
    T y = 1.0 / (1.0 + exp(-x));
    return y;
  }
};

}  // namespace tare::workloads
