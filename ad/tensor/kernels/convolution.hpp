// Convolutions of images [n, c, h, w] with weights [out, c / groups, kh, kw], and their two derivatives. f32
// goes to oneDNN where it is there, f64 and the rest become matrix products over unfolded images.
#pragma once

#include <cstdint>

namespace tare::ad::kernels {

struct ConvSizes {
  std::int64_t n, c, h, w;   ///< of the input
  std::int64_t out, kh, kw;  ///< of the weights
  std::int64_t oh, ow;       ///< of the result
  std::int64_t stride, padding, dilation, groups;
  friend bool operator==(const ConvSizes&, const ConvSizes&) = default;
};

/// Which of the three arrays is computed from the other two.
enum class ConvPass : std::uint8_t {
  forward,  ///< result from input and weights
  input,    ///< input's gradient from the result's and the weights
  weight,   ///< weights' gradient from the result's and the input
};

/// The array that `pass` names is written, the others are read. No size but n is 0.
void convolve(ConvPass pass, const ConvSizes& sizes, float* input, float* weight, float* result);
void convolve(ConvPass pass, const ConvSizes& sizes, double* input, double* weight, double* result);

/// The same by oneDNN on the calling thread; false when it has no such convolution. `weight_row` is the
/// distance between the weights of two outputs.
bool convolve_by_onednn(ConvPass pass, const ConvSizes& sizes, float* input, float* weight, float* result,
                        std::int64_t weight_row);

}  // namespace tare::ad::kernels
