#include "ad/nn/layers.hpp"

#include <fmt/format.h>

#include "ad/nn/init.hpp"

namespace tare::ad::nn {
namespace {

void require_sizes(const char* layer, std::initializer_list<std::int64_t> sizes) {
  for (const auto size : sizes)
    if (size < 1) throw AdError(fmt::format("{}: a size of {} is not at least 1", layer, size));
}

}  // namespace

Linear::Linear(std::int64_t in, std::int64_t out, Generator& generator, const Options& options) {
  require_sizes("Linear", {in, out});
  weight = uniform({in, out}, default_bound(in), generator, options.dtype).requires_grad();
  if (options.bias) bias = uniform({out}, default_bound(in), generator, options.dtype).requires_grad();
}

Parameters Linear::parameters() const {
  Parameters all{{"weight", weight}};
  if (bias.defined()) all["bias"] = bias;
  return all;
}

Embedding::Embedding(std::int64_t count, std::int64_t width, Generator& generator, DType dtype) {
  require_sizes("Embedding", {count, width});
  weight = normal({count, width}, 1, generator, dtype).requires_grad();
}

LayerNorm::LayerNorm(std::int64_t width, DType dtype)
    : weight(Tensor::ones({width}, dtype)), bias(Tensor::zeros({width}, dtype)) {
  weight.requires_grad();
  bias.requires_grad();
}

RmsNorm::RmsNorm(std::int64_t width, DType dtype) : weight(Tensor::ones({width}, dtype)) {
  weight.requires_grad();
}

BatchNorm2d::BatchNorm2d(std::int64_t channels, DType dtype)
    : weight(Tensor::ones({channels}, dtype)),
      bias(Tensor::zeros({channels}, dtype)),
      running_mean(Tensor::zeros({channels}, dtype)),
      running_variance(Tensor::ones({channels}, dtype)) {
  weight.requires_grad();
  bias.requires_grad();
}

Tensor BatchNorm2d::operator()(const Tensor& x) {
  if (training) {
    BatchNorm normed = batch_norm(x, weight, bias, epsilon);
    const NoGrad quiet;
    const double n = static_cast<double>(x.count()) / static_cast<double>(x.size(1));
    running_mean.mul_(1 - momentum).add_(normed.mean.detach(), momentum);
    // The running variance estimates that of all data: divisor n − 1.
    running_variance.mul_(1 - momentum)
        .add_(normed.variance.detach(), n > 1 ? momentum * n / (n - 1) : momentum);
    return std::move(normed.y);
  }
  if (x.rank() < 2 || x.size(1) != weight.count())
    throw AdError(
        fmt::format("BatchNorm2d: shape {}: [n, {}, ..] is needed", text_of(x.shape()), weight.count()));
  Shape wide;
  for (int i = 0; i < x.rank(); ++i) wide.push(i == 1 ? weight.count() : 1);
  const Tensor scale = weight * rsqrt(running_variance + epsilon);
  return x * reshape(scale, wide) + reshape(bias - running_mean * scale, wide);
}

Parameters BatchNorm2d::parameters() const {
  return {{"weight", weight},
          {"bias", bias},
          {"running_mean", running_mean},
          {"running_variance", running_variance}};
}

Mlp::Mlp(const std::vector<std::int64_t>& sizes, Generator& generator, Activation between, DType dtype)
    : activation(between) {
  if (sizes.size() < 2)
    throw AdError(fmt::format("Mlp: {} sizes; from input to output there are at least two", sizes.size()));
  for (std::size_t i = 0; i + 1 < sizes.size(); ++i)
    layers.emplace_back(sizes[i], sizes[i + 1], generator, Linear::Options{.dtype = dtype});
}

Tensor Mlp::operator()(const Tensor& x) const {
  Tensor y = layers.front()(x);
  for (std::size_t i = 1; i < layers.size(); ++i) y = layers[i](activation(y));
  return y;
}

Parameters Mlp::parameters() const {
  Parameters all;
  for (std::size_t i = 0; i < layers.size(); ++i) add_part(all, std::to_string(i), layers[i].parameters());
  return all;
}

}  // namespace tare::ad::nn
