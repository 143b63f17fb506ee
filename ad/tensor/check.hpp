// A check for those who write derivatives: check_gradients compares what backward gives with central
// differences of fourth order in f64, element by element. Where the function has a kink the two differ, and
// rightly so.
#pragma once

#include <functional>
#include <span>
#include <string>

#include "ad/tensor/tensor.hpp"

namespace tare::ad {

struct GradientCheckOptions {
  double step = 1e-4;  ///< differences reach twice as far
  /// Of |analytic − numeric| / max(1, |numeric|, |value|).
  double tolerance = 1e-6;
  bool second_order = false;       ///< the gradient's own gradient as well
  std::int64_t most_elements = 0;  ///< of each input, spread over it; 0: all
};

struct GradientCheckReport {
  bool agrees = true;
  int order = 1;           ///< 2: of the gradient's gradient
  std::size_t input = 0;   ///< where the error is largest
  std::int64_t index = 0;  ///< row-major, in that input
  double analytic = 0;
  double numeric = 0;
  double error = 0;  ///< as the tolerance is meant
  [[nodiscard]] std::string text() const;
};

using TensorFunction = std::function<Tensor(std::span<const Tensor>)>;

/// f is called with the inputs: dense f64 leaves as they are (moved in place and put back, so that f may also
/// reach them by itself, as a layer does its weights), other floating ones as f64 copies; whole types are
/// passed on. A result of several elements is summed with fixed random weights.
GradientCheckReport compare_gradients(const TensorFunction& f, std::span<const Tensor> inputs,
                                      const GradientCheckOptions& options = {});
/// The same; throws an AdError that names the worst element when they disagree.
GradientCheckReport check_gradients(const TensorFunction& f, std::span<const Tensor> inputs,
                                    const GradientCheckOptions& options = {});

}  // namespace tare::ad
