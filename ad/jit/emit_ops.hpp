// One pointwise op of the table as instructions.
#pragma once

#include <stdexcept>

#include "ad/graph/kernel.hpp"
#include "ad/jit/lane.hpp"
#include "ad/ops/activations.hpp"
#include "ad/ops/table.hpp"

namespace tare::ad::jit {

inline llvm::Value* emit_unary(const graph::KernelNode& n, const Lane& x) {
  switch (n.op) {
    case Op::clamp:
      return ops::Clamp{n.first, n.second}.value(x).v;
    case Op::power:
      return ops::Power{n.first}.value(x).v;
    case Op::powi:
      return ops::PowInt{static_cast<int>(n.number)}.value(x).v;
    case Op::neg:
      return (-x).v;
#define TARE_JIT_OP(Type, name) \
  case Op::name:                \
    return ops::Type{}.value(x).v;
      TARE_AD_UNARY_OPS(TARE_JIT_OP)
      TARE_AD_TENSOR_UNARY_OPS(TARE_JIT_OP)
#undef TARE_JIT_OP
    default:
      throw std::logic_error("not a unary op");
  }
}

inline llvm::Value* emit_binary(const graph::KernelNode& n, const Lane& a, const Lane& b) {
  switch (n.op) {
    case Op::add:
      return (a + b).v;
    case Op::sub:
      return (a - b).v;
    case Op::mul:
      return (a * b).v;
    case Op::div:
      return (a / b).v;
    case Op::less:
      return (a < b).v;
    case Op::less_equal:
      return (a <= b).v;
    case Op::equal:
      return (a == b).v;
    case Op::not_equal:
      return (a != b).v;
#define TARE_JIT_OP(Type, name) \
  case Op::name:                \
    return ops::Type{}.value(a, b).v;
      TARE_AD_BINARY_OPS(TARE_JIT_OP)
#undef TARE_JIT_OP
    default:
      throw std::logic_error("not a binary op");
  }
}

/// Inputs are numbers of the emission's type, or flags of as many lanes.
inline llvm::Value* emit_op(const graph::KernelNode& n, const std::array<llvm::Value*, 3>& in) {
  switch (n.op) {
    case Op::where:
      return code().CreateSelect(in[0], in[1], in[2]);
    case Op::logical_not:
      return code().CreateNot(in[0]);
    case Op::cast:
      return code().CreateUIToFP(in[0], emission.number);
    default:
      return in[1] == nullptr ? emit_unary(n, Lane(in[0])) : emit_binary(n, Lane(in[0]), Lane(in[1]));
  }
}

}  // namespace tare::ad::jit
