// Layers: plain structs of tensors that are called like functions. A layer's control flow depends on shapes
// and flags alone, never on numbers, so that a call can be captured.
#pragma once

#include <vector>

#include "ad/nn/parameters.hpp"
#include "ad/tensor/ops.hpp"

namespace tare::ad::nn {

/// x [.., in] to [.., out].
struct Linear {
  Tensor weight;  ///< [in, out]
  Tensor bias;    ///< [out], or undefined

  struct Options {
    bool bias = true;
    DType dtype = DType::f32;
  };
  Linear(std::int64_t in, std::int64_t out, Generator& generator, const Options& options);
  Linear(std::int64_t in, std::int64_t out, Generator& generator) : Linear(in, out, generator, {}) {}
  Tensor operator()(const Tensor& x) const { return linear(x, weight, bias); }
  [[nodiscard]] Parameters parameters() const;
};

/// Rows of a table by id: i64 [..] to [.., width].
struct Embedding {
  Tensor weight;  ///< [count, width]

  Embedding(std::int64_t count, std::int64_t width, Generator& generator, DType dtype = DType::f32);
  Tensor operator()(const Tensor& ids) const { return embedding(weight, ids); }
  [[nodiscard]] Parameters parameters() const { return {{"weight", weight}}; }
};

/// Over the last axis.
struct LayerNorm {
  Tensor weight, bias;
  double epsilon = 1e-5;

  explicit LayerNorm(std::int64_t width, DType dtype = DType::f32);
  Tensor operator()(const Tensor& x) const { return layer_norm(x, weight, bias, epsilon); }
  [[nodiscard]] Parameters parameters() const { return {{"weight", weight}, {"bias", bias}}; }
};

/// Over the last axis.
struct RmsNorm {
  Tensor weight;
  double epsilon = 1e-6;

  explicit RmsNorm(std::int64_t width, DType dtype = DType::f32);
  Tensor operator()(const Tensor& x) const { return rms_norm(x, weight, epsilon); }
  [[nodiscard]] Parameters parameters() const { return {{"weight", weight}}; }
};

/// Over all axes but the second of [n, channels, ..]. In training by the batch's own statistics, which are
/// averaged into the running ones; else by the running ones.
struct BatchNorm2d {
  Tensor weight, bias;
  Tensor running_mean, running_variance;
  double epsilon = 1e-5;
  double momentum = 0.1;  ///< share of the newest batch
  bool training = true;

  explicit BatchNorm2d(std::int64_t channels, DType dtype = DType::f32);
  Tensor operator()(const Tensor& x);
  [[nodiscard]] Parameters parameters() const;
};

/// In training each element is zero with probability p; else nothing happens.
struct Dropout {
  double p;
  Generator generator;
  bool training = true;

  Dropout(double probability, std::uint64_t seed) : p(probability), generator(seed) {}
  Tensor operator()(const Tensor& x) { return training ? dropout(x, p, generator) : x; }
};

using Activation = Tensor (*)(const Tensor&);

/// Linear layers with an activation between them.
struct Mlp {
  std::vector<Linear> layers;
  Activation activation;

  /// Sizes from input to output: {64, 32, 10} is two layers.
  Mlp(const std::vector<std::int64_t>& sizes, Generator& generator, Activation between = relu,
      DType dtype = DType::f32);
  Tensor operator()(const Tensor& x) const;
  [[nodiscard]] Parameters parameters() const;
};

}  // namespace tare::ad::nn
