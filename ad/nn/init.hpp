// First values of weights, from a seeded generator.
#pragma once

#include "ad/tensor/tensor.hpp"

namespace tare::ad::nn {

/// In [−bound, bound).
Tensor uniform(const Shape& shape, double bound, Generator& generator, DType dtype = DType::f32);
Tensor normal(const Shape& shape, double deviation, Generator& generator, DType dtype = DType::f32);

/// The bound at which a layer followed by relu keeps the variance of its inputs (Kaiming): √(6/fan_in).
double kaiming_bound(std::int64_t fan_in);
/// The bound that balances forward and backward variance (Xavier): √(6/(fan_in + fan_out)).
double xavier_bound(std::int64_t fan_in, std::int64_t fan_out);
/// The usual start of linear and convolution layers, weights and biases: 1/√fan_in.
double default_bound(std::int64_t fan_in);

}  // namespace tare::ad::nn
