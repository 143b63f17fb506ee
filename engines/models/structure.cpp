#include "engines/models/structure.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <fmt/format.h>

#include "ad/tensor/ops.hpp"

namespace tare::models {
namespace {

constexpr std::array<std::string_view, 5> names{"linear", "convolution", "relu", "pool", "flatten"};
constexpr std::int64_t largest_size = 1 << 20;

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const auto end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::int64_t size_from(std::string_view text, std::string_view layer) {
  std::int64_t size = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), size);
  if (code != std::errc{} || end != text.data() + text.size() || size < 1 || size > largest_size)
    throw ad::AdError(
        fmt::format("structure: '{}' has a size that is no number from 1 to {}", layer, largest_size));
  return size;
}

}  // namespace

Structure parse_structure(std::string_view text) {
  Structure structure;
  for (auto layer : split(text, ',')) {
    if (layer.starts_with(' ')) layer.remove_prefix(1);
    const auto words = split(layer, ' ');
    const auto name = std::ranges::find(names, words.front());
    LayerSpec spec;
    if (name != names.end()) spec.kind = static_cast<Kind>(name - names.begin());
    if (name == names.end() || words.size() != (spec.has_weights() ? 3 : 1)) {
      throw ad::AdError(
          fmt::format("structure: '{}' is no layer; there are 'linear IN OUT', 'convolution IN OUT', relu, "
                      "pool and flatten",
                      layer));
    }
    if (spec.has_weights()) {
      spec.in = size_from(words[1], layer);
      spec.out = size_from(words[2], layer);
    }
    structure.push_back(spec);
  }
  return structure;
}

std::string text_of(const Structure& structure) {
  std::string text;
  for (const auto& layer : structure) {
    if (!text.empty()) text += ", ";
    text += names[static_cast<std::size_t>(layer.kind)];
    if (layer.has_weights()) text += fmt::format(" {} {}", layer.in, layer.out);
  }
  return text;
}

std::vector<Step> steps_of(const Structure& structure, const std::vector<std::int64_t>& shape) {
  std::int64_t channels = shape.front();
  std::int64_t height = shape.size() == 3 ? shape[1] : 1, width = shape.size() == 3 ? shape[2] : 1;
  std::vector<Step> steps;
  for (std::size_t i = 0; i < structure.size(); ++i) {
    const auto& layer = structure[i];
    const auto unfit = [&](const char* why) {
      return ad::AdError(fmt::format("structure: layer {} of '{}' gets [{}, {}, {}]: {}", i,
                                     text_of(structure), channels, height, width, why));
    };
    if (layer.kind == Kind::linear) {
      if (layer.in != channels * height * width) throw unfit("another number of inputs");
      steps.push_back({.layer = i, .k = layer.in, .n = layer.out, .channels = layer.in});
      channels = layer.out;
      height = width = 1;
    } else if (layer.kind == Kind::convolution) {
      if (layer.in != channels) throw unfit("another number of channels");
      steps.push_back({i, 9 * layer.in, layer.out, height, width, channels, true, false, false});
      channels = layer.out;
    } else if (layer.kind != Kind::flatten && steps.empty()) {
      throw unfit("nothing with weights before it");
    } else if (layer.kind == Kind::relu) {
      steps.back().relu = true;
    } else if (layer.kind == Kind::pool) {
      if (!steps.back().patches || steps.back().pool || height % 2 != 0 || width % 2 != 0)
        throw unfit("a pool halves the even sides of a convolution's picture, once");
      steps.back().pool = true;
      height /= 2;
      width /= 2;
    }
  }
  if (steps.empty() || steps.back().relu || steps.back().pool)
    throw ad::AdError(
        fmt::format("structure: '{}' does not end with a layer that has weights", text_of(structure)));
  return steps;
}

Cost cost_of(const std::vector<Step>& steps, double bytes_per_activation) {
  Cost cost;
  for (const auto& step : steps) {
    cost.flops += 2.0 * static_cast<double>(step.rows() * step.k * step.n);
    cost.activation_bytes +=
        bytes_per_activation * static_cast<double>(step.height * step.width * step.channels + step.outputs());
  }
  return cost;
}

ad::Tensor channels_last(const ad::Tensor& x) {
  if (x.rank() != 4 || x.size(1) == 1) return ad::contiguous(x);
  return ad::contiguous(ad::permute(x, {0, 2, 3, 1}));
}

}  // namespace tare::models
