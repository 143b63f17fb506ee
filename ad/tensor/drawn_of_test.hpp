// For tests of the op table: its cases, inputs drawn for one, the same values scattered in memory, and a row
// called by its code.
#pragma once

#include <cmath>
#include <random>
#include <vector>

#include "ad/tensor/ops.hpp"

namespace tare::ad {

struct RowCase {
  Op op;
  std::size_t at;
};
/// Every case of every row.
inline std::vector<RowCase> all_cases() {
  std::vector<RowCase> cases;
  for (int code = 0; code < op_count; ++code) {
    const auto op = static_cast<Op>(code);
    if (row_of(op).cases == nullptr) continue;
    for (std::size_t i = 0; i < row_of(op).cases().size(); ++i) cases.push_back({op, i});
  }
  return cases;
}

/// A view with gaps and, from two axes on, in another order.
inline Tensor scattered(const Tensor& x) {
  if (x.rank() == 0) return x;
  Shape order;
  for (int i = x.rank() - 1; i >= 0; --i) order.push(i);
  const Tensor turned = copy(permute(x, order));
  Tensor gaps = Tensor::full({turned.count() * 2}, 77, x.dtype());
  Tensor view = slice(gaps, 0, 0, gaps.count(), 2);
  Tensor rows = reshape(turned, {turned.count()});
  view.copy_(rows);
  Shape turned_shape;
  for (const auto axis : order.list()) turned_shape.push(x.shape()[static_cast<int>(axis)]);
  return permute(reshape(view, turned_shape), order);
}

/// Whole inputs are i64; the condition of where, and what logical_not takes, bool.
inline std::vector<Tensor> draw(Op op, const Case& c, DType type, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<Tensor> inputs;
  for (const auto& input : c.inputs) {
    std::vector<double> values(static_cast<std::size_t>(input.shape.count()));
    for (auto& value : values) {
      value = std::uniform_real_distribution<double>(input.low, input.high)(random);
      if (input.whole) value = std::floor(value);
    }
    const Tensor x = Tensor::of(std::span<const double>(values), input.shape);
    const bool condition = inputs.empty() && (op == Op::where || op == Op::logical_not);
    inputs.push_back(cast(x, condition ? DType::boolean : input.whole ? DType::i64 : type));
  }
  return inputs;
}

inline Outputs call(Op op, const std::vector<Tensor>& inputs, const Attributes& attributes) {
  std::vector<detail::Body*> bodies;
  for (const auto& input : inputs) bodies.push_back(input.body());
  return apply_all(op, bodies, attributes);
}

}  // namespace tare::ad
