// From instructions to steps: what can be one kernel becomes one, and steps are put into an order that needs
// little memory.
#pragma once

#include <optional>
#include <vector>

#include "ad/graph/kernel.hpp"
#include "ad/graph/passes.hpp"

namespace tare::ad::graph {

/// Instructions that are carried out together: one by its row, or several as a kernel.
struct Step {
  std::vector<std::int32_t> instructions;
  std::optional<BoundKernel> kernel;
};

std::vector<ValueId> reads_of(const Graph& graph, const Step& step);
std::vector<ValueId> writes_of(const Graph& graph, const Step& step);

/// Every instruction that is needed, in an order in which it can be carried out. Views and constants that
/// kernels look through are steps only where somebody else reads them. The graph gets further instructions
/// where values are computed again instead of kept.
std::vector<Step> fuse(Graph& graph, const Passes& passes);

}  // namespace tare::ad::graph
