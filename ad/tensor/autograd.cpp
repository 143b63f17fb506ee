#include "ad/tensor/autograd.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "ad/tensor/apply.hpp"
#include "ad/tensor/mode.hpp"
#include "ad/tensor/ops.hpp"

namespace tare::ad {
namespace detail {

namespace {

constexpr std::size_t node_bytes(std::size_t inputs) {
  return sizeof(Node) + inputs * sizeof(Node::Input);
}

/// Nodes whose last reference went while another node was being freed: a long chain is freed in a loop
/// instead of by recursion.
struct Freeing {
  Node* waiting = nullptr;
  bool busy = false;
};
constinit thread_local Freeing freeing;

void free_one(Node* node) {
  release_saved(*node);
  for (auto& input : node->inputs()) drop_ref(input.body);
  if (node->attributes != nullptr) give_small(node->attributes, sizeof(Attributes));
  for (auto* hooks : node->hooks) delete hooks;
  delete node->custom;
  const auto bytes = node_bytes(node->input_count);
  node->~Node();
  give_small(node, bytes);
}

/// Another one after each change in place. What is captured has no memory: it becomes another value.
std::uint32_t version_of(const Body& body) {
  return body.buffer != nullptr ? body.buffer->version : static_cast<std::uint32_t>(body.traced);
}

[[noreturn]] void throw_changed(const Node& node, const char* kind, std::size_t at, const Body* body) {
  throw AdError(fmt::format(
      "backward of {}: {} {} ({} {}) was changed in place after it was recorded, and its derivative "
      "needs the old values: change a copy, or change it after backward",
      name_of(node.op), kind, at, name_of(body->dtype), text_of(body->shape)));
}

}  // namespace

void release_saved(Node& node) {
  if (node.released) return;
  node.released = true;
  for (auto& input : node.inputs()) {
    if (input.saved) drop_user(input.body);
    input.saved = false;
  }
  for (auto*& output : node.outputs) {
    if (output != nullptr) drop_user(output);
    output = nullptr;
  }
}

void throw_released(const Node& node) {
  throw AdError(fmt::format(
      "backward of {}: what it kept was freed by an earlier backward; pass retain to sweep a record "
      "several times",
      name_of(node.op)));
}

void free_node(Node* node) {
  auto& f = freeing;
  if (f.busy) {
    node->next = std::exchange(f.waiting, node);
    return;
  }
  f.busy = true;
  free_one(node);
  while (f.waiting != nullptr) free_one(std::exchange(f.waiting, f.waiting->next));
  f.busy = false;
}

void record(const Call& call, const OpRow& row) {
  bool floating_output = false;
  for (int k = 0; k < call.output_count; ++k)
    floating_output = floating_output || is_floating(call.outputs[static_cast<std::size_t>(k)]->dtype);
  if (!floating_output) return;
  const std::size_t count = call.inputs.size();
  auto* node = ::new (take_small(node_bytes(count))) Node;
  node->op = call.op;
  node->input_count = static_cast<std::uint16_t>(count);
  node->output_count = static_cast<std::uint8_t>(call.output_count);
  auto inputs = node->inputs();
  for (std::size_t i = 0; i < count; ++i) {
    Body* body = call.inputs[i];
    const bool saved = ((i < 8 ? row.saves_inputs >> i : 0) & 1) != 0;
    inputs[i] = {body, version_of(*body), saved};
    add_ref(body);
    if (saved) add_user(body);
  }
  if (!(call.attributes == Attributes{}))
    node->attributes = ::new (take_small(sizeof(Attributes))) Attributes(call.attributes);
  for (int k = 0; k < call.output_count; ++k) {
    Body* out = call.outputs[static_cast<std::size_t>(k)];
    if (((row.saves_outputs >> k) & 1) != 0) {
      // Not the output itself, which refers to this node.
      Body* saved = make_body();
      saved->dtype = out->dtype;
      saved->shape = out->shape;
      saved->strides = out->strides;
      saved->contiguous = out->contiguous;
      saved->traced = out->traced;
      share_data(saved, out);
      node->outputs[static_cast<std::size_t>(k)] = saved;
      node->output_versions[static_cast<std::size_t>(k)] = version_of(*saved);
    }
    if (!is_floating(out->dtype)) continue;
    out->node = node;
    out->output = static_cast<std::uint8_t>(k);
    add_ref(node);
  }
  drop_ref(node);  // the outputs hold it
}

Tensor VjpContext::input(int i) const {
  const auto at = static_cast<std::size_t>(i);
  const auto& kept = node.inputs()[at];
  if (!kept.saved) throw_released(node);
  if (version_of(*kept.body) != kept.version) throw_changed(node, "input", at, kept.body);
  return Tensor::from(kept.body);
}

Tensor VjpContext::output(int k) const {
  const auto at = static_cast<std::size_t>(k);
  Body* kept = node.outputs[at];
  if (kept == nullptr) throw_released(node);
  if (version_of(*kept) != node.output_versions[at]) throw_changed(node, "output", at, kept);
  if (!differentiable) return Tensor::from(kept);
  // With its history again: as long as this handle lives the node does too.
  Body* whole = make_body();
  whole->dtype = kept->dtype;
  whole->shape = kept->shape;
  whole->strides = kept->strides;
  whole->contiguous = kept->contiguous;
  whole->traced = kept->traced;
  share_data(whole, kept);
  whole->node = &node;
  whole->output = static_cast<std::uint8_t>(k);
  add_ref(&node);
  return Tensor::adopt(whole);
}

Tensor VjpContext::over_grad(Op op, std::initializer_list<const Tensor*> others,
                             const Attributes& numbers) const {
  Tensor& g = node.grads[0];
  std::array<Body*, most_inputs> inputs{g.body()};
  std::size_t count = 1;
  for (const Tensor* other : others) inputs[count++] = other->body();
  const std::span<Body* const> all(inputs.data(), count);
  return differentiable ? std::move(apply_all(op, all, numbers)[0]) : apply_over({&g}, op, all, numbers);
}

void VjpContext::drop_input(int i) const {
  auto& kept = node.inputs()[static_cast<std::size_t>(i)];
  if (keeps_record || !kept.saved) return;
  kept.saved = false;
  drop_user(kept.body);
}

void VjpContext::give(int i, Tensor gradient) {
  if (!gradient.defined()) return;
  const auto& body = *node.inputs()[static_cast<std::size_t>(i)].body;
  if (!(gradient.shape() == body.shape)) gradient = sum_to(gradient, body.shape);
  if (gradient.dtype() != body.dtype) gradient = cast(gradient, body.dtype);
  given[static_cast<std::size_t>(i)] = std::move(gradient);
}

}  // namespace detail
}  // namespace tare::ad
