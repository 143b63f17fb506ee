// The smallest ones: one expression, a polynomial chain, Speelpenning's product, a shared subexpression, a
// mix of transcendental functions, and logsumexp.
#pragma once

#include <algorithm>

#include "workloads/workload.hpp"

namespace tare::workloads {

/// x² + sin x: what an engine costs beside almost no work.
struct Expression {
  static constexpr std::string_view name = "expression";
  static constexpr std::array<std::size_t, 1> sizes{1};

  Expression(std::size_t, std::uint64_t) {}
  [[nodiscard]] std::size_t inputs() const { return 1; }
  [[nodiscard]] std::size_t scratch() const { return 0; }
  [[nodiscard]] std::size_t adjoint_scratch() const { return 0; }
  [[nodiscard]] std::vector<double> point(std::uint64_t seed) const { return Random(seed).uniforms(1, 1, 3); }
  [[nodiscard]] std::vector<Block> blocks() const { return {{"x", 0, 1}}; }

  template <class T>
  [[nodiscard]] T value(const T* x, T*) const {
    using std::sin;
    T y = x[0] * x[0] + sin(x[0]);
    return y;
  }
  double gradient(const double* x, double* g, double*) const {
    g[0] = 2 * x[0] + std::cos(x[0]);
    return x[0] * x[0] + std::sin(x[0]);
  }
};

/// Horner's rule: a chain of n dependent steps in one input.
struct Polynomial {
  static constexpr std::string_view name = "polynomial";
  static constexpr std::array<std::size_t, 6> sizes{10, 100, 1000, 10'000, 100'000, 1'000'000};

  Polynomial(std::size_t n, std::uint64_t seed) : coefficients(Random(seed).uniforms(n, -1, 1)) {}
  std::vector<double> coefficients;

  [[nodiscard]] std::size_t inputs() const { return 1; }
  [[nodiscard]] std::size_t scratch() const { return 0; }
  [[nodiscard]] std::size_t adjoint_scratch() const { return 0; }
  [[nodiscard]] std::vector<double> point(std::uint64_t seed) const {
    return {1 + Random(seed).uniform(-1, 1) / static_cast<double>(coefficients.size())};
  }
  [[nodiscard]] std::vector<Block> blocks() const { return {{"x", 0, 1}}; }

  template <class T>
  [[nodiscard]] T value(const T* x, T*) const {
    T y = x[0];
    for (const double c : coefficients) y = y * x[0] + c;
    return y;
  }
  double gradient(const double* x, double* g, double*) const {
    double y = x[0];
    double slope = 1;
    for (const double c : coefficients) {
      slope = slope * x[0] + y;
      y = y * x[0] + c;
    }
    g[0] = slope;
    return y;
  }
};

/// Speelpenning's product of all inputs.
struct Product {
  static constexpr std::string_view name = "product";
  static constexpr std::array<std::size_t, 3> sizes{10, 1000, 100'000};

  Product(std::size_t n, std::uint64_t) : n(n) {}
  std::size_t n;

  [[nodiscard]] std::size_t inputs() const { return n; }
  [[nodiscard]] std::size_t scratch() const { return 0; }
  [[nodiscard]] std::size_t adjoint_scratch() const { return 0; }
  [[nodiscard]] std::vector<double> point(std::uint64_t seed) const {
    const double reach = 1 / static_cast<double>(n);
    return Random(seed).uniforms(n, 1 - reach, 1 + reach);
  }
  [[nodiscard]] std::vector<Block> blocks() const { return {{"x", 0, n}}; }

  template <class T>
  [[nodiscard]] T value(const T* x, T*) const {
    T y = x[0];
    for (std::size_t i = 1; i < n; ++i) y *= x[i];
    return y;
  }
  double gradient(const double* x, double* g, double*) const {
    double before = 1;
    for (std::size_t i = 0; i < n; ++i) {
      g[i] = before;
      before *= x[i];
    }
    double after = 1;
    for (std::size_t i = n; i-- != 0;) {
      g[i] *= after;
      after *= x[i];
    }
    return before;
  }
};

/// Subexpressions used several times: their adjoints gather from many places.
struct Shared {
  static constexpr std::string_view name = "shared";
  static constexpr std::array<std::size_t, 2> sizes{10, 1000};

  Shared(std::size_t n, std::uint64_t) : n(n) {}
  std::size_t n;

  [[nodiscard]] std::size_t inputs() const { return n + 1; }
  [[nodiscard]] std::size_t scratch() const { return 0; }
  [[nodiscard]] std::size_t adjoint_scratch() const { return 0; }
  [[nodiscard]] std::vector<double> point(std::uint64_t seed) const {
    return Random(seed).uniforms(n + 1, 0.5, 1.5);
  }
  [[nodiscard]] std::vector<Block> blocks() const { return {{"x", 0, n + 1}}; }

  template <class T>
  [[nodiscard]] T value(const T* x, T*) const {
    T y = 0.0;
    for (std::size_t i = 0; i < n; ++i) add_term(y, x[i], x[i + 1]);
    return y;
  }
  template <class T>
  static void add_term(T& y, const T& a, const T& b) {
    using std::sin;
    T t = a * b;
    T s = sin(t);
    T q = s * t + t * t;
    y += q * s + q / (1.0 + t * t);
  }
  double gradient(const double* x, double* g, double*) const {
    double y = 0;
    g[0] = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const double t = x[i] * x[i + 1];
      const double s = std::sin(t);
      const double q = s * t + t * t;
      const double over = 1 / (1 + t * t);
      y += q * s + q * over;
      const double to_q = s + over;
      const double to_s = q + to_q * t;
      const double to_t = to_q * (s + 2 * t) - 2 * t * q * over * over + to_s * std::cos(t);
      g[i] += to_t * x[i + 1];
      g[i + 1] = to_t * x[i];
    }
    return y;
  }
};

/// Functions of the mathematical library, each of every input.
struct Transcendental {
  static constexpr std::string_view name = "transcendental";
  static constexpr std::array<std::size_t, 2> sizes{10, 1000};

  Transcendental(std::size_t n, std::uint64_t) : n(n) {}
  std::size_t n;

  [[nodiscard]] std::size_t inputs() const { return n; }
  [[nodiscard]] std::size_t scratch() const { return 0; }
  [[nodiscard]] std::size_t adjoint_scratch() const { return 0; }
  [[nodiscard]] std::vector<double> point(std::uint64_t seed) const {
    return Random(seed).uniforms(n, -1.5, 1.5);
  }
  [[nodiscard]] std::vector<Block> blocks() const { return {{"x", 0, n}}; }

  template <class T>
  [[nodiscard]] T value(const T* x, T*) const {
    T y = 0.0;
    for (std::size_t i = 0; i < n; ++i) add_term(y, x[i]);
    return y;
  }
  template <class T>
  static void add_term(T& y, const T& x) {
    using std::atan, std::cos, std::exp, std::log, std::sin, std::sqrt, std::tanh;
    T r = 1.0 + x * x;
    y += exp(-r) * sin(x) + log(r) * tanh(x) + sqrt(r) * atan(x) * cos(x);
  }
  double gradient(const double* x, double* g, double*) const {
    double y = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const double r = 1 + x[i] * x[i];
      const double e = std::exp(-r);
      const double s = std::sin(x[i]);
      const double c = std::cos(x[i]);
      const double l = std::log(r);
      const double t = std::tanh(x[i]);
      const double root = std::sqrt(r);
      const double a = std::atan(x[i]);
      y += e * s + l * t + root * a * c;
      const double to_r = -e * s + t / r + a * c / (2 * root);
      g[i] = 2 * x[i] * to_r + e * c + l * (1 - t * t) + root * (c / r - a * s);
    }
    return y;
  }
};

/// log Σ exp xᵢ, shifted by the largest.
struct LogSumExp {
  static constexpr std::string_view name = "logsumexp";
  static constexpr std::array<std::size_t, 2> sizes{10, 1000};

  LogSumExp(std::size_t n, std::uint64_t) : n(n) {}
  std::size_t n;

  [[nodiscard]] std::size_t inputs() const { return n; }
  [[nodiscard]] std::size_t scratch() const { return 0; }
  [[nodiscard]] std::size_t adjoint_scratch() const { return 0; }
  [[nodiscard]] std::vector<double> point(std::uint64_t seed) const {
    return Random(seed).uniforms(n, -2, 2);
  }
  [[nodiscard]] std::vector<Block> blocks() const { return {{"x", 0, n}}; }

  template <class T>
  [[nodiscard]] T value(const T* x, T*) const {
    return of(x, n);
  }
  /// For workloads that contain one.
  template <class T>
  [[nodiscard]] static T of(const T* x, std::size_t count) {
    using std::exp, std::log, std::max;
    auto largest = Plain<T>::of(x[0]);
    for (std::size_t i = 1; i < count; ++i) largest = max(largest, Plain<T>::of(x[i]));
    T sum = 0.0;
    for (std::size_t i = 0; i < count; ++i) sum += exp(x[i] - largest);
    T y = log(sum) + largest;
    return y;
  }
  /// The value; weights become the partial derivatives.
  static double adjoint(const double* x, double* weights, std::size_t count) {
    double largest = x[0];
    for (std::size_t i = 1; i < count; ++i) largest = x[i] > largest ? x[i] : largest;
    double sum = 0;
    for (std::size_t i = 0; i < count; ++i) sum += weights[i] = std::exp(x[i] - largest);
    const double over = 1 / sum;
    for (std::size_t i = 0; i < count; ++i) weights[i] *= over;
    return std::log(sum) + largest;
  }
  double gradient(const double* x, double* g, double*) const { return adjoint(x, g, n); }
};

}  // namespace tare::workloads
