// From instructions to steps: what can be one kernel becomes one, and steps are put into an order that needs
// little memory.
#pragma once

#include <optional>
#include <vector>

#include "ad/graph/kernel.hpp"
#include "ad/graph/passes.hpp"

namespace tare::ad::graph {

/// Instructions that are carried out together: one by its row, several as a kernel, or such steps in turns.
struct Step {
  std::vector<std::int32_t> instructions;
  std::optional<BoundKernel> kernel;
  std::vector<Step> parts{};      ///< in turns, some rows at a time (by_rows.hpp); then it is nothing else
  std::vector<ValueId> passed{};  ///< from part to part, never there as a whole
  std::int64_t rows = 0;          ///< of what is passed
  std::int64_t block = 0;         ///< rows at a time
};

std::vector<ValueId> reads_of(const Graph& graph, const Step& step);
std::vector<ValueId> writes_of(const Graph& graph, const Step& step);

/// Every instruction that is needed, in an order in which it can be carried out. Views and constants that
/// kernels look through are steps only where somebody else reads them. The graph gets further instructions
/// where values are computed again instead of kept.
std::vector<Step> fuse(Graph& graph, const Passes& passes);

}  // namespace tare::ad::graph
