// Tensor workloads, written once over an engine E that has tensors and operations as static functions
// (engines/tensor/ has them). A workload makes its data from a seed, computes a result, and knows what it
// costs at least: flops, and bytes when every input is read and every result written once.
#pragma once

#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tare::workloads::tensor {

using Sizes = std::vector<std::int64_t>;

inline std::int64_t count_of(const Sizes& sizes) {
  std::int64_t count = 1;
  for (const auto size : sizes) count *= size;
  return count;
}

struct Cost {
  double forward_flops = 0;
  double backward_flops = 0;
  double forward_bytes = 0;
  double backward_bytes = 0;
};

/// Uniform numbers, the same for every engine.
class Data {
 public:
  explicit Data(std::uint64_t seed) : random_(seed) {}
  std::vector<float> uniform(std::int64_t count, double low, double high) {
    std::vector<float> values(static_cast<std::size_t>(count));
    std::uniform_real_distribution<float> draw(static_cast<float>(low), static_cast<float>(high));
    for (auto& value : values) value = draw(random_);
    return values;
  }
  std::vector<std::int64_t> below(std::int64_t count, std::int64_t limit) {
    std::vector<std::int64_t> values(static_cast<std::size_t>(count));
    for (auto& value : values)
      value = static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(limit));
    return values;
  }

 private:
  std::mt19937_64 random_;
};

/// Inputs of one workload: made, and known to be differentiated or not.
template <class E>
class Inputs {
 public:
  explicit Inputs(std::uint64_t seed) : data_(seed) {}
  typename E::Tensor active(const Sizes& sizes, double low = -1, double high = 1) {
    parameters.push_back(E::make(data_.uniform(count_of(sizes), low, high), sizes, true));
    return parameters.back();
  }
  /// Of a layer with that many inputs.
  typename E::Tensor weight(const Sizes& sizes, std::int64_t inputs) {
    const double reach = 1 / std::sqrt(static_cast<double>(inputs));
    return active(sizes, -reach, reach);
  }
  typename E::Tensor passive(const Sizes& sizes, double low = -1, double high = 1) {
    return E::make(data_.uniform(count_of(sizes), low, high), sizes, false);
  }
  typename E::Tensor classes(const Sizes& sizes, std::int64_t limit) {
    return E::make_ids(data_.below(count_of(sizes), limit), sizes);
  }
  std::vector<typename E::Tensor> parameters;

 private:
  Data data_;
};

}  // namespace tare::workloads::tensor
