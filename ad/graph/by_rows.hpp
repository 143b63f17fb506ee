// Products and the kernels around them take turns, some rows at a time: a value that one makes for the other
// alone exists only as those rows, and is still in the cache when it is read.
#pragma once

#include "ad/graph/layout.hpp"

namespace tare::ad::graph {

/// A value whose rows a product reads or writes in order.
struct RowsOf {
  ValueId owner = no_value;  ///< whose memory it is
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  bool transposed = false;  ///< a product sums over its rows
};

/// Joins steps that pass each other a value of more than `beyond` bytes. Views have left the steps.
void pass_by_rows(const Graph& graph, const Layout& layout, std::vector<Step>& steps, std::int64_t beyond);

}  // namespace tare::ad::graph
