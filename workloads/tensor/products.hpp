// Products: matrices in the shapes that networks have, and a convolution.
#pragma once

#include <array>
#include <cstdio>

#include "workloads/tensor/problem.hpp"

namespace tare::workloads::tensor {

/// m×n×k, as its size is written.
struct ProductShape {
  long long m = 0, n = 0, k = 0;
  explicit ProductShape(const std::string& text) { std::sscanf(text.c_str(), "%lldx%lldx%lld", &m, &n, &k); }
  /// Of elements that have so many bytes.
  [[nodiscard]] Cost cost(std::size_t operand_bytes, std::size_t result_bytes) const {
    const double flops = 2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
    const double bytes = static_cast<double>(operand_bytes) * static_cast<double>(m * k + k * n) +
                         static_cast<double>(result_bytes) * static_cast<double>(m * n);
    return {flops, 2 * flops, bytes, 2 * bytes};
  }
};

inline std::vector<std::string> product_sizes() {
  return {"64x64x64",      "128x128x128",  "256x256x256", "512x512x512", "1024x1024x1024",
          "256x1024x1024", "32x1024x1024", "8x1024x1024", "1x1024x1024", "1024x768x256"};
}

/// m×n×k: [m, k] times [k, n].
template <class E>
struct Matmul {
  static constexpr std::string_view name = "matmul";
  static std::vector<std::string> sizes() { return product_sizes(); }
  using T = typename E::Tensor;
  ProductShape s;
  Inputs<E> in;
  T a, b, seed_gradient;
  Matmul(const std::string& size, std::uint64_t seed)
      : s(size),
        in(seed),
        a(in.active({s.m, s.k})),
        b(in.active({s.k, s.n})),
        seed_gradient(in.passive({s.m, s.n})) {}
  [[nodiscard]] Sizes shape() const { return {s.m, s.n, s.k}; }
  T forward() { return E::matmul(a, b); }
  [[nodiscard]] Cost cost() const { return s.cost(4, 4); }
  [[nodiscard]] double items() const { return 1; }
};

/// 3×3 over a batch of images.
template <class E>
struct Convolution {
  static constexpr std::string_view name = "convolution";
  static std::vector<std::string> sizes() { return {"1x8x16x16", "8x32x56x56"}; }
  using T = typename E::Tensor;
  std::int64_t batch, channels, side;
  Inputs<E> in;
  T x, weight, bias, seed_gradient;
  Convolution(const std::string& size, std::uint64_t seed)
      : batch(size[0] == '1' ? 1 : 8),
        channels(size[0] == '1' ? 8 : 32),
        side(size[0] == '1' ? 16 : 56),
        in(seed),
        x(in.active({batch, channels, side, side})),
        weight(in.weight({channels, channels, 3, 3}, channels * 9)),
        bias(in.active({channels})),
        seed_gradient(in.passive({batch, channels, side, side})) {}
  [[nodiscard]] Sizes shape() const { return {batch, channels, side, side}; }
  T forward() { return E::conv2d(x, weight, bias); }
  [[nodiscard]] Cost cost() const {
    const auto pixels = static_cast<double>(batch * channels * side * side);
    const double flops = 2 * pixels * static_cast<double>(channels) * 9;
    return {flops, 2 * flops, 8 * pixels, 16 * pixels};
  }
  [[nodiscard]] double items() const { return static_cast<double>(batch); }
};

}  // namespace tare::workloads::tensor
