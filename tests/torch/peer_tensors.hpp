// Our tensors as libtorch's and back, by value.
#pragma once

#include <torch/torch.h>

#include "ad/tensor/ops.hpp"

namespace tare::ad {

inline torch::ScalarType torch_type(DType type) {
  switch (type) {
    case DType::boolean:
      return torch::kBool;
    case DType::u8:
      return torch::kUInt8;
    case DType::i8:
      return torch::kInt8;
    case DType::i64:
      return torch::kInt64;
    case DType::f32:
      return torch::kFloat32;
    case DType::f64:
      return torch::kFloat64;
  }
  return torch::kFloat32;
}

inline torch::Tensor to_torch(const Tensor& x) {
  const NoGrad quiet;
  const Tensor dense = contiguous(x);
  torch::Tensor made = torch::empty(
      std::vector<std::int64_t>(x.shape().list().begin(), x.shape().list().end()), torch_type(x.dtype()));
  visit(x.dtype(), [&](auto zero) {
    const auto values = dense.values<decltype(zero)>();
    std::copy(values.begin(), values.end(), static_cast<decltype(zero)*>(made.data_ptr()));
  });
  return made;
}

inline Tensor from_torch(const torch::Tensor& x) {
  const torch::Tensor dense = x.contiguous();
  const Shape shape(std::span<const std::int64_t>(dense.sizes().data(), dense.sizes().size()));
  for (const DType type : {DType::boolean, DType::u8, DType::i8, DType::i64, DType::f32, DType::f64}) {
    if (torch_type(type) != dense.scalar_type()) continue;
    return visit(type, [&](auto zero) {
      const auto* data = static_cast<const decltype(zero)*>(dense.data_ptr());
      return Tensor::of(std::span(data, static_cast<std::size_t>(dense.numel())), shape);
    });
  }
  throw AdError("from_torch: a type that we do not have");
}

}  // namespace tare::ad
