// Every tensor workload.
#pragma once

#include "workloads/tensor/models.hpp"
#include "workloads/tensor/pointwise.hpp"
#include "workloads/tensor/products.hpp"
#include "workloads/tensor/rows.hpp"

namespace tare::workloads::tensor {

/// f.template operator()<Workload>() for each.
template <class E, class F>
void each_workload(F f) {
  f.template operator()<Tiny<E>>();
  f.template operator()<Chain<E>>();
  f.template operator()<Transcendental<E>>();
  f.template operator()<BroadcastAdd<E>>();
  f.template operator()<ReduceSum<E>>();
  f.template operator()<Softplus<E>>();
  f.template operator()<Logsumexp<E>>();
  f.template operator()<CrossEntropy<E>>();
  f.template operator()<LayerNorm<E>>();
  f.template operator()<Matmul<E>>();
  f.template operator()<Convolution<E>>();
  f.template operator()<MlpStep<E>>();
  f.template operator()<BlockStep<E>>();
  f.template operator()<Decode<E>>();
}

}  // namespace tare::workloads::tensor
