// Kernels as LLVM IR. A row is gone through in passes of whole registers, several at a time, and a masked
// rest; numbers of rows and folds stand between the passes.
#pragma once

#include <llvm/IR/Module.h>

#include "ad/graph/kernel.hpp"

namespace tare::ad::jit {

struct Target {
  unsigned register_bytes = 32;
  bool fused_products = true;
  const char* cpu = "x86-64-v3";
};

/// A function "kernel" of type KernelFunction.
void emit_kernel(llvm::Module& module, const graph::Kernel& kernel, const graph::KernelPlan& plan,
                 const Target& target);

}  // namespace tare::ad::jit
