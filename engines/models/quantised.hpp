// Networks in 8-bit arithmetic, after training: weights as signed bytes with a scale per output, activations
// as unsigned bytes with a scale and a zero point from calibration, products summed exactly. Between layers
// nothing is floating: what follows a product (scale, bias, relu, the next layer's scale) is one
// multiplication and addition per number.
//
// Activations use 0 … 127: CPUs without VNNI add pairs of products in 16 bits, which that fits.
#pragma once

#include "engines/models/network.hpp"

namespace tare::models {

/// u8 = round(x / scale) + zero.
struct Range {
  float scale = 1;
  float zero = 0;
};
inline constexpr float largest_activation = 127;

class QuantisedNetwork {
 public:
  /// Throws when the file's tensors do not fit its structure, or an input's shape does not.
  QuantisedNetwork(const ad::Safetensors& file, const std::vector<std::int64_t>& shape);
  /// x [n, shape…] to [n, outputs]. Not for two threads at once: it keeps its buffers.
  ad::Tensor operator()(const ad::Tensor& x);

 private:
  struct Layer {
    Step step;
    Range range;                         ///< of the input
    ad::Tensor weight;                   ///< i8 [n, k]
    std::vector<std::int8_t> packed;     ///< the same for many rows at a time, on CPUs with VNNI
    std::vector<float> factor, summand;  ///< of a sum: the next layer's bytes, or at the end the result
    float least = 0;                     ///< of the next layer's bytes: its zero point after a relu
  };
  std::vector<Layer> layers_;
  std::vector<std::uint8_t> current_, next_, patches_;
  std::vector<float> sums_, input_factor_, input_summand_;
};

/// The file of a quantised network. Ranges are those of the layers' inputs on the calibration examples.
ad::Safetensors quantise(const Network& network, const std::vector<std::int64_t>& shape,
                         const ad::Tensor& calibration);

}  // namespace tare::models
