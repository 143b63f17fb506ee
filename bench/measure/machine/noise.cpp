#include "bench/measure/machine/noise.hpp"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <cstdint>
#include <fmt/format.h>
#include <numbers>
#include <stdexcept>

namespace tare {
namespace {

double median_of(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

/// Integer work whose length depends on nothing but the number of steps.
double time_spin(std::uint64_t steps) {
  const auto begin = std::chrono::steady_clock::now();
  std::uint64_t state = 88172645463325252ULL;
  for (std::uint64_t i = 0; i < steps; ++i) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
  }
  asm volatile("" : : "r"(state));
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace

MachineNoise noise_floor(std::span<const double> sample_ns) {
  if (sample_ns.empty()) throw std::invalid_argument("noise_floor: no samples");
  std::vector<double> values(sample_ns.begin(), sample_ns.end());
  const double median = median_of(values);
  if (!(median > 0)) throw std::invalid_argument(fmt::format("noise_floor: the median is {}", median));
  for (double& value : values) value = std::abs(value - median);
  return {sample_ns.size(), median, 1.4826 * median_of(std::move(values)) / median};
}

std::vector<double> spin_samples(std::chrono::nanoseconds total, std::chrono::nanoseconds each) {
  const auto wanted = static_cast<double>(each.count());
  std::uint64_t steps = 1000;
  while (time_spin(steps) < wanted / 2 && steps < (1ULL << 40)) steps *= 2;
  // The fastest of three is the least disturbed guide to the length.
  const double fastest = std::min({time_spin(steps), time_spin(steps), time_spin(steps)});
  if (fastest > 0)
    steps =
        std::max<std::uint64_t>(1, static_cast<std::uint64_t>(static_cast<double>(steps) * wanted / fastest));

  std::vector<double> samples;
  samples.reserve(
      static_cast<std::size_t>(std::clamp<double>(static_cast<double>(total.count()) / wanted * 2, 2, 1e6)));
  const auto end = std::chrono::steady_clock::now() + total;
  while (samples.size() < 2 ||
         (std::chrono::steady_clock::now() < end && samples.size() < samples.capacity()))
    samples.push_back(time_spin(steps));
  return samples;
}

double smallest_change(double sample_noise, const ComparisonSize& size, double process_noise) {
  const auto is_share = [](double level) { return level > 0 && level < 1; };
  if (size.processes < 2 || size.samples_per_side < 1 || !is_share(size.alpha) || !is_share(size.power) ||
      !(sample_noise >= 0) || !(process_noise >= 0))
    throw std::invalid_argument(fmt::format(
        "smallest_change: {} processes, {} samples per side, alpha {}, power {}, noise {} and {}",
        size.processes, size.samples_per_side, size.alpha, size.power, sample_noise, process_noise));
  const boost::math::students_t t(size.processes - 1);
  const double variance =
      std::numbers::pi * sample_noise * sample_noise / size.samples_per_side + process_noise * process_noise;
  const double quantiles = quantile(t, 1 - size.alpha / 2) + quantile(t, size.power);
  return std::expm1(quantiles * std::sqrt(variance / size.processes));
}

}  // namespace tare
