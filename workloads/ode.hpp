// An initial value problem integrated by the classical Runge–Kutta method over n steps, as in GradBench:
// y₀' = x₀, yᵢ' = xᵢ·yᵢ₋₁ on [0, 2]; the value is the last component at the end. Its exact solution is a
// product, y = Πᵢ 2xᵢ/(i+1), from which the method differs by its truncation error when there are five or
// more components.
#pragma once

#include "workloads/workload.hpp"

namespace tare::workloads {

struct Ode {
  static constexpr std::string_view name = "ode";
  static constexpr std::array<std::size_t, 2> sizes{10, 200};

  Ode(std::size_t step_count, std::uint64_t) : steps(step_count) {}
  static Ode with(std::size_t components, std::size_t step_count) {
    Ode ode(step_count, 0);
    ode.dimensions = components;
    return ode;
  }
  std::size_t dimensions = 8;
  std::size_t steps;

  [[nodiscard]] std::size_t inputs() const { return dimensions; }
  [[nodiscard]] std::size_t scratch() const { return 6 * dimensions; }
  [[nodiscard]] std::size_t adjoint_scratch() const { return (4 * steps + 6) * dimensions; }
  [[nodiscard]] std::vector<double> point(std::uint64_t seed) const {
    return Random(seed).uniforms(dimensions, 1, 3);
  }
  [[nodiscard]] std::vector<Block> blocks() const { return {{"x", 0, dimensions}}; }

  template <class T>
  [[nodiscard]] T value(const T* x, T* s) const {
    integrate(x, s);
    return s[dimensions - 1];
  }
  /// Leaves the final state in the first `dimensions` places of the scratch.
  template <class T>
  void integrate(const T* x, T* s) const {
    const double h = 2.0 / static_cast<double>(steps);
    const std::size_t m = dimensions;
    T* const y = s;
    T* const at = s + m;
    T* const k1 = s + 2 * m;
    T* const k2 = s + 3 * m;
    T* const k3 = s + 4 * m;
    T* const k4 = s + 5 * m;
    for (std::size_t i = 0; i < m; ++i) y[i] = 0.0;
    for (std::size_t step = 0; step < steps; ++step) {
      slope(x, y, k1);
      for (std::size_t i = 0; i < m; ++i) at[i] = y[i] + (0.5 * h) * k1[i];
      slope(x, at, k2);
      for (std::size_t i = 0; i < m; ++i) at[i] = y[i] + (0.5 * h) * k2[i];
      slope(x, at, k3);
      for (std::size_t i = 0; i < m; ++i) at[i] = y[i] + h * k3[i];
      slope(x, at, k4);
      for (std::size_t i = 0; i < m; ++i) y[i] += (h / 6) * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]);
    }
  }

  double gradient(const double* x, double* g, double* s) const {
    const double h = 2.0 / static_cast<double>(steps);
    const std::size_t m = dimensions;
    double* const kept = s;  // per step the four states at which the slope was taken
    double* const y = s + 4 * steps * m;
    double* const k = y + m;  // four slopes
    double* const to = k + 4 * m;
    for (std::size_t i = 0; i < m; ++i) y[i] = 0;
    for (std::size_t step = 0; step < steps; ++step) {
      double* const at = kept + 4 * step * m;
      const double reach[] = {0, 0.5 * h, 0.5 * h, h};
      for (std::size_t i = 0; i < m; ++i) at[i] = y[i];
      slope(x, at, k);
      for (std::size_t stage = 1; stage < 4; ++stage) {
        for (std::size_t i = 0; i < m; ++i) at[stage * m + i] = y[i] + reach[stage] * k[(stage - 1) * m + i];
        slope(x, at + stage * m, k + stage * m);
      }
      for (std::size_t i = 0; i < m; ++i)
        y[i] += (h / 6) * (k[i] + 2 * k[m + i] + 2 * k[2 * m + i] + k[3 * m + i]);
    }
    const double result = y[m - 1];

    for (std::size_t i = 0; i < m; ++i) g[i] = 0;
    double* const to_y = y;
    double* const to_k = k;
    for (std::size_t i = 0; i < m; ++i) to_y[i] = i + 1 == m ? 1 : 0;
    for (std::size_t step = steps; step-- != 0;) {
      const double* const at = kept + 4 * step * m;
      const double share[] = {h / 6, h / 3, h / 3, h / 6};
      const double reach[] = {0, 0.5 * h, 0.5 * h, h};
      for (std::size_t stage = 0; stage < 4; ++stage) {
        for (std::size_t i = 0; i < m; ++i) to_k[stage * m + i] = share[stage] * to_y[i];
      }
      for (std::size_t stage = 4; stage-- != 0;) {
        const double* const z = at + stage * m;
        const double* const to_slope = to_k + stage * m;
        g[0] += to_slope[0];
        for (std::size_t i = 1; i < m; ++i) {
          g[i] += to_slope[i] * z[i - 1];
          to[i - 1] = to_slope[i] * x[i];
        }
        to[m - 1] = 0;
        for (std::size_t i = 0; i < m; ++i) to_y[i] += to[i];
        if (stage == 0) continue;
        for (std::size_t i = 0; i < m; ++i) to_k[(stage - 1) * m + i] += reach[stage] * to[i];
      }
    }
    return result;
  }

 private:
  template <class T>
  void slope(const T* x, const T* y, T* z) const {
    z[0] = x[0];
    for (std::size_t i = 1; i < dimensions; ++i) z[i] = x[i] * y[i - 1];
  }
};

}  // namespace tare::workloads
