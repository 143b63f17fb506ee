// A chain of n joints as in tracking a hand: each joint turns about two axes, the links' ends are compared
// with targets. Rotations multiply along the chain, so every angle moves everything after it.
#pragma once

#include "workloads/workload.hpp"

namespace tare::workloads {

struct Tracking {
  static constexpr std::string_view name = "tracking";
  static constexpr std::array<std::size_t, 2> sizes{5, 100};

  Tracking(std::size_t joints, std::uint64_t seed) : n(joints) {
    targets = Random(seed).uniforms(3 * n, -1, 1);
  }
  std::size_t n;
  std::vector<double> targets;

  [[nodiscard]] std::size_t inputs() const { return 3 * n; }
  [[nodiscard]] std::size_t scratch() const { return 0; }
  [[nodiscard]] std::size_t adjoint_scratch() const { return n * 16; }
  [[nodiscard]] std::vector<double> point(std::uint64_t seed) const {
    Random random(seed);
    const double reach = 1 / static_cast<double>(n);
    auto x = random.uniforms(2 * n, -2 * reach, 2 * reach);
    for (std::size_t i = 0; i < n; ++i) x.push_back(random.uniform(0.5, 1.5) * reach);
    return x;
  }
  [[nodiscard]] std::vector<Block> blocks() const {
    return {{"bend", 0, n}, {"twist", n, n}, {"length", 2 * n, n}};
  }

  template <class T>
  [[nodiscard]] T value(const T* x, T*) const {
    using std::cos, std::sin;
    T r[9];  // columns are the link's axes
    T p[3];
    for (int i = 0; i < 9; ++i) r[i] = i % 4 == 0 ? 1.0 : 0.0;
    for (T& coordinate : p) coordinate = 0.0;
    T y = 0.0;
    for (std::size_t i = 0; i < n; ++i) {
      T c = cos(x[i]);
      T s = sin(x[i]);
      T d = cos(x[n + i]);
      T e = sin(x[n + i]);
      for (int row = 0; row < 3; ++row) {
        T* const a = r + 3 * row;
        T first = a[0] * c + a[1] * s;
        T second = a[1] * c - a[0] * s;
        T third = a[2];
        a[0] = first;
        a[1] = second * d + third * e;
        a[2] = third * d - second * e;
        p[row] += a[0] * x[2 * n + i];
        T off = p[row] - targets[3 * i + static_cast<std::size_t>(row)];
        y += off * off;
      }
    }
    return y;
  }

  double gradient(const double* x, double* g, double* kept) const {
    double r[9];
    double p[3] = {0, 0, 0};
    for (int i = 0; i < 9; ++i) r[i] = i % 4 == 0 ? 1.0 : 0.0;
    double y = 0;
    for (std::size_t i = 0; i < n; ++i) {
      double* const k = kept + 16 * i;  // axes before, sines and cosines, errors
      for (int j = 0; j < 9; ++j) k[j] = r[j];
      const double c = k[9] = std::cos(x[i]);
      const double s = k[10] = std::sin(x[i]);
      const double d = k[11] = std::cos(x[n + i]);
      const double e = k[12] = std::sin(x[n + i]);
      for (std::size_t row = 0; row < 3; ++row) {
        double* const a = r + 3 * row;
        const double first = a[0] * c + a[1] * s;
        const double second = a[1] * c - a[0] * s;
        const double third = a[2];
        a[0] = first;
        a[1] = second * d + third * e;
        a[2] = third * d - second * e;
        p[row] += a[0] * x[2 * n + i];
        k[13 + row] = p[row] - targets[3 * i + row];
        y += k[13 + row] * k[13 + row];
      }
    }
    double to_r[9] = {};
    double to_p[3] = {0, 0, 0};
    for (std::size_t i = n; i-- != 0;) {
      const double* const k = kept + 16 * i;
      const double c = k[9];
      const double s = k[10];
      const double d = k[11];
      const double e = k[12];
      double bend = 0;
      double twist = 0;
      double length = 0;
      for (std::size_t row = 0; row < 3; ++row) {
        const double* const a = k + 3 * row;
        double* const to = to_r + 3 * row;
        to_p[row] += 2 * k[13 + row];
        const double first = a[0] * c + a[1] * s;
        const double second = a[1] * c - a[0] * s;
        const double third = a[2];
        length += to_p[row] * first;
        const double to_first = to[0] + to_p[row] * x[2 * n + i];
        const double to_second = to[1] * d - to[2] * e;
        const double to_third = to[1] * e + to[2] * d;
        twist += to[1] * (third * d - second * e) - to[2] * (third * e + second * d);
        bend += to_first * (a[1] * c - a[0] * s) - to_second * (a[1] * s + a[0] * c);
        to[0] = to_first * c - to_second * s;
        to[1] = to_first * s + to_second * c;
        to[2] = to_third;
      }
      g[i] = bend;
      g[n + i] = twist;
      g[2 * n + i] = length;
    }
    return y;
  }
};

}  // namespace tare::workloads
