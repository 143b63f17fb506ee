// The tare itself: what the clock reads and the loop cost, measured in the process that measures.
#pragma once

#include "bench/model/metric.hpp"

namespace tare {

struct HarnessCost {
  double resolution_ns = 1;  ///< the smallest step the clock was seen to make
  Overhead overhead;         ///< of one sample: fixed = a pair of clock reads, per_iteration = the empty loop
};

/// Takes about 0.2 ms. The least-disturbed half of repeated readings is averaged; errors are of that mean.
HarnessCost measure_harness();

/// The part of the harness's cost that falls on one phase, per iteration, when a batch of that many states
/// shares a pair of clock reads.
Overhead overhead_per_batch(const Overhead& overhead, std::uint64_t batch);

}  // namespace tare
