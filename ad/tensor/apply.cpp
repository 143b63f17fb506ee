#include "ad/tensor/apply.hpp"

#include <chrono>
#include <cmath>
#include <fmt/format.h>

#include "ad/tensor/autograd.hpp"
#include "ad/tensor/mode.hpp"

namespace tare::ad {
namespace detail {

constinit thread_local Mode mode;

std::int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

namespace {

bool all_finite(const Body* body) {
  if (!is_floating(body->dtype) || body->data == nullptr) return true;
  const auto values = Tensor::from(const_cast<Body*>(body)).to_vector();
  for (const double v : values)
    if (!std::isfinite(v)) return false;
  return true;
}

std::string described(std::span<Body* const> inputs) {
  std::string text;
  for (const Body* input : inputs)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name_of(input->dtype), text_of(input->shape));
  return text;
}

void watch(const Call& call, const OpRow& row) {
  if (call.inputs.empty()) return;  // a constant is what it was asked to be
  for (const Body* input : call.inputs)
    if (!all_finite(input)) return;
  for (int k = 0; k < call.output_count; ++k) {
    if (all_finite(call.outputs[static_cast<std::size_t>(k)])) continue;
    throw AdError(fmt::format("{}: the result holds NaN or infinity though its inputs ({}) are finite",
                              row.name, described(call.inputs)));
  }
}

void run_traced(Call& call, const OpRow& row) {
  const auto start = now_ns();
  row.run(call);
  const auto end = now_ns();
  Event event{call.op, {}, call.outputs[0]->dtype, start, end - start, 0, 0, {}};
  for (const Body* input : call.inputs) event.shapes.push_back(input->shape);
  if (row.cost != nullptr) {
    const auto cost = row.cost(call);
    event.flops = cost.flops;
    event.bytes = cost.bytes;
  }
  mode.events->push_back(std::move(event));
}

/// Frees the outputs of a call that failed.
struct OutputsGuard {
  Call& call;
  bool armed = true;
  ~OutputsGuard() {
    if (!armed) return;
    for (int k = 0; k < call.output_count; ++k) drop_user(call.outputs[static_cast<std::size_t>(k)]);
  }
};

[[noreturn]] void throw_undefined_input(std::string_view name, std::size_t at) {
  throw AdError(fmt::format("{}: input {} is an undefined tensor: give it values first", name, at));
}

[[noreturn]] void throw_outside(std::string_view name, std::size_t at) {
  throw AdError(fmt::format(
      "{}: input {} is a value of a captured function and has no numbers outside of it: return it from "
      "the function",
      name, at));
}

/// Whether a pointwise op of the inputs has this one's type and shape, and may be computed in its memory.
bool takes_result(const Tensor& giver, std::span<Body* const> inputs) {
  const Body* to = giver.body();
  if (to == nullptr || !is_floating(to->dtype) || to->requires_grad() || !is_sole_owner(giver)) return false;
  int times = 0;
  for (const Body* input : inputs) {
    if (input == to) {
      ++times;
      continue;
    }
    if (input == nullptr || input->dtype != to->dtype || input->buffer == nullptr ||
        input->buffer == to->buffer || (mode.grad && input->requires_grad()) ||
        !stretches_to(input->shape, to->shape))
      return false;
  }
  return times == 1;
}

}  // namespace

bool is_sole_owner(const Tensor& t) {
  const Body* b = t.body();
  return b->contiguous && b->users.load() == 1 && b->refs.load() == 1 && b->buffer != nullptr &&
         b->buffer->owners.load() == 1 && b->buffer->size_class >= 0;
}

void compute(Call& call, const OpRow& row) {
  if (!row.view) {
    for (int k = 0; k < call.output_count; ++k) {
      Body* out = call.outputs[static_cast<std::size_t>(k)];
      if (out->buffer == nullptr) give_data(row.name, out);
    }
  }
  run_row(call, row);
}

void run_row(Call& call, const OpRow& row) {
  if (mode.events != nullptr) [[unlikely]] {
    run_traced(call, row);
  } else {
    row.run(call);
  }
  if (mode.nan_monitor) [[unlikely]]
    watch(call, row);
}

}  // namespace detail

Outputs apply_all(Op op, std::span<detail::Body* const> inputs, const Attributes& attributes) {
  using namespace detail;
  const OpRow& row = row_of(op);
  bool wanted = false;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i] == nullptr) [[unlikely]]
      throw_undefined_input(row.name, i);
    wanted = wanted || inputs[i]->requires_grad();
  }
  if (mode.tracer != nullptr && row.decompose != nullptr && !row.kept_whole) [[unlikely]] {
    std::vector<Tensor> held;
    for (Body* input : inputs) held.push_back(Tensor::from(input));
    auto parts = row.decompose(held, attributes);
    Outputs outputs;
    for (std::size_t k = 0; k < parts.size() && k < outputs.size(); ++k) outputs[k] = std::move(parts[k]);
    return outputs;
  }
  Call call{op, inputs, attributes};
  call.output_count = row.outputs;
  for (int k = 0; k < row.outputs; ++k) call.outputs[static_cast<std::size_t>(k)] = make_body();
  OutputsGuard guard{call};
  row.infer(call);
  if (mode.tracer != nullptr) [[unlikely]] {
    mode.tracer->record(call);
  } else {
    for (std::size_t i = 0; i < inputs.size(); ++i)
      if (inputs[i]->traced != not_traced && inputs[i]->buffer == nullptr) [[unlikely]]
        throw_outside(row.name, i);
    compute(call, row);
  }
  if (wanted && mode.grad && row.vjp != nullptr) record(call, row);
  guard.armed = false;
  Outputs outputs;
  for (int k = 0; k < row.outputs; ++k)
    outputs[static_cast<std::size_t>(k)] = Tensor::adopt(call.outputs[static_cast<std::size_t>(k)]);
  return outputs;
}

Tensor apply_over(std::initializer_list<Tensor*> givers, Op op, std::span<detail::Body* const> inputs,
                  const Attributes& attributes) {
  using namespace detail;
  // The monitor looks at the inputs after the op.
  if (mode.tracer == nullptr && !mode.nan_monitor) {
    for (Tensor* giver : givers) {
      if (!takes_result(*giver, inputs)) continue;
      Call call{op, inputs, attributes};
      call.outputs[0] = giver->body();
      run_row(call, row_of(op));
      return std::move(*giver);
    }
  }
  return std::move(apply_all(op, inputs, attributes)[0]);
}

Tensor apply(Op op, std::span<const Tensor> inputs, const Attributes& attributes) {
  std::vector<detail::Body*> bodies;
  bodies.reserve(inputs.size());
  for (const Tensor& input : inputs) bodies.push_back(input.body());
  return std::move(apply_all(op, bodies, attributes)[0]);
}

}  // namespace tare::ad
