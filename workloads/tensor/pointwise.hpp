// Elementwise work: tiny ops for overhead, chains for bandwidth, broadcasting, reductions over everything.
#pragma once

#include "workloads/tensor/problem.hpp"

namespace tare::workloads::tensor {

/// A hundred ops on 16 numbers: what an op costs when it computes nothing.
template <class E>
struct Tiny {
  static constexpr std::string_view name = "tiny";
  static std::vector<std::string> sizes() { return {"16"}; }
  static constexpr int ops = 100;
  using T = typename E::Tensor;
  Inputs<E> in;
  T x, y;
  Tiny(const std::string&, std::uint64_t seed)
      : in(seed), x(in.active({16})), y(in.passive({16}, 0.9, 1.1)) {}
  [[nodiscard]] Sizes shape() const { return {16}; }
  T forward() {
    T z = x;
    for (int i = 0; i < ops / 2; ++i) z = E::relu(E::add(z, y));
    return E::sum(z);
  }
  [[nodiscard]] Cost cost() const { return {16.0 * ops, 16.0 * ops, 128, 128}; }
  [[nodiscard]] double items() const { return ops; }
};

/// Two arrays of n numbers, of which one is differentiated.
template <class E>
struct TwoArrays {
  using T = typename E::Tensor;
  std::int64_t n;
  Inputs<E> in;
  T x, y, seed_gradient;
  TwoArrays(const std::string& size, std::uint64_t seed)
      : n(std::stoll(size)),
        in(seed),
        x(in.active({n})),
        y(in.passive({n}, 0.5, 1.5)),
        seed_gradient(in.passive({n})) {}
  [[nodiscard]] Sizes shape() const { return {n}; }
  [[nodiscard]] double items() const { return static_cast<double>(n); }
};

/// Ten cheap ops, one after the other.
template <class E>
struct Chain : TwoArrays<E> {
  static constexpr std::string_view name = "chain";
  static std::vector<std::string> sizes() { return {"65536", "16777216"}; }
  using TwoArrays<E>::TwoArrays;
  using T = typename E::Tensor;
  T forward() {
    const T &x = this->x, &y = this->y;
    T z = E::mul(x, 1.5);
    z = E::add(std::move(z), 0.25);
    z = E::mul(std::move(z), y);
    z = E::relu(std::move(z));
    z = E::sub(std::move(z), y);
    z = E::abs(std::move(z));
    z = E::add(std::move(z), x);
    z = E::mul(std::move(z), 0.5);
    z = E::neg(std::move(z));
    return E::add(std::move(z), 1.0);
  }
  [[nodiscard]] Cost cost() const {
    const auto d = static_cast<double>(this->n);
    return {10 * d, 12 * d, 12 * d, 16 * d};
  }
};

/// Ten ops of which three are tanh, sigmoid and exp.
template <class E>
struct Transcendental : TwoArrays<E> {
  static constexpr std::string_view name = "transcendental";
  static std::vector<std::string> sizes() { return {"65536"}; }
  using TwoArrays<E>::TwoArrays;
  using T = typename E::Tensor;
  T forward() {
    const T &x = this->x, &y = this->y;
    T z = E::mul(x, 1.5);
    z = E::tanh(std::move(z));
    z = E::mul(std::move(z), y);
    z = E::sigmoid(std::move(z));
    z = E::sub(std::move(z), 0.5);
    z = E::mul(z, z);
    z = E::exp(std::move(z));
    z = E::add(std::move(z), x);
    z = E::mul(std::move(z), 0.5);
    return E::add(std::move(z), y);
  }
  [[nodiscard]] Cost cost() const {
    const auto d = static_cast<double>(this->n);
    return {67 * d, 16 * d, 12 * d, 16 * d};
  }
};

template <class E>
struct BroadcastAdd {
  static constexpr std::string_view name = "broadcast_add";
  static std::vector<std::string> sizes() { return {"64x64", "4096x1024"}; }
  using T = typename E::Tensor;
  std::int64_t rows, columns;
  Inputs<E> in;
  T x, bias, seed_gradient;
  BroadcastAdd(const std::string& size, std::uint64_t seed)
      : rows(size == "64x64" ? 64 : 4096),
        columns(size == "64x64" ? 64 : 1024),
        in(seed),
        x(in.active({rows, columns})),
        bias(in.active({columns})),
        seed_gradient(in.passive({rows, columns})) {}
  [[nodiscard]] Sizes shape() const { return {rows, columns}; }
  T forward() { return E::add(x, bias); }
  [[nodiscard]] Cost cost() const {
    const auto d = static_cast<double>(rows * columns);
    return {d, d, 8 * d, 8 * d};
  }
  [[nodiscard]] double items() const { return static_cast<double>(rows * columns); }
};

template <class E>
struct ReduceSum {
  static constexpr std::string_view name = "reduce_sum";
  static std::vector<std::string> sizes() { return {"4096", "4194304"}; }
  using T = typename E::Tensor;
  std::int64_t n;
  Inputs<E> in;
  T x;
  ReduceSum(const std::string& size, std::uint64_t seed) : n(std::stoll(size)), in(seed), x(in.active({n})) {}
  [[nodiscard]] Sizes shape() const { return {n}; }
  T forward() { return E::sum(x); }
  [[nodiscard]] Cost cost() const {
    const auto d = static_cast<double>(n);
    return {d, 0, 4 * d, 4 * d};
  }
  [[nodiscard]] double items() const { return static_cast<double>(n); }
};

}  // namespace tare::workloads::tensor
