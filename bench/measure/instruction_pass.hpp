// Exact instruction counts: the worker once more, under valgrind's callgrind, counting only inside the body.
// Two passes of n and 2n iterations are subtracted, so that nothing but iterations is counted; the empty
// loop's own two or three instructions are part of an iteration. Slow (about 50 times), but the same on a
// busy machine.
#pragma once

#include <atomic>

#include "bench/measure/plan.hpp"
#include "bench/model/benchmark.hpp"

namespace tare {

/// The metric "instructions", or one that says why it is unavailable.
Metric count_instructions_of(const std::string& binary, const BenchmarkId& id, const Plan& plan,
                             const std::atomic<bool>* cancelled);

}  // namespace tare
