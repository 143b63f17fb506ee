// How shapes lie in each other when the axes from some place on are columns and those before it rows.
#pragma once

#include <optional>

#include "ad/graph/kernel.hpp"

namespace tare::ad::graph {

/// What comes of a shape inside a larger one, whose axes from `split` on are the columns.
inline std::optional<Access> access_of(const Shape& inner, const Shape& outer, int split) {
  const int shift = outer.rank - inner.rank;
  if (shift < 0) {
    // Axes of one in front of the larger shape.
    for (int i = 0; i < -shift; ++i)
      if (inner[i] != 1) return {};
  }
  bool rows = false, columns = false, rows_missing = false, columns_missing = false;
  for (int i = 0; i < outer.rank; ++i) {
    if (outer[i] == 1) continue;
    const auto size = i < shift ? 1 : inner[i - shift];
    (size != 1 ? (i < split ? rows : columns) : (i < split ? rows_missing : columns_missing)) = true;
  }
  if (!rows_missing && !columns_missing) return Access::element;
  if (!rows && !columns) return Access::scalar;
  if (!rows_missing && !columns) return Access::row;
  if (!columns_missing && !rows) return Access::column;
  return {};
}

/// Where the columns begin in a shape of rows × columns numbers.
inline std::optional<int> split_of(const Shape& shape, std::int64_t columns) {
  std::int64_t product = 1;
  int split = shape.rank;
  while (split > 0 && product < columns) product *= shape[--split];
  if (product != columns) return {};
  return split;
}

}  // namespace tare::ad::graph
