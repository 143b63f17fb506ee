// Ops of the user's own: their functions are called, their derivative is believed (check_gradients tells
// whether it should be).
#include "ad/tensor/ops/family.hpp"

namespace tare::ad {
namespace detail {
namespace {

void vjp_custom(VjpContext& c) {
  std::vector<Tensor> inputs, outputs, gradients;
  for (int i = 0; i < c.inputs(); ++i) inputs.push_back(c.input(i));
  for (int k = 0; k < c.node.output_count; ++k) {
    outputs.push_back(c.output(k));
    gradients.push_back(c.grad(k).defined() ? c.grad(k)
                                            : Tensor::zeros(outputs.back().shape(), outputs.back().dtype()));
  }
  const CustomOp& op = *c.node.custom;
  auto given = op.backward(inputs, outputs, gradients);
  if (given.size() != inputs.size())
    refuse(op.name, "its backward gave {} gradients for {} inputs", given.size(), inputs.size());
  for (std::size_t i = 0; i < given.size(); ++i) {
    if (!given[i].defined() || !c.wants(static_cast<int>(i))) continue;
    if (!(given[i].shape() == inputs[i].shape())) {
      refuse(op.name, "its backward gave a gradient of shape {} for input {} of shape {}",
             text_of(given[i].shape()), i, text_of(inputs[i].shape()));
    }
    c.give(static_cast<int>(i), given[i]);
  }
}

}  // namespace

void add_custom_rows(Table& table) {
  auto& r = row(table, Op::custom, "custom");
  r.vjp = vjp_custom;
  r.saves_inputs = 0xFF;
  r.saves_outputs = 0xFF;
}

}  // namespace detail

std::vector<Tensor> apply_custom(const CustomOp& op, std::span<const Tensor> inputs) {
  if (!op.forward) throw AdError(fmt::format("{}: a custom op needs a forward function", op.name));
  if (inputs.size() > 8)
    throw AdError(fmt::format("{}: {} inputs, at most 8 are possible", op.name, inputs.size()));
  std::vector<Tensor> outputs;
  {
    const NoGrad quiet;
    outputs = op.forward(inputs);
  }
  if (outputs.empty() || outputs.size() > most_outputs)
    throw AdError(fmt::format("{}: its forward gave {} outputs, 1 to {} are possible", op.name,
                              outputs.size(), most_outputs));
  bool wanted = false;
  for (const Tensor& input : inputs) wanted = wanted || input.needs_grad();
  if (!wanted || !detail::mode.grad || !op.backward) return outputs;
  std::vector<detail::Body*> bodies;
  for (const Tensor& input : inputs) bodies.push_back(input.body());
  static const Attributes none{};
  Call call{Op::custom, bodies, none};
  call.output_count = static_cast<int>(outputs.size());
  for (std::size_t k = 0; k < outputs.size(); ++k) {
    outputs[k] = outputs[k].detach();  // an input handed through must not become its own result
    call.outputs[k] = outputs[k].body();
  }
  detail::record(call, row_of(Op::custom));
  for (const Tensor& output : outputs) {
    if (output.body()->node == nullptr) continue;
    output.body()->node->custom = new CustomOp(op);
    break;
  }
  return outputs;
}

}  // namespace tare::ad
