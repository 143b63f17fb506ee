// A particle among four charges that repel it, moved n steps by the leapfrog method; the value is its squared
// distance from the origin at the end. Inputs: position, velocity and the charges' strengths. A long chain
// with divisions and roots. The steps shorten with n, so the path stays the same.
#pragma once

#include "workloads/workload.hpp"

namespace tare::workloads {

struct Particle {
  static constexpr std::string_view name = "particle";
  static constexpr std::array<std::size_t, 2> sizes{10, 500};
  static constexpr std::size_t charges = 4;

  Particle(std::size_t step_count, std::uint64_t seed) : steps(step_count) {
    Random random(seed);
    for (std::size_t c = 0; c < charges; ++c) {
      const double side = c % 2 == 0 ? 3 : -3;
      const double height = c < 2 ? 3 : -3;
      places.push_back(side + random.uniform(-0.5, 0.5));
      places.push_back(height + random.uniform(-0.5, 0.5));
    }
  }
  std::size_t steps;
  std::vector<double> places;

  [[nodiscard]] std::size_t inputs() const { return 4 + charges; }
  [[nodiscard]] std::size_t scratch() const { return 0; }
  [[nodiscard]] std::size_t adjoint_scratch() const { return 2 * steps; }
  [[nodiscard]] std::vector<double> point(std::uint64_t seed) const {
    Random random(seed);
    auto x = random.uniforms(4, -0.5, 0.5);
    for (std::size_t c = 0; c < charges; ++c) x.push_back(random.uniform(0.5, 1.5));
    return x;
  }
  [[nodiscard]] std::vector<Block> blocks() const {
    return {{"position", 0, 2}, {"velocity", 2, 2}, {"charges", 4, charges}};
  }

  template <class T>
  [[nodiscard]] T value(const T* x, T*) const {
    using std::sqrt;
    const double h = 1.0 / static_cast<double>(steps);
    T p = x[0];
    T q = x[1];
    T u = x[2];
    T v = x[3];
    for (std::size_t step = 0; step < steps; ++step) {
      T a = 0.0;
      T b = 0.0;
      for (std::size_t c = 0; c < charges; ++c) {
        T dx = p - places[2 * c];
        T dy = q - places[2 * c + 1];
        T square = dx * dx + dy * dy;
        T pull = x[4 + c] / (square * sqrt(square));
        a += pull * dx;
        b += pull * dy;
      }
      u += h * a;
      v += h * b;
      p += h * u;
      q += h * v;
    }
    T y = p * p + q * q;
    return y;
  }

  double gradient(const double* x, double* g, double* kept) const {
    const double h = 1.0 / static_cast<double>(steps);
    double p = x[0];
    double q = x[1];
    double u = x[2];
    double v = x[3];
    for (std::size_t step = 0; step < steps; ++step) {
      kept[2 * step] = p;
      kept[2 * step + 1] = q;
      double a = 0;
      double b = 0;
      for (std::size_t c = 0; c < charges; ++c) {
        const double dx = p - places[2 * c];
        const double dy = q - places[2 * c + 1];
        const double square = dx * dx + dy * dy;
        const double pull = x[4 + c] / (square * std::sqrt(square));
        a += pull * dx;
        b += pull * dy;
      }
      u += h * a;
      v += h * b;
      p += h * u;
      q += h * v;
    }
    double to_p = 2 * p;
    double to_q = 2 * q;
    double to_u = 0;
    double to_v = 0;
    for (std::size_t c = 0; c < charges; ++c) g[4 + c] = 0;
    for (std::size_t step = steps; step-- != 0;) {
      to_u += h * to_p;
      to_v += h * to_q;
      const double to_a = h * to_u;
      const double to_b = h * to_v;
      for (std::size_t c = 0; c < charges; ++c) {
        const double dx = kept[2 * step] - places[2 * c];
        const double dy = kept[2 * step + 1] - places[2 * c + 1];
        const double square = dx * dx + dy * dy;
        const double over = 1 / (square * std::sqrt(square));
        const double pull = x[4 + c] * over;
        const double along = to_a * dx + to_b * dy;
        g[4 + c] += along * over;
        const double turn = -3 * pull * along / square;
        to_p += pull * to_a + turn * dx;
        to_q += pull * to_b + turn * dy;
      }
    }
    g[0] = to_p;
    g[1] = to_q;
    g[2] = to_u;
    g[3] = to_v;
    return p * p + q * q;
  }
};

}  // namespace tare::workloads
