// Samples with a known truth, for the tests of this folder and of compare.
#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "bench/analyse/random.hpp"

namespace tare::simulated {

enum class Law { normal, log_normal, exponential, bimodal, ar1 };
inline constexpr Law laws[] = {Law::normal, Law::log_normal, Law::exponential, Law::bimodal, Law::ar1};

inline const char* name_of(Law law) {
  constexpr const char* names[] = {"normal", "log-normal", "exponential", "bimodal", "AR(1)"};
  return names[static_cast<int>(law)];
}

inline double normal(Random& random) {
  // Box and Muller's first value; the second is thrown away to keep the generator without state.
  return std::sqrt(-2 * std::log(1 - random.uniform())) * std::cos(2 * std::numbers::pi * random.uniform());
}

inline std::vector<double> normal_series(Random& random, std::size_t n, double centre = 0, double sigma = 1) {
  std::vector<double> values(n);
  for (auto& v : values) v = centre + sigma * normal(random);
  return values;
}

/// Stationary, with unit variance.
inline std::vector<double> ar1_series(Random& random, std::size_t n, double phi) {
  std::vector<double> values(n);
  double state = normal(random);
  for (auto& v : values) {
    v = state;
    state = phi * state + std::sqrt(1 - phi * phi) * normal(random);
  }
  return values;
}

/// Log-normal has σ = 1, bimodal is two equal normal clusters 6σ apart, AR(1) has φ = 0.6.
inline std::vector<double> draw(Law law, Random& random, std::size_t n) {
  if (law == Law::ar1) return ar1_series(random, n, 0.6);
  auto values = normal_series(random, n);
  for (auto& v : values) {
    if (law == Law::log_normal) v = std::exp(v);
    if (law == Law::exponential) v = -std::log(1 - random.uniform());
    if (law == Law::bimodal) v += random.uniform() < 0.5 ? -3 : 3;
  }
  return values;
}

inline double true_mean(Law law) {
  if (law == Law::log_normal) return std::exp(0.5);
  return law == Law::exponential ? 1 : 0;
}

inline double true_median(Law law) {
  if (law == Law::log_normal) return 1;
  return law == Law::exponential ? std::numbers::ln2 : 0;
}

/// Noise around 100 with a spread of `sigma`, as timings have it.
enum class Noise { normal, log_normal, ar1, spikes };
inline constexpr Noise noises[] = {Noise::normal, Noise::log_normal, Noise::ar1, Noise::spikes};

inline std::vector<double> noise(Noise kind, Random& random, std::size_t n, double sigma) {
  auto values = kind == Noise::ar1 ? ar1_series(random, n, 0.6) : normal_series(random, n);
  for (auto& v : values) {
    // Skewed, with variance 1 after the scaling.
    if (kind == Noise::log_normal) v = (std::exp(0.5 * v) - std::exp(0.125)) / 0.604;
    v = 100 + sigma * v;
    if (kind == Noise::spikes && random.uniform() < 0.05) v += 100 * random.uniform();
  }
  return values;
}

/// A shape to be added to noise; `n` values long.
enum class Shape { flat, step_down, decay, drift, levels };
inline constexpr Shape shapes[] = {Shape::flat, Shape::step_down, Shape::decay, Shape::drift, Shape::levels};

inline std::vector<double> shaped(Shape shape, Random& random, std::size_t n, double height) {
  std::vector<double> values(n, 0.0);
  const auto size = static_cast<double>(n);
  if (shape == Shape::step_down) {
    const auto end = static_cast<std::size_t>(std::max(4.0, size * (0.1 + 0.3 * random.uniform())));
    std::fill(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(end), height);
  }
  const double life = std::max(3.0, size * (0.06 + 0.06 * random.uniform()));
  for (std::size_t i = 0; i < n; ++i) {
    const auto at = static_cast<double>(i);
    if (shape == Shape::decay) values[i] = 2 * height * std::exp(-at / life);
    if (shape == Shape::drift) values[i] = height * at / size;
    if (shape == Shape::levels) values[i] = (i * 4 / n) % 2 == 0 ? 0 : height;
  }
  return values;
}

}  // namespace tare::simulated
