// What every workload is: a scalar function of many inputs, written once as a template over the number type,
// with a hand-written adjoint beside it. Nothing of an engine or of the harness is known here.
//   W w(n, seed);                        the problem of size n; its data decided by the seed
//   auto x = w.point(seed);              where to differentiate
//   w.value<T>(x, scratch);              the function; scratch holds w.scratch() numbers of type T
//   w.gradient(x, g, scratch);           value and gradient; scratch holds w.adjoint_scratch() doubles
// Scratch comes from outside, so that neither the function nor its adjoint allocates. Values stay in the
// range of ordinary numbers at every size: factors of long chains lie within 1/n of one.
#pragma once

#include <array>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace tare::workloads {

/// A named part of the inputs; errors are judged block by block.
struct Block {
  std::string_view name;
  std::size_t begin = 0;
  std::size_t size = 0;
};

/// The number inside a number type, for decisions (a maximum, a pivot). Engines say it for their types; a
/// type that records decisions gives a number of its own kind through which no derivative passes.
template <class T>
struct Plain {
  static double of(const T& x) { return static_cast<double>(x); }
};

/// The lesser of two, the first if equal. A type that is replayed for other inputs chooses anew at each.
template <class T>
struct Lesser {
  static const T& of(const T& a, const T& b) { return Plain<T>::of(b) < Plain<T>::of(a) ? b : a; }
};

template <class W>
concept Workload = requires(const W w, const double* x, double* g, double* s, std::uint64_t seed) {
  { W::name } -> std::convertible_to<std::string_view>;
  { W::sizes } -> std::convertible_to<std::span<const std::size_t>>;
  W(std::size_t{}, seed);
  { w.inputs() } -> std::same_as<std::size_t>;
  { w.point(seed) } -> std::same_as<std::vector<double>>;
  { w.blocks() } -> std::same_as<std::vector<Block>>;
  { w.scratch() } -> std::same_as<std::size_t>;
  { w.adjoint_scratch() } -> std::same_as<std::size_t>;
  { w.template value<double>(x, s) } -> std::same_as<double>;
  { w.gradient(x, g, s) } -> std::same_as<double>;
};

/// splitmix64: the same numbers on every machine and standard library.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  double uniform(double low, double high) {
    state_ += 0x9E3779B97F4A7C15U;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
    z ^= z >> 31U;
    return low + (high - low) * (static_cast<double>(z >> 11U) * 0x1p-53);
  }
  std::vector<double> uniforms(std::size_t n, double low, double high) {
    std::vector<double> all(n);
    for (double& x : all) x = uniform(low, high);
    return all;
  }

 private:
  std::uint64_t state_;
};

}  // namespace tare::workloads
