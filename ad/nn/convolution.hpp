// The convolution layer.
#pragma once

#include "ad/nn/parameters.hpp"
#include "ad/tensor/ops.hpp"

namespace tare::ad::nn {

/// x [n, in, h, w] to [n, out, h', w'].
struct Conv2d {
  Tensor weight;  ///< [out, in / groups, size, size]
  Tensor bias;    ///< [out], or undefined
  ad::Conv2d shape;

  struct Options {
    ad::Conv2d shape{};
    bool bias = true;
    DType dtype = DType::f32;
  };
  Conv2d(std::int64_t in, std::int64_t out, std::int64_t size, Generator& generator, const Options& options);
  Conv2d(std::int64_t in, std::int64_t out, std::int64_t size, Generator& generator)
      : Conv2d(in, out, size, generator, {}) {}
  Tensor operator()(const Tensor& x) const { return conv2d(x, weight, bias, shape); }
  [[nodiscard]] Parameters parameters() const;
};

}  // namespace tare::ad::nn
