// The benchmarks that tare carries itself, to prove its comparisons on the user's machine: tare started as a
// worker serves them.
#pragma once

#include "bench/define/registry.hpp"

namespace tare::cli {

/// "chain" and "stream" of workloads/calibration.hpp with a parameter `share` of extra work, and "allocate"
/// with a number of `extra` allocations.
const Registry& calibration_registry();

}  // namespace tare::cli
