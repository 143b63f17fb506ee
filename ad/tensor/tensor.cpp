#include "ad/tensor/tensor.hpp"

#include <cmath>
#include <cstring>
#include <fmt/format.h>

#include "ad/tensor/autograd.hpp"
#include "ad/tensor/iterate.hpp"
#include "ad/tensor/kernels/kernels.hpp"
#include "ad/tensor/mode.hpp"
#include "ad/tensor/ops.hpp"

namespace tare::ad {
namespace detail {

Body* make_body() {
  return ::new (take_small(sizeof(Body))) Body;
}

void give_data(std::string_view op, Body* body) {
  // Views may be larger than any memory, and so may what is computed from them.
  check_sizes(op, body->shape);
  body->buffer = allocate(op, body->bytes());
  body->data = body->buffer->data;
}

void free_data(Body* body) {
  if (body->buffer != nullptr) drop(body->buffer);
  body->buffer = nullptr;
  body->data = nullptr;
  if (body->grad != nullptr) drop_user(std::exchange(body->grad, nullptr));
}

void free_body(Body* body) {
  if (body->node != nullptr) drop_ref(body->node);
  delete body->hooks;
  body->~Body();
  give_small(body, sizeof(Body));
}

}  // namespace detail

void Tensor::throw_undefined(const char* what) {
  throw AdError(fmt::format("{}: the tensor is undefined: give it values first", what));
}

Tensor Tensor::empty(const Shape& shape, DType dtype) {
  check_sizes("empty", shape);
  detail::Body* body = detail::make_body();
  Tensor made = adopt(body);
  body->dtype = dtype;
  body->shape = shape;
  detail::give_data("empty", body);
  return made;
}

Tensor Tensor::empty_for(const char* what, const Shape& shape, DType dtype, std::size_t count) {
  check_sizes(what, shape);
  if (shape.count() != static_cast<std::int64_t>(count))
    throw AdError(fmt::format("{}: {} values for shape {}", what, count, text_of(shape)));
  return empty(shape, dtype);
}

Tensor Tensor::borrowed(const void* data, std::size_t count, const Shape& shape, DType dtype,
                        bool read_only) {
  check_sizes("view_of", shape);
  if (shape.count() != static_cast<std::int64_t>(count))
    throw AdError(fmt::format("view_of: {} values for shape {}", count, text_of(shape)));
  detail::Body* body = detail::make_body();
  body->dtype = dtype;
  body->shape = shape;
  Tensor made = adopt(body);
  body->buffer = detail::borrow(const_cast<void*>(data), body->bytes(), read_only);
  body->data = body->buffer->data;
  return made;
}

void* Tensor::checked_data(const char* what, DType dtype) const {
  const auto& b = body(what);
  if (b.traced != detail::not_traced && detail::mode.tracer != nullptr)
    detail::mode.tracer->refuse_value(what, &b);
  if (b.dtype != dtype)
    throw AdError(fmt::format("{}: the tensor holds {}, not {}", what, name_of(b.dtype), name_of(dtype)));
  if (!b.contiguous)
    throw AdError(fmt::format("{}: a view of shape {} is not contiguous: take contiguous() first", what,
                              text_of(b.shape)));
  return b.data;
}

void Tensor::changed(const char* what) {
  const auto& b = body(what);
  if (b.node != nullptr || (b.leaf_requires_grad && detail::mode.grad)) {
    throw AdError(fmt::format(
        "{}: {} {} has a recorded history or requires a gradient: change it inside NoGrad, or a copy", what,
        name_of(b.dtype), text_of(b.shape)));
  }
  if (b.buffer == nullptr) return;
  if (b.buffer->read_only)
    throw AdError(fmt::format("{}: {} {} is a view of constant memory: change a copy", what, name_of(b.dtype),
                              text_of(b.shape)));
  ++b.buffer->version;
}

double Tensor::item() const {
  if (count() != 1)
    throw AdError(
        fmt::format("item: a tensor of shape {} has {} elements, not one", text_of(shape()), count()));
  return to_vector().front();
}

std::vector<double> Tensor::to_vector() const {
  const auto& b = body("to_vector");
  if (b.traced != detail::not_traced && detail::mode.tracer != nullptr)
    detail::mode.tracer->refuse_value("to_vector", &b);
  std::vector<double> values(static_cast<std::size_t>(count()));
  const detail::Walk<2> walk(b.shape, {b.all_strides(), contiguous_strides(b.shape)});
  visit(b.dtype, [&](auto zero) {
    using T = decltype(zero);
    walk.run([&](const auto& at, std::int64_t n, const auto& steps) {
      for (std::int64_t i = 0; i < n; ++i)
        values[static_cast<std::size_t>(at[1] + i)] =
            static_cast<double>(b.values<T>()[at[0] + i * steps[0]]);
    });
  });
  return values;
}

Tensor& Tensor::requires_grad(bool wanted) {
  const auto& b = body("requires_grad");
  if (b.node != nullptr)
    throw AdError(fmt::format("requires_grad: {} {} was computed from others: only leaves can be told",
                              name_of(b.dtype), text_of(b.shape)));
  if (wanted && !is_floating(b.dtype))
    throw AdError(fmt::format("requires_grad: {} has no gradient: cast to f32 or f64", name_of(b.dtype)));
  body_->leaf_requires_grad = wanted;
  return *this;
}

Tensor Tensor::grad() const {
  return from(body("grad").grad);
}

void Tensor::set_grad(const Tensor& grad) {
  const auto& b = body("set_grad");
  if (grad.defined() && !(grad.shape() == b.shape))
    throw AdError(fmt::format("set_grad: a gradient of shape {} for a tensor of shape {}",
                              text_of(grad.shape()), text_of(b.shape)));
  if (grad.defined() && grad.dtype() != b.dtype)
    throw AdError(fmt::format("set_grad: a gradient of {} for a tensor of {}", name_of(grad.dtype()),
                              name_of(b.dtype)));
  if (detail::mode.tracer != nullptr) detail::mode.tracer->touch(body_);
  Tensor old = adopt(std::exchange(body_->grad, Tensor(grad).release()));
}

void Tensor::backward(bool retain) const {
  backward({}, retain);
}
void Tensor::backward(const Tensor& seed, bool retain) const {
  (void)body("backward");
  detail::run_backward(*this, seed, retain);
}

Tensor Tensor::detach() const {
  const auto& b = body("detach");
  detail::Body* plain = detail::make_body();
  plain->dtype = b.dtype;
  plain->shape = b.shape;
  plain->strides = b.strides;
  Tensor handle = adopt(plain);
  if (detail::mode.tracer != nullptr) {
    detail::mode.tracer->alias(plain, body_);
    return handle;
  }
  plain->contiguous = b.contiguous;
  detail::share_data(plain, &b);
  return handle;
}

void Tensor::register_hook(std::function<Tensor(const Tensor&)> hook) {
  const auto& b = body("register_hook");
  if (!b.requires_grad())
    throw AdError(
        "register_hook: the tensor has no gradient: call requires_grad() on it or what it comes from");
  auto*& hooks = b.node != nullptr ? b.node->hooks[b.output] : body_->hooks;
  if (hooks == nullptr) hooks = new detail::Hooks;
  hooks->list.push_back(std::move(hook));
}

void Tensor::give_gradient_to(std::function<void(Tensor& leaf, const Tensor& gradient)> taker) {
  const auto& b = body("give_gradient_to");
  if (b.node != nullptr || !b.leaf_requires_grad)
    throw AdError("give_gradient_to: only a leaf that requires a gradient can give it away");
  if (b.hooks == nullptr) body_->hooks = new detail::Hooks;
  b.hooks->taker = std::move(taker);
}

namespace {

void require_shape(const char* what, const Shape& target, const Shape& source) {
  if (!(broadcast(what, target, source) == target))
    throw AdError(fmt::format("{}: shape {} into {}", what, text_of(source), text_of(target)));
}

}  // namespace

Tensor& Tensor::copy_(const Tensor& source) {
  const auto& b = body("copy_");
  require_shape("copy_", b.shape, source.shape());
  changed("copy_");
  const NoGrad quiet;
  Tensor same = expand(cast(source, b.dtype), b.shape);
  if (detail::mode.tracer != nullptr) {
    detail::mode.tracer->assign(body_, same);
    return *this;
  }
  // Reading what is being written would depend on the order.
  if (same.body()->buffer == b.buffer) same = copy(same);
  detail::copy_elements(*same.body(), b.data, b.all_strides());
  return *this;
}

Tensor& Tensor::fill_(double value) {
  return copy_(scalar(value, dtype()));
}

Tensor& Tensor::add_(const Tensor& other, double scale) {
  const auto& b = body("add_");
  require_shape("add_", b.shape, other.shape());
  changed("add_");
  const auto& o = *other.body();
  if (detail::mode.tracer != nullptr || b.dtype != o.dtype || !is_floating(b.dtype) || !b.contiguous ||
      !o.contiguous || !(b.shape == o.shape)) {
    const NoGrad quiet;
    return copy_(*this + (scale == 1 ? other : other * scale));
  }
  const auto add = [&](auto zero) {
    using T = decltype(zero);
    parallel_for(b.count(), detail::parallel_grain, [&](std::int64_t begin, std::int64_t end) {
      kernels::best().of<T>().add_scaled(b.values<T>() + begin, o.values<T>() + begin, static_cast<T>(scale),
                                         end - begin);
    });
  };
  if (b.dtype == DType::f32) {
    add(float{});
  } else {
    add(double{});
  }
  return *this;
}

Tensor& Tensor::mul_(double factor) {
  changed("mul_");
  const NoGrad quiet;
  return copy_(*this * factor);
}

}  // namespace tare::ad
