// How much a fixed piece of work varies on this machine, and what change a comparison could see through that.
//
// Method: the same integer loop, about a millisecond long, is timed again and again; the spread is 1.4826 ×
// MAD / median, which estimates the relative standard deviation of a normal core and ignores rare long
// stalls. For the smallest visible change see smallest_change(). Limits: one process has one memory
// placement, so what differs between processes is not in it; a body that touches memory varies more than this
// loop. It is a floor: real benchmarks do no better.
#pragma once

#include <chrono>
#include <cstddef>
#include <span>
#include <vector>

namespace tare {

struct MachineNoise {
  std::size_t samples = 0;
  double median_ns = 0;
  double relative = 0;  ///< 1.4826 · MAD / median

  bool operator==(const MachineNoise&) const = default;
};

/// Throws std::invalid_argument when there are no samples or the median is not positive.
MachineNoise noise_floor(std::span<const double> sample_ns);

/// Durations of the fixed loop, each about `each` long, for about `total`. At least two.
std::vector<double> spin_samples(std::chrono::nanoseconds total, std::chrono::nanoseconds each);

struct ComparisonSize {
  int processes = 10;
  int samples_per_side = 20;  ///< in each process
  double alpha = 0.05;
  double power = 0.8;
};

/// The smallest relative change that a comparison of this size finds with the given power, when one sample
/// varies by `sample_noise` (relative) and process-level log-ratios by a further `process_noise`.
/// With k processes, m samples per side and process medians (variance π/2 · s²/m each):
///   δ = (t[1 − α/2, k − 1] + t[power, k − 1]) · √((π · s²/m + τ²) / k),  result e^δ − 1.
/// For many processes and τ = 0 that is 2.8 · √π · s / √(k·m). The sum of two quantiles is the usual
/// approximation of the noncentral t (Cohen 1988, Statistical Power Analysis, ch. 2).
/// Throws std::invalid_argument for fewer than 2 processes, no samples, or levels outside (0, 1).
double smallest_change(double sample_noise, const ComparisonSize& size = {}, double process_noise = 0);

}  // namespace tare
