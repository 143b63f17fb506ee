// Where the values of a graph lie when its steps are executed: which are views of others, which are written
// straight into a result or into the tensor they replace, and which share the planned block.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "ad/graph/fuse.hpp"
#include "ad/tensor/body.hpp"

namespace tare::ad::graph {

enum class Home : std::uint8_t { outside, arena, result, assigned, view };

struct Place {
  Home home = Home::arena;
  std::int32_t base = -1;    ///< of a view: the value whose data it shows
  std::int64_t offset = 0;   ///< bytes into the base's data, or into the arena
  std::size_t captured = 0;  ///< of an assigned value
};

struct Layout {
  /// Bodies of the graph's values with type, shape and, for views, strides; then of values that are copied
  /// into row-major order for a kernel.
  std::deque<detail::Body> bodies;
  std::vector<Place> places;
  struct Packed {
    std::size_t step;
    std::size_t operand;
    ValueId from;
    std::size_t body;
  };
  std::vector<Packed> packed;
  std::int64_t arena_bytes = 0;
};

/// Views that show their base in place leave `steps`, and steps that pass large values to each other are
/// joined.
Layout lay_out(const Graph& graph, std::vector<Step>& steps, const Passes& passes);

}  // namespace tare::ad::graph
