#include "ad/graph/graph_index.hpp"

namespace tare::ad::graph {

GraphIndex::GraphIndex(const Graph& from)
    : graph(&from),
      definitions(graph::definitions(from)),
      users(from.values.size()),
      leaves(from.values.size()) {
  for (std::size_t at = 0; at < from.instructions.size(); ++at)
    for (const auto id : from.instructions[at].inputs) {
      auto& list = users[static_cast<std::size_t>(id)];
      if (list.empty() || list.back() != static_cast<std::int32_t>(at))
        list.push_back(static_cast<std::int32_t>(at));
    }
  for (const auto id : from.results) leaves[static_cast<std::size_t>(id)] = 1;
  for (const auto& a : from.assignments) leaves[static_cast<std::size_t>(a.value)] = 1;
}

}  // namespace tare::ad::graph
