// Which kernels write past the caches.
#pragma once

#include "ad/graph/kernel.hpp"
#include "ad/tensor/kernels/kernels.hpp"

namespace tare::ad::jit {

inline bool streams(const graph::Kernel& kernel) {
  const std::int64_t size = kernel.dtype == DType::f32 ? 4 : 8;
  bool writes = false;
  for (std::size_t k = static_cast<std::size_t>(kernel.reads); k < kernel.operands.size(); ++k)
    writes = writes || (kernel.operands[k].access == graph::Access::element &&
                        kernel.operands[k].dtype == kernel.dtype);
  return writes && kernel.rows * kernel.columns * size >= kernels::streaming_bytes &&
         (kernel.rows == 1 || kernel.columns * size % 64 == 0);
}

}  // namespace tare::ad::jit
