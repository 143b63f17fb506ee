// What a node costs, by the flops of its row.
#pragma once

#include "ad/graph/kernel.hpp"
#include "ad/ops/activations.hpp"
#include "ad/ops/table.hpp"

namespace tare::ad::graph {

inline double cost_of(const KernelNode& node) {
  if (node.kind != KernelNode::Kind::op) return node.kind == KernelNode::Kind::load ? 1 : 0.5;
  switch (node.op) {
#define TARE_AD_FLOPS(Type, name) \
  case Op::name:                  \
    return ops::Type::info.flops;
    TARE_AD_UNARY_OPS(TARE_AD_FLOPS)
    TARE_AD_TENSOR_UNARY_OPS(TARE_AD_FLOPS)
    TARE_AD_BINARY_OPS(TARE_AD_FLOPS)
    TARE_AD_FLOPS(Power, power)
#undef TARE_AD_FLOPS
    case Op::div:
      return 4;
    case Op::powi:
      return 6;
    default:
      return 1;
  }
}

}  // namespace tare::ad::graph
