// Whole steps: an MLP with layer norm, a transformer block, decoding with a cache of keys and values.
#pragma once

#include "workloads/tensor/problem.hpp"

namespace tare::workloads::tensor {

/// x → 1024 → 1024 → 1024 with layer norm and ReLU after each product, a mean square at the end, plain
/// gradient descent.
template <class E>
struct MlpStep {
  static constexpr std::string_view name = "mlp_step";
  static std::vector<std::string> sizes() { return {"32x64", "256x1024"}; }
  using T = typename E::Tensor;
  std::int64_t batch, width;
  Inputs<E> in;
  struct Layer {
    T weight, bias, scale, shift;
  };
  std::vector<Layer> layers;
  T x, target;
  MlpStep(const std::string& size, std::uint64_t seed)
      : batch(size == "32x64" ? 32 : 256), width(size == "32x64" ? 64 : 1024), in(seed) {
    for (int i = 0; i < 2; ++i) {
      Layer layer{in.weight({width, width}, width), in.weight({width}, width), in.active({width}, 0.9, 1.1),
                  in.active({width}, -0.1, 0.1)};
      layers.push_back(layer);
    }
    x = in.passive({batch, width});
    target = in.passive({batch, width});
  }
  [[nodiscard]] Sizes shape() const { return {batch, width, width, width}; }
  T forward() {
    T h = x;
    for (const auto& l : layers) h = E::relu(E::layer_norm(E::linear(h, l.weight, l.bias), l.scale, l.shift));
    const T d = E::sub(h, target);
    return E::mean(E::mul(d, d));
  }
  static constexpr double learning_rate = 1e-3;
  [[nodiscard]] Cost cost() const {
    const double product =
        2.0 * static_cast<double>(batch) * static_cast<double>(width) * static_cast<double>(width);
    const double weights = 2 * 4.0 * static_cast<double>(width) * static_cast<double>(width);
    // The first layer has no gradient of its input.
    return {2 * product, 3 * product, weights, 3 * weights};
  }
  [[nodiscard]] double items() const { return static_cast<double>(batch); }
};

/// Attention and a feed-forward part of four times the width, each behind a layer norm, with residuals.
template <class E>
struct BlockStep {
  static constexpr std::string_view name = "block_step";
  static std::vector<std::string> sizes() { return {"8x128x256"}; }
  static constexpr std::int64_t batch = 8, length = 128, width = 256, heads = 4;
  using T = typename E::Tensor;
  Inputs<E> in;
  T x, target, scale1, shift1, qkv, qkv_bias, out, out_bias, scale2, shift2, up, up_bias, down, down_bias;
  BlockStep(const std::string&, std::uint64_t seed)
      : in(seed),
        x(in.passive({batch, length, width})),
        target(in.passive({batch, length, width})),
        scale1(in.active({width}, 0.9, 1.1)),
        shift1(in.active({width}, -0.1, 0.1)),
        qkv(in.weight({width, 3 * width}, width)),
        qkv_bias(in.weight({3 * width}, width)),
        out(in.weight({width, width}, width)),
        out_bias(in.weight({width}, width)),
        scale2(in.active({width}, 0.9, 1.1)),
        shift2(in.active({width}, -0.1, 0.1)),
        up(in.weight({width, 4 * width}, width)),
        up_bias(in.weight({4 * width}, width)),
        down(in.weight({4 * width, width}, 4 * width)),
        down_bias(in.weight({width}, 4 * width)) {}
  [[nodiscard]] Sizes shape() const { return {batch, length, width}; }
  T heads_of(const T& wide, std::int64_t which) const {
    const T part = E::slice(wide, 2, which * width, (which + 1) * width);
    return E::permute(E::reshape(part, {batch, length, heads, width / heads}), {0, 2, 1, 3});
  }
  T forward() {
    const T h = E::layer_norm(x, scale1, shift1);
    const T wide = E::linear(h, qkv, qkv_bias);
    const T seen = E::attention(heads_of(wide, 0), heads_of(wide, 1), heads_of(wide, 2), true);
    const T joined = E::reshape(E::permute(seen, {0, 2, 1, 3}), {batch, length, width});
    const T middle = E::add(x, E::linear(joined, out, out_bias));
    const T fed =
        E::linear(E::gelu(E::linear(E::layer_norm(middle, scale2, shift2), up, up_bias)), down, down_bias);
    const T d = E::sub(E::add(middle, fed), target);
    return E::mean(E::mul(d, d));
  }
  static constexpr double learning_rate = 1e-3;
  [[nodiscard]] Cost cost() const {
    const double tokens = batch * length, d = width;
    const double products = 2 * tokens * d * d * 12, scores = 4 * tokens * length * d;
    const double weights = 4 * 12 * d * d;
    return {products + scores, 2 * (products + scores), weights, 3 * weights};
  }
  [[nodiscard]] double items() const { return static_cast<double>(batch * length); }
};

/// One token through four layers with a cache of the 128 before it.
template <class E>
struct Decode {
  static constexpr std::string_view name = "decode";
  static constexpr bool computed_only = true;
  static std::vector<std::string> sizes() { return {"128x256"}; }
  static constexpr std::int64_t length = 128, width = 256, heads = 4, layer_count = 4;
  using T = typename E::Tensor;
  Inputs<E> in;
  struct Layer {
    T scale1, shift1, qkv, qkv_bias, out, out_bias, scale2, shift2, up, up_bias, down, down_bias, keys,
        values;
  };
  std::vector<Layer> layers;
  T x;
  Decode(const std::string&, std::uint64_t seed) : in(seed) {
    const auto fixed = [&](const Sizes& sizes, std::int64_t inputs) {
      const double reach = 1 / std::sqrt(static_cast<double>(inputs));
      return in.passive(sizes, -reach, reach);
    };
    for (std::int64_t i = 0; i < layer_count; ++i) {
      layers.push_back(
          {in.passive({width}, 0.9, 1.1), in.passive({width}, -0.1, 0.1), fixed({width, 3 * width}, width),
           fixed({3 * width}, width), fixed({width, width}, width), fixed({width}, width),
           in.passive({width}, 0.9, 1.1), in.passive({width}, -0.1, 0.1), fixed({width, 4 * width}, width),
           fixed({4 * width}, width), fixed({4 * width, width}, 4 * width), fixed({width}, 4 * width),
           in.passive({1, heads, length, width / heads}), in.passive({1, heads, length, width / heads})});
    }
    x = in.passive({1, 1, width});
  }
  [[nodiscard]] Sizes shape() const { return {1, length, width}; }
  T head_of(const T& wide, std::int64_t which) const {
    return E::reshape(E::slice(wide, 2, which * width, (which + 1) * width), {1, heads, 1, width / heads});
  }
  T forward() {
    T h = x;
    for (const auto& l : layers) {
      const T wide = E::linear(E::layer_norm(h, l.scale1, l.shift1), l.qkv, l.qkv_bias);
      // The cache's last place is the new token's.
      const T keys = E::with_last(l.keys, head_of(wide, 1)),
              values = E::with_last(l.values, head_of(wide, 2));
      const T seen = E::reshape(E::attention(head_of(wide, 0), keys, values, false), {1, 1, width});
      h = E::add(h, E::linear(seen, l.out, l.out_bias));
      h = E::add(h, E::linear(E::gelu(E::linear(E::layer_norm(h, l.scale2, l.shift2), l.up, l.up_bias)),
                              l.down, l.down_bias));
    }
    return E::sum(h);
  }
  [[nodiscard]] Cost cost() const {
    const double d = width, products = 2 * d * d * 12 * layer_count, scores = 4.0 * length * d * layer_count;
    return {products + scores, 0, 4 * 12 * d * d * layer_count, 0};
  }
  [[nodiscard]] double items() const { return 1; }
};

}  // namespace tare::workloads::tensor
