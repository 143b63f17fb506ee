// log |det A| of a dense matrix by elimination with partial pivoting: a cubic loop of products and
// differences. The logarithm keeps the value ordinary at every size. Adjoint: the transposed inverse (Giles
// 2008, "Collected matrix derivative results").
#pragma once

#include <utility>

#include "workloads/workload.hpp"

namespace tare::workloads {

struct Determinant {
  static constexpr std::string_view name = "determinant";
  static constexpr std::array<std::size_t, 2> sizes{4, 20};

  Determinant(std::size_t n, std::uint64_t) : n(n) {}
  std::size_t n;

  [[nodiscard]] std::size_t inputs() const { return n * n; }
  [[nodiscard]] std::size_t scratch() const { return n * n; }
  [[nodiscard]] std::size_t adjoint_scratch() const { return 2 * n * n; }
  [[nodiscard]] std::vector<double> point(std::uint64_t seed) const {
    auto x = Random(seed).uniforms(n * n, -1, 1);
    for (std::size_t i = 0; i < n; ++i) x[i * n + i] += 3;
    return x;
  }
  [[nodiscard]] std::vector<Block> blocks() const { return {{"A", 0, n * n}}; }

  template <class T>
  [[nodiscard]] T value(const T* x, T* a) const {
    using std::log;
    for (std::size_t i = 0; i < n * n; ++i) a[i] = x[i];
    T y = 0.0;
    for (std::size_t k = 0; k < n; ++k) {
      const std::size_t p = pivot(a, k);
      if (p != k) {
        for (std::size_t j = k; j < n; ++j) std::swap(a[k * n + j], a[p * n + j]);
      }
      const T diagonal = a[k * n + k];
      y += 0.5 * log(diagonal * diagonal);
      for (std::size_t i = k + 1; i < n; ++i) {
        T factor = a[i * n + k] / diagonal;
        for (std::size_t j = k + 1; j < n; ++j) a[i * n + j] -= factor * a[k * n + j];
      }
    }
    return y;
  }
  /// Gauss and Jordan: A becomes the identity while the identity becomes A⁻¹.
  double gradient(const double* x, double* g, double* s) const {
    double* const a = s;
    double* const inverse = s + n * n;
    for (std::size_t i = 0; i < n * n; ++i) a[i] = x[i];
    for (std::size_t i = 0; i < n * n; ++i) inverse[i] = i % (n + 1) == 0 ? 1 : 0;
    double y = 0;
    for (std::size_t k = 0; k < n; ++k) {
      const std::size_t p = pivot(a, k);
      if (p != k) {
        for (std::size_t j = 0; j < n; ++j) {
          std::swap(a[k * n + j], a[p * n + j]);
          std::swap(inverse[k * n + j], inverse[p * n + j]);
        }
      }
      y += std::log(std::abs(a[k * n + k]));
      const double over = 1 / a[k * n + k];
      for (std::size_t j = 0; j < n; ++j) {
        a[k * n + j] *= over;
        inverse[k * n + j] *= over;
      }
      for (std::size_t i = 0; i < n; ++i) {
        if (i == k) continue;
        const double factor = a[i * n + k];
        for (std::size_t j = k + 1; j < n; ++j) a[i * n + j] -= factor * a[k * n + j];
        for (std::size_t j = 0; j < n; ++j) inverse[i * n + j] -= factor * inverse[k * n + j];
      }
    }
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) g[i * n + j] = inverse[j * n + i];
    }
    return y;
  }

 private:
  template <class T>
  [[nodiscard]] std::size_t pivot(const T* a, std::size_t k) const {
    std::size_t best = k;
    using std::abs;
    auto largest = abs(Plain<T>::of(a[k * n + k]));
    for (std::size_t i = k + 1; i < n; ++i) {
      const auto here = abs(Plain<T>::of(a[i * n + k]));
      if (here <= largest) continue;
      largest = here;
      best = i;
    }
    return best;
  }
};

}  // namespace tare::workloads
