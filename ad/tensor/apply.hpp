// The one way an op happens: inputs are checked, the outputs made and computed (or captured), and the call is
// recorded when gradients flow through it.
#pragma once

#include <array>
#include <initializer_list>
#include <span>

#include "ad/tensor/tensor.hpp"

namespace tare::ad {

using Outputs = std::array<Tensor, most_outputs>;

Outputs apply_all(Op op, std::span<detail::Body* const> inputs, const Attributes& attributes = {});

inline Outputs apply_all(Op op, std::initializer_list<const Tensor*> inputs,
                         const Attributes& attributes = {}) {
  std::array<detail::Body*, most_inputs> bodies{};
  std::size_t count = 0;
  for (const Tensor* input : inputs) bodies[count++] = input->body();
  return apply_all(op, std::span<detail::Body* const>(bodies.data(), count), attributes);
}
inline Tensor apply(Op op, std::initializer_list<const Tensor*> inputs, const Attributes& attributes = {}) {
  return std::move(apply_all(op, inputs, attributes)[0]);
}
Tensor apply(Op op, std::span<const Tensor> inputs, const Attributes& attributes = {});

namespace detail {

/// Of the clock that events are told by.
std::int64_t now_ns();
/// Gives outputs data and runs the row; no recording, no capture.
void compute(Call& call, const OpRow& row);
/// Runs the row on outputs that have their data, watched and timed where asked.
void run_row(Call& call, const OpRow& row);

/// To where `strides` say, element by element.
void copy_elements(const Body& from, std::byte* to, const Strides& strides);
/// Can the elements be seen in another shape without moving them?
bool reshapes_in_place(const Body& x, const Shape& shape);

}  // namespace detail
}  // namespace tare::ad
