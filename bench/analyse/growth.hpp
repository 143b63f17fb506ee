// Finds benchmarks that were measured at three or more values of a numeric parameter and fits how they grow.
#pragma once

#include <vector>

#include "bench/model/benchmark.hpp"
#include "bench/model/growth.hpp"

namespace tare {

/// From the headline times of results that have one; thread counts are not sizes and are left out. In the
/// order of first appearance. The results must have been summarised.
std::vector<GrowthFinding> find_growth(const std::vector<BenchmarkResult>& results);

}  // namespace tare
