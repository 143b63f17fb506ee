// Where the values of a graph live: offsets into one block, given on to later values once a value was read
// for the last time. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace tare::ad::graph {

/// A value that needs memory from one step to another, both included.
struct Lifetime {
  std::int64_t bytes = 0;
  std::int32_t first = 0;
  std::int32_t last = 0;
  /// A value whose place this one may take over though it still lives in the first step; −1: none.
  std::int32_t may_replace = -1;
};

struct MemoryPlan {
  std::vector<std::int64_t> offsets;  ///< one per lifetime, multiples of 64
  std::int64_t bytes = 0;
};

/// With `reuse` false every value has a place of its own.
MemoryPlan plan_memory(std::span<const Lifetime> lifetimes, bool reuse);

}  // namespace tare::ad::graph
