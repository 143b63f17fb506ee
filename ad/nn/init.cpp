#include "ad/nn/init.hpp"

#include <cmath>

#include "ad/tensor/ops.hpp"

namespace tare::ad::nn {

Tensor uniform(const Shape& shape, double bound, Generator& generator, DType dtype) {
  return (Tensor::rand(shape, generator, dtype) * 2.0 - 1.0) * bound;
}

Tensor normal(const Shape& shape, double deviation, Generator& generator, DType dtype) {
  return Tensor::randn(shape, generator, dtype) * deviation;
}

double kaiming_bound(std::int64_t fan_in) {
  return std::sqrt(6 / static_cast<double>(fan_in));
}
double xavier_bound(std::int64_t fan_in, std::int64_t fan_out) {
  return std::sqrt(6 / static_cast<double>(fan_in + fan_out));
}
double default_bound(std::int64_t fan_in) {
  return 1 / std::sqrt(static_cast<double>(fan_in));
}

}  // namespace tare::ad::nn
