// The record of eager mode and its sweep. A node keeps what the derivative of its op needs, no more: the data
// of other inputs is free to go, their shapes stay. The sweep visits a node when all that depends on it has
// been visited, and frees what the node kept as soon as it is past.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "ad/tensor/tensor.hpp"

namespace tare::ad {

/// d(sum of seed·y)/dx for each x; nothing is added to grad(). With `differentiable` the gradients are
/// recorded themselves, so that they can be differentiated again. An x that y does not depend on gets zeros.
struct GradientOptions {
  bool differentiable = false;
  bool retain = false;  ///< keep the record for another sweep; implied by differentiable
};
std::vector<Tensor> gradient(const Tensor& y, std::span<const Tensor> xs, const Tensor& seed = {},
                             GradientOptions options = {});
inline Tensor gradient(const Tensor& y, const Tensor& x, GradientOptions options = {}) {
  return std::move(gradient(y, std::span(&x, 1), {}, options).front());
}

/// An op of the user's: values forward, derivatives backward. `backward` gets inputs, outputs and the
/// outputs' gradients and returns one gradient per input (undefined: none).
struct CustomOp {
  std::string name;
  std::function<std::vector<Tensor>(std::span<const Tensor> inputs)> forward;
  std::function<std::vector<Tensor>(std::span<const Tensor> inputs, std::span<const Tensor> outputs,
                                    std::span<const Tensor> gradients)>
      backward;
};
std::vector<Tensor> apply_custom(const CustomOp& op, std::span<const Tensor> inputs);

namespace detail {

struct Hooks {
  std::vector<std::function<Tensor(const Tensor&)>> list;
  std::function<void(Tensor& leaf, const Tensor& gradient)> taker;
};

struct Node {
  struct Input {
    Body* body;  ///< a reference, and a user where `saved`
    std::uint32_t version;
    bool saved;
  };

  std::atomic<std::int32_t> refs{1};
  Op op = Op::neg;
  std::uint8_t output_count = 1;
  std::uint16_t input_count = 0;
  std::uint32_t mark = 0;    ///< the sweep that reached it last
  std::int32_t pending = 0;  ///< consumers not yet visited in this sweep
  bool released = false;
  Attributes* attributes = nullptr;
  std::array<Body*, most_outputs> outputs{};  ///< saved ones, without history
  std::array<std::uint32_t, most_outputs> output_versions{};
  std::array<Tensor, most_outputs> grads;
  std::array<Hooks*, most_outputs> hooks{};
  CustomOp* custom = nullptr;
  Node* next = nullptr;  ///< in the list of those that wait to be freed

  [[nodiscard]] std::span<Input> inputs() { return {reinterpret_cast<Input*>(this + 1), input_count}; }
};

void free_node(Node* node);
inline void add_ref(Node* node) {
  node->refs.fetch_add(1, std::memory_order_relaxed);
}
inline void drop_ref(Node* node) {
  if (node->refs.load(std::memory_order_acquire) == 1 ||
      node->refs.fetch_sub(1, std::memory_order_acq_rel) == 1)
    free_node(node);
}

/// Frees what the node kept for its derivative.
void release_saved(Node& node);
[[noreturn]] void throw_released(const Node& node);
/// Makes the node of a call whose outputs are computed, and ties the outputs to it.
void record(const Call& call, const OpRow& row);

/// What a derivative rule sees and gives.
struct VjpContext {
  Node& node;
  const Attributes& attributes;
  std::span<Tensor> given;   ///< one per input
  bool differentiable;       ///< the rule's own ops are recorded or captured: no fused shortcuts
  bool keeps_record = true;  ///< somebody may sweep again: what the node saved stays

  /// An input the row saves; throws when it was changed in place since.
  [[nodiscard]] Tensor input(int i) const;
  /// An output the row saves; throws when it was changed in place since.
  [[nodiscard]] Tensor output(int k) const;
  [[nodiscard]] const Shape& shape(int i) const {
    return node.inputs()[static_cast<std::size_t>(i)].body->shape;
  }
  [[nodiscard]] DType dtype(int i) const { return node.inputs()[static_cast<std::size_t>(i)].body->dtype; }
  [[nodiscard]] int inputs() const { return node.input_count; }
  [[nodiscard]] const Tensor& grad(int k = 0) const { return node.grads[static_cast<std::size_t>(k)]; }
  [[nodiscard]] bool wants(int i) const {
    return i < node.input_count && node.inputs()[static_cast<std::size_t>(i)].body->requires_grad();
  }
  /// A pointwise op of the output's gradient and others of its shape or smaller; computed in the gradient's
  /// own memory when nobody else sees that. The last thing a rule does with grad(0).
  [[nodiscard]] Tensor over_grad(Op op, std::initializer_list<const Tensor*> others,
                                 const Attributes& numbers = {}) const;
  /// The rule has read a saved input for the last time: its memory may go before the rest is computed.
  void drop_input(int i) const;
  /// Summed over what was broadcast and cast to the input's type where needed.
  void give(int i, Tensor gradient);
};

/// A derivative through the row's decomposition, recorded.
void vjp_by_decomposition(VjpContext& c);

void run_backward(const Tensor& y, const Tensor& seed, bool retain);

}  // namespace detail
}  // namespace tare::ad
