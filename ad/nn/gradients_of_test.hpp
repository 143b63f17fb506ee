// For tests: the gradients of a layer with respect to its input and all that it learns, against differences.
#pragma once

#include <gtest/gtest.h>

#include "ad/nn/parameters.hpp"
#include "ad/tensor/check.hpp"

namespace tare::ad::nn {

/// f gives the layer's result for an input; the parameters are f64 leaves that it reaches by itself.
inline void expect_gradients(const std::function<Tensor(const Tensor&)>& f, const Tensor& x,
                             const Parameters& parameters) {
  std::vector<Tensor> inputs{x};
  for (const auto& [name, tensor] : parameters)
    if (tensor.needs_grad()) inputs.push_back(tensor);
  const auto report =
      compare_gradients([&](std::span<const Tensor> in) { return f(in[0]); }, inputs, {.second_order = true});
  EXPECT_TRUE(report.agrees) << report.text();
  EXPECT_LT(report.error, 1e-6);
}

}  // namespace tare::ad::nn
