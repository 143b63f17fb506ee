// Who makes and who reads the values of a graph.
#pragma once

#include <cstdint>
#include <vector>

#include "ad/graph/ir.hpp"

namespace tare::ad::graph {

/// Found once, for one state of the graph.
struct GraphIndex {
  explicit GraphIndex(const Graph& from);
  const Graph* graph;
  std::vector<std::int32_t> definitions;
  std::vector<std::vector<std::int32_t>> users;
  std::vector<char> leaves;  ///< a result or assigned
};

}  // namespace tare::ad::graph
