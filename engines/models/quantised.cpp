#include "engines/models/quantised.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "ad/tensor/kernels/gemm.hpp"
#include "ad/tensor/ops.hpp"

namespace tare::models {
namespace {

Range range_between(double low, double high) {
  // Zero must be a byte of its own: padding is zero, and so is what a relu cuts.
  low = std::min(low, 0.0);
  high = std::max(high, low + 1e-6);
  const double scale = (high - low) / static_cast<double>(largest_activation);
  return {static_cast<float>(scale), static_cast<float>(std::round(-low / scale))};
}

bool finite(float value) {
  return std::isfinite(value);
}

/// Bytes of values·factors + summands, not below `least`. Factors and summands repeat every `period` values.
/// The pointers are told apart, or bytes might be any of the others and nothing runs in lanes.
void to_bytes(const float* __restrict values, std::int64_t count, const float* __restrict factor,
              const float* __restrict summand, std::int64_t period, float least,
              std::uint8_t* __restrict to) {
  for (std::int64_t begin = 0; begin < count; begin += period) {
    for (std::int64_t j = 0; j < period; ++j) {
      const float value = values[begin + j] * factor[j] + summand[j] + 0.5F;  // cut below: rounded
      const float above = value > least ? value : least;
      const float within = above < largest_activation ? above : largest_activation;
      to[begin + j] = static_cast<std::uint8_t>(static_cast<int>(within));
    }
  }
}

constexpr std::int64_t panel = 16;    // outputs that one instruction serves
constexpr std::int64_t together = 4;  // rows, and neighbouring inputs of a row

#if defined(__x86_64__)
/// Sums of each row's products with weights that lie as packed() leaves them. At least `together` rows; the
/// last are computed twice where their number is no multiple of it.
[[gnu::target("avx512f,avx512bw,avx512vnni")]] void many_rows(const std::uint8_t* x, std::int64_t rows,
                                                              std::int64_t k, const std::int8_t* weights,
                                                              std::int64_t n, float* sums) {
  for (std::int64_t j = 0; j < n; j += panel, weights += k * panel) {
    const auto mask = static_cast<__mmask16>((1U << static_cast<unsigned>(std::min(panel, n - j))) - 1);
    for (std::int64_t next = 0; next < rows; next += together) {
      const auto row = std::min(next, rows - together);
      __m512i sum[together] = {};
      for (std::int64_t l = 0; l < k; l += together) {
        const auto weight = _mm512_loadu_si512(weights + l * panel);
        for (std::int64_t r = 0; r < together; ++r) {
          std::int32_t four;
          std::memcpy(&four, x + (row + r) * k + l, sizeof four);
          auto& own = sum[r];
          own = _mm512_dpbusd_epi32(own, _mm512_set1_epi32(four), weight);
        }
      }
      for (std::int64_t r = 0; r < together; ++r)
        _mm512_mask_storeu_ps(sums + (row + r) * n + j, mask, _mm512_cvtepi32_ps(sum[r]));
    }
  }
}
bool has_many_rows() {
  return __builtin_cpu_supports("avx512vnni") != 0 && __builtin_cpu_supports("avx512bw") != 0;
}
#else
void many_rows(const std::uint8_t*, std::int64_t, std::int64_t, const std::int8_t*, std::int64_t, float*) {}
bool has_many_rows() {
  return false;
}
#endif

/// Weights [n, k] in panels of outputs, four inputs of each side by side; none where many_rows() does not
/// serve.
std::vector<std::int8_t> packed(std::span<const std::int8_t> weight, const Step& step) {
  if (!has_many_rows() || step.k % together != 0) return {};
  const auto panels = (step.n + panel - 1) / panel;
  std::vector<std::int8_t> all(static_cast<std::size_t>(panels * panel * step.k));
  for (std::int64_t j = 0; j < step.n; ++j) {
    for (std::int64_t l = 0; l < step.k; ++l) {
      const auto group = (j / panel * step.k + l / together * together) * panel;
      all[static_cast<std::size_t>(group + j % panel * together + l % together)] =
          weight[static_cast<std::size_t>(j * step.k + l)];
    }
  }
  return all;
}

}  // namespace

QuantisedNetwork::QuantisedNetwork(const ad::Safetensors& file, const std::vector<std::int64_t>& shape) {
  const auto steps = steps_of(parse_structure(text_in(file, "structure")), shape);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const auto& step = steps[i];
    const auto name = std::to_string(step.layer);
    const auto range = tensor_of(file, name + ".range", ad::DType::f32, {2}).values<float>();
    if (!(range[0] > 0) || !(range[1] >= 0 && range[1] <= largest_activation))
      throw ad::AdError(
          fmt::format("model file: range {} {} of layer {} is none", range[0], range[1], step.layer));
    auto& layer = layers_.emplace_back();
    layer.step = step;
    layer.range = {range[0], range[1]};
    layer.weight = tensor_of(file, name + ".weight", ad::DType::i8, {step.n, step.k});
  }
  for (std::size_t i = 0; i < steps.size(); ++i) {
    auto& layer = layers_[i];
    const auto& step = layer.step;
    const auto name = std::to_string(step.layer);
    const auto scale = tensor_of(file, name + ".scale", ad::DType::f32, {step.n}).values<float>();
    const auto bias = tensor_of(file, name + ".bias", ad::DType::f32, {step.n}).values<float>();
    const Range after = i + 1 < layers_.size() ? layers_[i + 1].range : Range{};
    const auto weight = layer.weight.values<std::int8_t>();
    layer.packed = packed(weight, step);
    for (std::int64_t j = 0; j < step.n; ++j) {
      std::int64_t sum = 0;
      for (std::int64_t l = 0; l < step.k; ++l) sum += weight[static_cast<std::size_t>(j * step.k + l)];
      const auto at = static_cast<std::size_t>(j);
      const float real = layer.range.scale * scale[at];
      layer.factor.push_back(real / after.scale);
      layer.summand.push_back((bias[at] - real * layer.range.zero * static_cast<float>(sum)) / after.scale +
                              after.zero);
    }
    if (!std::ranges::all_of(layer.factor, finite) || !std::ranges::all_of(layer.summand, finite))
      throw ad::AdError(
          fmt::format("model file: layer {} has a scale or bias that is not finite", step.layer));
    layer.least = step.relu ? after.zero : 0;
  }
  const auto& first = layers_.front();
  const auto size = static_cast<std::size_t>(first.step.height * first.step.width * first.step.channels);
  input_factor_.assign(size, 1 / first.range.scale);
  input_summand_.assign(size, first.range.zero);
}

ad::Tensor QuantisedNetwork::operator()(const ad::Tensor& x) {
  const ad::Tensor dense = channels_last(x);
  const auto inputs = dense.values<float>();
  const auto n = x.size(0);
  const auto& first = layers_.front();
  if (static_cast<std::int64_t>(inputs.size()) !=
      n * first.step.height * first.step.width * first.step.channels)
    throw ad::AdError(
        fmt::format("quantised network: inputs of shape {} do not fit", ad::text_of(x.shape())));
  current_.resize(inputs.size());
  to_bytes(inputs.data(), static_cast<std::int64_t>(inputs.size()), input_factor_.data(),
           input_summand_.data(), static_cast<std::int64_t>(input_factor_.size()), 0, current_.data());
  for (std::size_t i = 0;; ++i) {
    const auto& layer = layers_[i];
    const auto& step = layer.step;
    const auto rows = n * step.rows();
    const std::uint8_t* from = current_.data();
    if (step.patches) {
      patches_.resize(static_cast<std::size_t>(rows * step.k));
      const auto size = step.height * step.width * step.channels;
      for (std::int64_t e = 0; e < n; ++e)
        gather_patches(from + e * size, step, static_cast<std::uint8_t>(layer.range.zero),
                       patches_.data() + e * step.rows() * step.k);
      from = patches_.data();
    }
    const bool last = i + 1 == layers_.size();
    ad::Tensor result = last ? ad::Tensor::empty({n, step.rows() * step.n}) : ad::Tensor();
    if (!last) sums_.resize(static_cast<std::size_t>(rows * step.n));
    float* sums = last ? result.mutable_values<float>().data() : sums_.data();
    if (rows >= together && !layer.packed.empty()) {
      many_rows(from, rows, step.k, layer.packed.data(), step.n, sums);
    } else {
      ad::kernels::gemm_u8i8({rows, step.n, step.k, false, true}, from, step.k,
                             layer.weight.values<std::int8_t>().data(), step.k, sums, step.n);
    }
    const float *factor = layer.factor.data(), *summand = layer.summand.data();
    if (last) {
      for (std::int64_t r = 0; r < rows; ++r)
        for (std::int64_t j = 0; j < step.n; ++j)
          sums[r * step.n + j] = sums[r * step.n + j] * factor[j] + summand[j];
      return result;
    }
    next_.resize(static_cast<std::size_t>(rows * step.n));
    to_bytes(sums, rows * step.n, factor, summand, step.n, layer.least, next_.data());
    if (step.pool) {
      current_.resize(next_.size() / 4);
      for (std::int64_t e = 0; e < n; ++e)
        pool_picture(next_.data() + e * step.rows() * step.n, step, current_.data() + e * step.outputs());
    } else {
      std::swap(current_, next_);
    }
  }
}

ad::Safetensors quantise(const Network& network, const std::vector<std::int64_t>& shape,
                         const ad::Tensor& calibration) {
  const ad::NoGrad quiet;
  const auto steps = steps_of(network.structure(), shape);
  const auto matrices = matrices_of(network, steps);
  const auto inputs = inputs_of_layers(network, calibration);
  ad::Safetensors file{{}, {{"kind", "int8"}, {"structure", text_of(network.structure())}}};
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const auto name = std::to_string(steps[i].layer);
    const auto range = range_between(ad::amin(inputs[i]).item(), ad::amax(inputs[i]).item());
    const ad::Tensor scale = ad::amax(ad::abs(matrices[i]), {1}, true) / 127.0 + 1e-12;
    const ad::Tensor scaled = matrices[i] / scale;
    ad::Tensor weight = ad::Tensor::empty(scaled.shape(), ad::DType::i8);
    std::ranges::transform(scaled.values<float>(), weight.mutable_values<std::int8_t>().begin(),
                           [](float v) { return static_cast<std::int8_t>(std::lround(v)); });
    file.tensors[name + ".weight"] = weight;
    file.tensors[name + ".scale"] = ad::reshape(scale, {steps[i].n});
    file.tensors[name + ".bias"] = network.layers[steps[i].layer].bias.detach();
    file.tensors[name + ".range"] = ad::Tensor::of({range.scale, range.zero}, {2});
  }
  return file;
}

}  // namespace tare::models
