// Work over rows: softplus, logsumexp, cross entropy, layer norm.
#pragma once

#include "workloads/tensor/problem.hpp"

namespace tare::workloads::tensor {

template <class E>
struct Softplus {
  static constexpr std::string_view name = "softplus";
  static std::vector<std::string> sizes() { return {"65536"}; }
  using T = typename E::Tensor;
  std::int64_t n;
  Inputs<E> in;
  T x;
  Softplus(const std::string& size, std::uint64_t seed)
      : n(std::stoll(size)), in(seed), x(in.active({n}, -8, 8)) {}
  [[nodiscard]] Sizes shape() const { return {n}; }
  T forward() { return E::sum(E::softplus(x)); }
  [[nodiscard]] Cost cost() const {
    const auto d = static_cast<double>(n);
    return {41 * d, 24 * d, 4 * d, 8 * d};
  }
  [[nodiscard]] double items() const { return static_cast<double>(n); }
};

template <class E>
struct Logsumexp {
  static constexpr std::string_view name = "logsumexp";
  static std::vector<std::string> sizes() { return {"16x32", "128x10000"}; }
  using T = typename E::Tensor;
  std::int64_t rows, columns;
  Inputs<E> in;
  T x;
  Logsumexp(const std::string& size, std::uint64_t seed)
      : rows(size == "16x32" ? 16 : 128),
        columns(size == "16x32" ? 32 : 10000),
        in(seed),
        x(in.active({rows, columns}, -4, 4)) {}
  [[nodiscard]] Sizes shape() const { return {rows, columns}; }
  T forward() { return E::sum(E::logsumexp(x)); }
  [[nodiscard]] Cost cost() const {
    const auto d = static_cast<double>(rows * columns);
    return {22 * d, 22 * d, 4 * d, 8 * d};
  }
  [[nodiscard]] double items() const { return static_cast<double>(rows); }
};

template <class E>
struct CrossEntropy {
  static constexpr std::string_view name = "cross_entropy";
  static std::vector<std::string> sizes() { return {"32x10", "128x10000"}; }
  using T = typename E::Tensor;
  std::int64_t rows, columns;
  Inputs<E> in;
  T x, targets;
  CrossEntropy(const std::string& size, std::uint64_t seed)
      : rows(size == "32x10" ? 32 : 128),
        columns(size == "32x10" ? 10 : 10000),
        in(seed),
        x(in.active({rows, columns}, -4, 4)),
        targets(in.classes({rows}, columns)) {}
  [[nodiscard]] Sizes shape() const { return {rows, columns}; }
  T forward() { return E::cross_entropy(x, targets); }
  [[nodiscard]] Cost cost() const {
    const auto d = static_cast<double>(rows * columns);
    return {22 * d, 22 * d, 4 * d, 8 * d};
  }
  [[nodiscard]] double items() const { return static_cast<double>(rows); }
};

template <class E>
struct LayerNorm {
  static constexpr std::string_view name = "layer_norm";
  static std::vector<std::string> sizes() { return {"32x64", "4096x1024"}; }
  using T = typename E::Tensor;
  std::int64_t rows, columns;
  Inputs<E> in;
  T x, weight, bias, seed_gradient;
  LayerNorm(const std::string& size, std::uint64_t seed)
      : rows(size == "32x64" ? 32 : 4096),
        columns(size == "32x64" ? 64 : 1024),
        in(seed),
        x(in.active({rows, columns})),
        weight(in.active({columns}, 0.5, 1.5)),
        bias(in.active({columns})),
        seed_gradient(in.passive({rows, columns})) {}
  [[nodiscard]] Sizes shape() const { return {rows, columns}; }
  T forward() { return E::layer_norm(x, weight, bias); }
  [[nodiscard]] Cost cost() const {
    const auto d = static_cast<double>(rows * columns);
    return {8 * d, 14 * d, 8 * d, 12 * d};
  }
  [[nodiscard]] double items() const { return static_cast<double>(rows); }
};

}  // namespace tare::workloads::tensor
