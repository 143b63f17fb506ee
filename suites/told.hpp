// What a tensor engine traced, as the benchmark tells it to tare explain.
#pragma once

#include <vector>

#include "bench/bench.hpp"
#include "engines/tensor/tensor_engine.hpp"

namespace tare::suites {

inline std::vector<ModeBreakdown> told(const std::vector<engines::TracedMode>& traces) {
  std::vector<ModeBreakdown> modes;
  for (const auto& trace : traces) {
    ModeBreakdown& mode = modes.emplace_back();
    mode.mode = trace.mode;
    mode.wall_ns = trace.wall_ns;
    mode.overhead_ns = trace.overhead_ns;
    for (const auto& op : trace.ops) {
      OpCost& cost = mode.ops.emplace_back();
      cost.name = op.name;
      cost.kind = op.matmul ? OpKind::matmul : OpKind::other;
      cost.shapes = op.shapes;
      cost.start_ns = op.start_ns;
      cost.duration_ns = op.duration_ns;
      cost.flops = op.flops;
      cost.bytes = op.bytes;
    }
  }
  return modes;
}

}  // namespace tare::suites
