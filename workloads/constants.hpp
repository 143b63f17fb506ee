// The same arithmetic twice: `constants` does nine tenths of it on numbers that need no derivative, in
// `variables` the same numbers are inputs. An engine that filters records a tenth in the first.
#pragma once

#include "workloads/workload.hpp"

namespace tare::workloads {

namespace detail {

/// Seven operations that keep numbers of about one near one.
template <class T>
T chew(const T& a, const T& b) {
  T u = a * b;
  T v = u + a;
  T w = v * u;
  T r = w - b;
  T y = 0.1 * (r * r) + 0.6;
  return y;
}

/// Adds the derivatives of seed · chew(a, b).
inline void chew_adjoint(double a, double b, double seed, double& to_a, double& to_b) {
  const double u = a * b;
  const double v = u + a;
  const double r = v * u - b;
  const double to_w = 0.2 * r * seed;
  const double to_v = to_w * u;
  const double to_u = to_w * v + to_v;
  to_a += to_u * b + to_v;
  to_b += to_u * a - to_w;
}

template <class T>
T chew_thrice(const T& a, const T& b) {
  T p = chew(a, b);
  T q = chew(p, a);
  T r = chew(q, b);
  return r;
}

}  // namespace detail

struct Constants {
  static constexpr std::string_view name = "constants";
  static constexpr std::array<std::size_t, 1> sizes{1000};

  Constants(std::size_t n, std::uint64_t seed) : n(n) {
    Random random(seed);
    a = random.uniforms(n, 0.5, 1.2);
    b = random.uniforms(n, 0.5, 1.2);
  }
  std::size_t n;
  std::vector<double> a;
  std::vector<double> b;

  [[nodiscard]] std::size_t inputs() const { return n; }
  [[nodiscard]] std::size_t scratch() const { return 0; }
  [[nodiscard]] std::size_t adjoint_scratch() const { return 0; }
  [[nodiscard]] std::vector<double> point(std::uint64_t seed) const {
    return Random(seed).uniforms(n, 0.5, 1.2);
  }
  [[nodiscard]] std::vector<Block> blocks() const { return {{"x", 0, n}}; }

  template <class T>
  [[nodiscard]] T value(const T* x, T*) const {
    T y = 0.0;
    for (std::size_t i = 0; i < n; ++i) {
      T k = detail::chew_thrice(T(a[i]), T(b[i]));
      y += k * x[i];
    }
    return y;
  }
  double gradient(const double* x, double* g, double*) const {
    double y = 0;
    for (std::size_t i = 0; i < n; ++i) {
      g[i] = detail::chew_thrice(a[i], b[i]);
      y += g[i] * x[i];
    }
    return y;
  }
};

struct Variables {
  static constexpr std::string_view name = "variables";
  static constexpr std::array<std::size_t, 1> sizes{1000};

  Variables(std::size_t n, std::uint64_t) : n(n) {}
  std::size_t n;

  [[nodiscard]] std::size_t inputs() const { return 3 * n; }
  [[nodiscard]] std::size_t scratch() const { return 0; }
  [[nodiscard]] std::size_t adjoint_scratch() const { return 0; }
  [[nodiscard]] std::vector<double> point(std::uint64_t seed) const {
    return Random(seed).uniforms(3 * n, 0.5, 1.2);
  }
  [[nodiscard]] std::vector<Block> blocks() const { return {{"x", 0, n}, {"a", n, n}, {"b", 2 * n, n}}; }

  template <class T>
  [[nodiscard]] T value(const T* x, T*) const {
    T y = 0.0;
    for (std::size_t i = 0; i < n; ++i) add_term(y, x[i], x[n + i], x[2 * n + i]);
    return y;
  }
  template <class T>
  static void add_term(T& y, const T& x, const T& a, const T& b) {
    T k = detail::chew_thrice(a, b);
    y += k * x;
  }
  double gradient(const double* x, double* g, double*) const {
    double y = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const double a = x[n + i];
      const double b = x[2 * n + i];
      const double p = detail::chew(a, b);
      const double q = detail::chew(p, a);
      g[i] = detail::chew(q, b);
      y += g[i] * x[i];
      double to_a = 0;
      double to_b = 0;
      double to_p = 0;
      double to_q = 0;
      detail::chew_adjoint(q, b, x[i], to_q, to_b);
      detail::chew_adjoint(p, a, to_q, to_p, to_a);
      detail::chew_adjoint(a, b, to_p, to_a, to_b);
      g[n + i] = to_a;
      g[2 * n + i] = to_b;
    }
    return y;
  }
};

}  // namespace tare::workloads
