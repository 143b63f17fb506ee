#include "bench/measure/overhead.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "bench/define/body.hpp"

namespace tare {
namespace {

constexpr int readings = 100;

struct Mean {
  double value;
  double error;
};

/// Interruptions only ever add time: the lower half is the harness, the upper half is the machine.
Mean of_lower_half(std::array<double, readings>& values) {
  std::sort(values.begin(), values.end());
  constexpr int kept = readings / 2;
  double sum = 0;
  for (int i = 0; i < kept; ++i) sum += values[static_cast<std::size_t>(i)];
  const double mean = sum / kept;
  double squares = 0;
  for (int i = 0; i < kept; ++i) squares += std::pow(values[static_cast<std::size_t>(i)] - mean, 2);
  return {mean, std::sqrt(squares / (kept - 1) / kept)};
}

double clock_resolution() {
  double least = 1e9;
  for (int i = 0; i < 50; ++i) {
    const double first = clock_ns();
    double next = clock_ns();
    while (next == first) next = clock_ns();
    least = std::min(least, next - first);
  }
  // Two reads in a row differ by the cost of a read where the clock is finer than that: then 1 ns is its
  // step.
  timespec stated{};
  if (clock_getres(CLOCK_MONOTONIC, &stated) == 0 && stated.tv_sec == 0 && stated.tv_nsec > 0) {
    least = std::min(least, static_cast<double>(stated.tv_nsec));
  }
  return least;
}

}  // namespace

HarnessCost measure_harness() {
  auto nothing = [] {};
  const Synchronise none;
  detail::PlainBody empty(nothing, none);
  constexpr std::uint64_t many = 1001;
  std::array<double, readings> one{};
  std::array<double, readings> slope{};
  for (std::size_t i = 0; i < readings; ++i) {
    double single = 0;
    double batch = 0;
    empty.time(1, &single);
    empty.time(many, &batch);
    one[i] = single;
    slope[i] = batch;
  }
  const Mean pair = of_lower_half(one);
  const Mean loop = of_lower_half(slope);
  const double per_iteration = std::max(0.0, (loop.value - pair.value) / (many - 1));
  const double per_iteration_error = std::hypot(loop.error, pair.error) / (many - 1);
  return {clock_resolution(),
          {std::max(0.0, pair.value - per_iteration), std::hypot(pair.error, per_iteration_error),
           per_iteration, per_iteration_error}};
}

Overhead overhead_per_batch(const Overhead& overhead, std::uint64_t batch) {
  const auto size = static_cast<double>(batch);
  return {0, 0, overhead.per_iteration + overhead.fixed / size,
          std::hypot(overhead.per_iteration_error, overhead.fixed_error / size)};
}

}  // namespace tare
