// Which point of a Pareto frontier to take for which purpose. A purpose exists when a metric stands for it:
// latency for a time, memory for bytes, accuracy for the first metric of which more is better. Points that
// the purpose's metric does not tell from its best are told apart by the other metrics. "Balanced" is the
// point nearest to the best of every metric, each metric stretched over the frontier's own range (log scale
// where all values are positive).
#pragma once

#include "bench/model/pareto.hpp"

namespace tare {

/// Empty when no point is allowed.
std::vector<Recommendation> recommend(const ParetoFront& front);

}  // namespace tare
