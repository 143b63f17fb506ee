#include "engines/models/sparse.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

#include "ad/tensor/ops.hpp"

namespace tare::models {
namespace {

/// Inputs that one pass over the weights serves, and how they are held.
constexpr std::int64_t lanes = 16, half = lanes / 2;
using Half [[gnu::vector_size(half * sizeof(float)), gnu::aligned(alignof(float))]] = float;

struct Stored {
  std::vector<float> values;
  std::vector<std::uint8_t> skips;
};

Stored without_zeros(std::span<const float> matrix) {
  Stored stored;
  std::size_t gap = 0;
  for (const float value : matrix) {
    if (value == 0 && gap < 255) {
      ++gap;
      continue;
    }
    stored.values.push_back(value);
    stored.skips.push_back(static_cast<std::uint8_t>(gap));
    gap = 0;
  }
  return stored;
}

}  // namespace

SparseNetwork::SparseNetwork(const ad::Safetensors& file, const std::vector<std::int64_t>& shape) {
  for (const auto& step : steps_of(parse_structure(text_in(file, "structure")), shape)) {
    const auto name = std::to_string(step.layer);
    const auto stored = file.tensors.find(name + ".value");
    if (stored == file.tensors.end() || stored->second.rank() != 1 ||
        stored->second.dtype() != ad::DType::f32)
      throw ad::AdError(fmt::format("model file: no list of weights '{}.value'", name));
    const auto values = stored->second.values<float>();
    const auto skips =
        tensor_of(file, name + ".skip", ad::DType::u8, stored->second.shape()).values<std::uint8_t>();
    const auto bias = tensor_of(file, name + ".bias", ad::DType::f32, {step.n}).values<float>();
    Layer layer{
        step, {}, {}, std::vector<std::size_t>(static_cast<std::size_t>(step.n)), {bias.begin(), bias.end()}};
    std::int64_t place = -1;
    for (std::size_t i = 0; i < values.size(); ++i) {
      place += skips[i] + 1;
      if (place >= step.k * step.n)
        throw ad::AdError(fmt::format("model file: weights of layer {} lie beyond its {}×{} matrix",
                                      step.layer, step.n, step.k));
      if (values[i] == 0) continue;  // only there to bridge a gap
      layer.values.push_back(values[i]);
      layer.columns.push_back(static_cast<std::int32_t>(place % step.k));
      ++layer.ends[static_cast<std::size_t>(place / step.k)];
    }
    for (std::size_t j = 1; j < layer.ends.size(); ++j) layer.ends[j] += layer.ends[j - 1];
    layers_.push_back(std::move(layer));
  }
}

std::int64_t SparseNetwork::weights() const {
  std::int64_t count = 0;
  for (const auto& layer : layers_)
    count += static_cast<std::int64_t>(layer.values.size() + layer.bias.size());
  return count;
}

double SparseNetwork::flops() const {
  double flops = 0;
  for (const auto& layer : layers_)
    flops += 2.0 * static_cast<double>(layer.values.size()) * static_cast<double>(layer.step.rows());
  return flops;
}

void SparseNetwork::product(const Layer& layer, const float* x, std::int64_t rows, float* y) {
  const auto k = layer.step.k, n = layer.step.n;
  const bool relu = layer.step.relu;
  const auto finished = [relu](float sum) { return relu ? std::max(sum, 0.0F) : sum; };
  std::int64_t row = 0;
  for (; row + lanes <= rows; row += lanes) {
    // A column of these rows lies dense, so that a weight meets all of them at once.
    columns_.resize(static_cast<std::size_t>(k * lanes));
    for (std::int64_t l = 0; l < lanes; ++l)
      for (std::int64_t j = 0; j < k; ++j)
        columns_[static_cast<std::size_t>(j * lanes + l)] = x[(row + l) * k + j];
    std::size_t at = 0;
    for (std::int64_t j = 0; j < n; ++j) {
      Half first = layer.bias[static_cast<std::size_t>(j)] - Half{}, second = first;
      for (; at < layer.ends[static_cast<std::size_t>(j)]; ++at) {
        const float* column = columns_.data() + static_cast<std::ptrdiff_t>(layer.columns[at]) * lanes;
        first += layer.values[at] * *reinterpret_cast<const Half*>(column);
        second += layer.values[at] * *reinterpret_cast<const Half*>(column + half);
      }
      for (std::int64_t l = 0; l < half; ++l) {
        y[(row + l) * n + j] = finished(first[l]);
        y[(row + half + l) * n + j] = finished(second[l]);
      }
    }
  }
  for (; row < rows; ++row) {
    std::size_t at = 0;
    for (std::int64_t j = 0; j < n; ++j) {
      // Four sums, which need not wait for each other.
      std::array<float, 4> sums{layer.bias[static_cast<std::size_t>(j)]};
      const auto end = layer.ends[static_cast<std::size_t>(j)];
      const auto term = [&](std::size_t i) { return layer.values[i] * x[row * k + layer.columns[i]]; };
      for (; at + 4 <= end; at += 4)
        for (std::size_t i = 0; i < 4; ++i) sums[i] += term(at + i);
      for (; at < end; ++at) sums[0] += term(at);
      y[row * n + j] = finished(sums[0] + sums[1] + (sums[2] + sums[3]));
    }
  }
}

ad::Tensor SparseNetwork::operator()(const ad::Tensor& x) {
  const ad::Tensor dense = channels_last(x);
  const auto inputs = dense.values<float>();
  const auto n = x.size(0);
  const auto& first = layers_.front().step;
  if (static_cast<std::int64_t>(inputs.size()) != n * first.height * first.width * first.channels)
    throw ad::AdError(fmt::format("sparse network: inputs of shape {} do not fit", ad::text_of(x.shape())));
  const float* from = inputs.data();
  for (const auto& layer : layers_) {
    const auto& step = layer.step;
    const auto rows = n * step.rows();
    if (step.patches) {
      patches_.resize(static_cast<std::size_t>(rows * step.k));
      for (std::int64_t e = 0; e < n; ++e)
        gather_patches(from + e * step.height * step.width * step.channels, step, 0.0F,
                       patches_.data() + e * step.rows() * step.k);
      from = patches_.data();
    }
    if (&layer == &layers_.back()) {
      ad::Tensor result = ad::Tensor::empty({n, step.rows() * step.n});
      product(layer, from, rows, result.mutable_values<float>().data());
      return result;
    }
    next_.resize(static_cast<std::size_t>(rows * step.n));
    product(layer, from, rows, next_.data());
    if (step.pool) {
      current_.resize(next_.size() / 4);
      for (std::int64_t e = 0; e < n; ++e)
        pool_picture(next_.data() + e * step.rows() * step.n, step, current_.data() + e * step.outputs());
    } else {
      std::swap(current_, next_);
    }
    from = current_.data();
  }
  throw ad::AdError("sparse network: no layers");
}

ad::Safetensors sparse_file_of(const Network& network, const std::vector<std::int64_t>& shape) {
  const auto steps = steps_of(network.structure(), shape);
  const auto matrices = matrices_of(network, steps);
  ad::Safetensors file{{}, {{"kind", "sparse"}, {"structure", text_of(network.structure())}}};
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const auto name = std::to_string(steps[i].layer);
    const auto stored = without_zeros(matrices[i].values<float>());
    const auto count = static_cast<std::int64_t>(stored.values.size());
    file.tensors[name + ".value"] = ad::Tensor::of(std::span(stored.values), {count});
    file.tensors[name + ".skip"] = ad::Tensor::of(std::span(stored.skips), {count});
    file.tensors[name + ".bias"] = network.layers[steps[i].layer].bias.detach();
  }
  return file;
}

}  // namespace tare::models
