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

namespace detail {

struct Bodies {
  std::array<Body*, most_inputs> bodies{};
  std::size_t count = 0;
  Bodies(std::initializer_list<const Tensor*> tensors) {
    for (const Tensor* tensor : tensors) bodies[count++] = tensor->body();
  }
  operator std::span<Body* const>() const { return {bodies.data(), count}; }
};

}  // namespace detail

inline Outputs apply_all(Op op, std::initializer_list<const Tensor*> inputs,
                         const Attributes& attributes = {}) {
  return apply_all(op, detail::Bodies(inputs), attributes);
}
inline Tensor apply(Op op, std::initializer_list<const Tensor*> inputs, const Attributes& attributes = {}) {
  return std::move(apply_all(op, inputs, attributes)[0]);
}
Tensor apply(Op op, std::span<const Tensor> inputs, const Attributes& attributes = {});

/// A pointwise op whose result may take the memory of a giver, one of the inputs: of the first that has the
/// result's type and shape, that nobody else sees and that no gradient flows through. That giver is undefined
/// afterwards. Without one, like apply().
Tensor apply_over(std::initializer_list<Tensor*> givers, Op op, std::span<detail::Body* const> inputs,
                  const Attributes& attributes = {});
inline Tensor apply_over(std::initializer_list<Tensor*> givers, Op op,
                         std::initializer_list<const Tensor*> inputs) {
  return apply_over(givers, op, detail::Bodies(inputs));
}

namespace detail {

/// Of the clock that events are told by.
std::int64_t now_ns();
/// Gives outputs data and runs the row; no recording, no capture.
void compute(Call& call, const OpRow& row);
/// Runs the row on outputs that have their data, watched and timed where asked.
void run_row(Call& call, const OpRow& row);

/// Nobody else sees its memory, so that it may change.
bool is_sole_owner(const Tensor& t);

/// To where `strides` say, element by element.
void copy_elements(const Body& from, std::byte* to, const Strides& strides);
/// Can the elements be seen in another shape without moving them?
bool reshapes_in_place(const Body& x, const Shape& shape);

}  // namespace detail
}  // namespace tare::ad
