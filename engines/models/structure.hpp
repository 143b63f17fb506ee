// What a network consists of, as text: "convolution 1 16, relu, pool, flatten, linear 256 10". It stands in a
// model's file and is all that is needed to read the rest. Convolutions are 3×3 and keep the picture's size,
// pools take the largest of 2×2.
//
// Networks that leave eager mode (quantised.hpp, sparse.hpp) run as steps: a matrix product over rows with
// what follows it. Pictures lie as [height, width, channels] there, so that a product's result is the next
// picture as it is.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ad/tensor/tensor.hpp"

namespace tare::models {

enum class Kind : std::uint8_t { linear, convolution, relu, pool, flatten };

struct LayerSpec {
  Kind kind = Kind::relu;
  std::int64_t in = 0, out = 0;  ///< of linear and convolution

  bool operator==(const LayerSpec&) const = default;
  [[nodiscard]] bool has_weights() const { return kind == Kind::linear || kind == Kind::convolution; }
};
using Structure = std::vector<LayerSpec>;

/// Throws an AdError that names what it does not understand.
Structure parse_structure(std::string_view text);
std::string text_of(const Structure& structure);

/// A product with a matrix [n, k] of each row of its input, and what follows.
struct Step {
  std::size_t layer = 0;  ///< whose weights
  std::int64_t k = 0, n = 0;
  std::int64_t height = 1, width = 1, channels = 0;  ///< of one input
  bool patches = false;                              ///< the rows are 3×3 surroundings of each pixel
  bool relu = false, pool = false;                   ///< afterwards

  [[nodiscard]] std::int64_t rows() const { return patches ? height * width : 1; }  ///< of one input
  [[nodiscard]] std::int64_t outputs() const { return rows() * n / (pool ? 4 : 1); }
};
/// For inputs of this shape: [channels, height, width] or [features]. Throws when a layer does not fit.
std::vector<Step> steps_of(const Structure& structure, const std::vector<std::int64_t>& shape);

/// Work of one input: two operations per product and sum, and each number read or written once.
struct Cost {
  double flops = 0;
  double activation_bytes = 0;
};
Cost cost_of(const std::vector<Step>& steps, double bytes_per_activation);

/// x [n, channels, height, width] as [n, height, width, channels]; other shapes as they are.
ad::Tensor channels_last(const ad::Tensor& x);

/// Surroundings of every pixel of a picture; outside of it stands `outside`.
template <class T>
void gather_patches(const T* picture, const Step& step, T outside, T* rows) {
  const auto c = step.channels, width = step.width;
  for (std::int64_t y = 0; y < step.height; ++y) {
    for (std::int64_t x = 0; x < width; ++x) {
      const auto left = x > 0 ? x - 1 : 0, right = x + 1 < width ? x + 2 : width;
      for (std::int64_t above = y - 1; above <= y + 1; ++above, rows += 3 * c) {
        if (above < 0 || above >= step.height) {
          std::fill_n(rows, 3 * c, outside);
          continue;
        }
        if (x == 0) std::fill_n(rows, c, outside);
        // The three pixels of a line lie side by side.
        std::copy(picture + (above * width + left) * c, picture + (above * width + right) * c,
                  rows + (left - (x - 1)) * c);
        if (x + 1 == width) std::fill_n(rows + 2 * c, c, outside);
      }
    }
  }
}

/// The largest of each 2×2 of a picture [height, width, n].
template <class T>
void pool_picture(const T* picture, const Step& step, T* to) {
  const auto row = step.width * step.n;
  for (std::int64_t y = 0; y + 1 < step.height; y += 2) {
    for (std::int64_t x = 0; x + 1 < step.width; x += 2, to += step.n) {
      const T* at = picture + y * row + x * step.n;
      for (std::int64_t j = 0; j < step.n; ++j)
        to[j] = std::max(std::max(at[j], at[j + step.n]), std::max(at[j + row], at[j + row + step.n]));
    }
  }
}

}  // namespace tare::models
