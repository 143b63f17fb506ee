// Samples for a chart: thinned evenly within each process, marked before the thinning.
#pragma once

#include "bench/model/metric.hpp"
#include "bench/model/thinned.hpp"

namespace tare {

/// At most about `most` samples, the first of each process always; all when they are no more than that, none
/// when `most` is 0. Outliers are marked by Tukey's fences around all samples after the warm-up.
ThinnedSamples thin(const Metric& metric, std::size_t most);

/// How many samples of each benchmark a page of so many can show: they share 14,000, and fewer than 28 say
/// less than the distribution, which is always there.
std::size_t samples_per_benchmark(std::size_t benchmarks);

}  // namespace tare
