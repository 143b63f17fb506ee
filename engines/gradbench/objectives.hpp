// Objectives of GradBench that are not workloads of the suite, over any number type.
#pragma once

#include <utility>

#include "workloads/workload.hpp"

namespace tare::gradbench {

struct Square {
  [[nodiscard]] std::size_t scratch() const { return 0; }
  template <class T>
  [[nodiscard]] T value(const T* x, T*) const {
    T y = x[0] * x[0];
    return y;
  }
};

/// The determinant by elimination with partial pivoting: the minors that GradBench expands have the same
/// value.
struct Det {
  std::size_t n;

  [[nodiscard]] std::size_t scratch() const { return n * n; }
  template <class T>
  [[nodiscard]] T value(const T* x, T* a) const {
    for (std::size_t i = 0; i < n * n; ++i) a[i] = x[i];
    T y = 1.0;
    for (std::size_t k = 0; k < n; ++k) {
      std::size_t pivot = k;
      for (std::size_t i = k + 1; i < n; ++i) {
        if (size(a[i * n + k]) > size(a[pivot * n + k])) pivot = i;
      }
      if (pivot != k) {
        for (std::size_t j = k; j < n; ++j) std::swap(a[k * n + j], a[pivot * n + j]);
        y = -y;
      }
      y *= a[k * n + k];
      for (std::size_t i = k + 1; i < n; ++i) {
        T factor = a[i * n + k] / a[k * n + k];
        for (std::size_t j = k + 1; j < n; ++j) a[i * n + j] -= factor * a[k * n + j];
      }
    }
    return y;
  }

 private:
  template <class T>
  static double size(const T& x) {
    return std::abs(workloads::Plain<T>::of(x));
  }
};

/// A polynomial of m coefficients fitted to the sign function at n points of [−1, 1].
struct LeastSquares {
  std::size_t n;
  std::size_t m;

  [[nodiscard]] std::size_t scratch() const { return 0; }
  template <class T>
  [[nodiscard]] T value(const T* x, T*) const {
    T sum = 0.0;
    for (std::size_t i = 0; i < n; ++i) {
      const double t = -1 + static_cast<double>(i) * 2 / static_cast<double>(n - 1);
      T off = t > 0 ? 1.0 : (t < 0 ? -1.0 : 0.0);
      double power = 1;
      for (std::size_t j = 0; j < m; ++j) {
        off -= x[j] * power;
        power *= t;
      }
      sum += off * off;
    }
    T y = 0.5 * sum;
    return y;
  }
};

}  // namespace tare::gradbench
