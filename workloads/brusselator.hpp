// The Brusselator on an n × n grid with periodic edges: half the sum of squared rates of both substances at
// every cell. A five-point stencil: each input is read by five cells, each cell is little work.
#pragma once

#include "workloads/workload.hpp"

namespace tare::workloads {

struct Brusselator {
  static constexpr std::string_view name = "brusselator";
  static constexpr std::array<std::size_t, 2> sizes{8, 32};
  static constexpr double a = 1.0;
  static constexpr double b = 3.4;
  static constexpr double diffusion = 0.1;

  Brusselator(std::size_t side, std::uint64_t) : n(side) {}
  std::size_t n;

  [[nodiscard]] std::size_t inputs() const { return 2 * n * n; }
  [[nodiscard]] std::size_t scratch() const { return 0; }
  [[nodiscard]] std::size_t adjoint_scratch() const { return 2 * n * n; }
  [[nodiscard]] std::vector<double> point(std::uint64_t seed) const {
    return Random(seed).uniforms(2 * n * n, 0.5, 1.5);
  }
  [[nodiscard]] std::vector<Block> blocks() const { return {{"u", 0, n * n}, {"v", n * n, n * n}}; }

  template <class T>
  [[nodiscard]] T value(const T* x, T*) const {
    T y = 0.0;
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) add_term(y, x, x + n * n, cell(i, j));
    }
    return y;
  }
  struct Cell {
    std::size_t here, up, down, left, right;
  };
  [[nodiscard]] Cell cell(std::size_t i, std::size_t j) const {
    const std::size_t above = i == 0 ? n - 1 : i - 1;
    const std::size_t below = i + 1 == n ? 0 : i + 1;
    const std::size_t before = j == 0 ? n - 1 : j - 1;
    const std::size_t after = j + 1 == n ? 0 : j + 1;
    return {i * n + j, above * n + j, below * n + j, i * n + before, i * n + after};
  }
  template <class T>
  static void add_term(T& y, const T* u, const T* v, const Cell& c) {
    T product = u[c.here] * u[c.here] * v[c.here];
    T first = a + product - (b + 1.0) * u[c.here] +
              diffusion * (u[c.up] + u[c.down] + u[c.left] + u[c.right] - 4.0 * u[c.here]);
    T second = b * u[c.here] - product +
               diffusion * (v[c.up] + v[c.down] + v[c.left] + v[c.right] - 4.0 * v[c.here]);
    y += 0.5 * (first * first + second * second);
  }

  double gradient(const double* x, double* g, double* rates) const {
    const double* const u = x;
    const double* const v = x + n * n;
    double* const first = rates;
    double* const second = rates + n * n;
    double y = 0;
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        const Cell c = cell(i, j);
        const double product = u[c.here] * u[c.here] * v[c.here];
        first[c.here] = a + product - (b + 1) * u[c.here] +
                        diffusion * (u[c.up] + u[c.down] + u[c.left] + u[c.right] - 4 * u[c.here]);
        second[c.here] = b * u[c.here] - product +
                         diffusion * (v[c.up] + v[c.down] + v[c.left] + v[c.right] - 4 * v[c.here]);
        y += 0.5 * (first[c.here] * first[c.here] + second[c.here] * second[c.here]);
      }
    }
    // The stencil is symmetric: gathering spares the scattered writes.
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        const Cell c = cell(i, j);
        const double r = first[c.here];
        const double s = second[c.here];
        const double uv = 2 * u[c.here] * v[c.here];
        g[c.here] = r * (uv - (b + 1) - 4 * diffusion) + s * (b - uv) +
                    diffusion * (first[c.up] + first[c.down] + first[c.left] + first[c.right]);
        g[n * n + c.here] = (r - s) * u[c.here] * u[c.here] - 4 * diffusion * s +
                            diffusion * (second[c.up] + second[c.down] + second[c.left] + second[c.right]);
      }
    }
    return y;
  }
};

}  // namespace tare::workloads
