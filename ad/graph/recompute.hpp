// Values that one kernel keeps for another only, and that the other could compute again from what is in
// memory anyway, are computed again: a few operations in registers cost less than a trip to memory, and what
// is not kept needs no room.
#pragma once

#include <vector>

#include "ad/graph/ir.hpp"

namespace tare::ad::graph {

/// Instructions by group, each in the graph's order; a kernel is a group that build_kernel() accepts.
using Groups = std::vector<std::vector<std::int32_t>>;

/// Adds instructions to the graph and to the groups that read the values; leaves both alone where nothing is
/// gained.
void recompute(Graph& graph, Groups& groups);

}  // namespace tare::ad::graph
