// Rows that put tensors together or around: pad and concat; stack and split from them.
#include <cstring>

#include "ad/tensor/ops/family.hpp"

namespace tare::ad {
namespace detail {
namespace {

/// Copies x into `to`, a row-major tensor of `shape`, at an offset along each axis.
void place(const Body& x, Body& to, std::int64_t offset) {
  const Strides outer = contiguous_strides(to.shape);
  const Walk<2> walk(x.shape, {x.all_strides(), outer});
  visit(x.dtype, [&](auto zero) {
    using T = decltype(zero);
    walk.run([&](const auto& at, std::int64_t count, const auto& steps) {
      const T* from = x.values<T>() + at[0];
      T* target = to.values<T>() + offset + at[1];
      if (steps[0] == 1 && steps[1] == 1) {
        std::memcpy(target, from, static_cast<std::size_t>(count) * sizeof(T));
      } else {
        for (std::int64_t i = 0; i < count; ++i) target[i * steps[1]] = from[i * steps[0]];
      }
    });
  });
}

// pad: sizes before, extents after, first is the value.
void infer_pad(Call& call) {
  Shape shape = in(call, 0).shape;
  for (int i = 0; i < shape.rank; ++i) {
    if (__builtin_add_overflow(shape[i], call.attributes.sizes[i], &shape[i]) ||
        __builtin_add_overflow(shape[i], call.attributes.extents[i], &shape[i])) {
      refuse("pad", "{} and {} elements around shape {} are too many", text_of(call.attributes.sizes),
             text_of(call.attributes.extents), text_of(in(call, 0).shape));
    }
  }
  check_sizes("pad", shape);
  set_output(call, 0, in(call, 0).dtype, shape);
}
void run_pad(Call& call) {
  Body& y = out(call);
  visit(y.dtype, [&](auto zero) {
    using T = decltype(zero);
    std::fill_n(y.values<T>(), y.count(), converted<T>(call.attributes.first));
  });
  const Strides strides = contiguous_strides(y.shape);
  std::int64_t offset = 0;
  for (int i = 0; i < y.shape.rank; ++i) offset += call.attributes.sizes[i] * strides[i];
  if (in(call, 0).count() > 0) place(in(call, 0), y, offset);
}
void vjp_pad(VjpContext& c) {
  if (!c.wants(0)) return;
  Tensor g = c.grad();
  for (int i = 0; i < c.shape(0).rank; ++i) {
    const auto begin = c.attributes.sizes[i];
    g = slice(g, i, begin, begin + c.shape(0)[i]);
  }
  c.give(0, g);
}

// concat: along axes[0].
void infer_concat(Call& call) {
  if (call.inputs.empty()) refuse("concat", "no tensors: give at least one");
  const auto axis = static_cast<int>(call.attributes.axes[0]);
  Shape shape = in(call, 0).shape;
  DType type = in(call, 0).dtype;
  for (std::size_t i = 1; i < call.inputs.size(); ++i) {
    Shape other = in(call, i).shape;
    if (other.rank == shape.rank) {
      const auto joined = shape[axis] + other[axis];
      other[axis] = shape[axis];
      if (other == shape) {
        shape[axis] = joined;
        check_sizes("concat", shape);
        type = promote(type, in(call, i).dtype);
        continue;
      }
    }
    refuse("concat", "tensor {} of shape {} does not fit {} along axis {}", i, text_of(in(call, i).shape),
           text_of(in(call, 0).shape), axis);
  }
  set_output(call, 0, type, shape);
}
void run_concat(Call& call) {
  Body& y = out(call);
  const auto axis = static_cast<int>(call.attributes.axes[0]);
  const auto stride = contiguous_strides(y.shape)[axis];
  std::int64_t at = 0;
  for (Body* input : call.inputs) {
    const Tensor part = cast(Tensor::from(input), y.dtype);
    if (part.count() > 0) place(*part.body(), y, at * stride);
    at += input->shape[axis];
  }
}
void vjp_concat(VjpContext& c) {
  const auto axis = static_cast<int>(c.attributes.axes[0]);
  std::int64_t at = 0;
  for (int i = 0; i < c.inputs(); ++i) {
    const auto size = c.shape(i)[axis];
    if (c.wants(i)) c.give(i, slice(c.grad(), axis, at, at + size));
    at += size;
  }
}

std::vector<Case> pad_cases() {
  Attributes a;
  a.sizes = {1, 0};
  a.extents = {0, 2};
  a.first = 0.5;
  return {{{{{3, 2}}}, a}, {{{{0, 2}}}, a}};
}
std::vector<Case> concat_cases() {
  Attributes first, second;
  first.axes = {0};
  second.axes = {1};
  return {{{{{2, 3}}, {{1, 3}}}, first},
          {{{{2, 3}}, {{2, 2}}, {{2, 0}}}, second},
          {{{{2, 1, 3}}, {{2, 4, 3}}}, second}};
}

}  // namespace

void add_join_rows(Table& table) {
  auto& p = row(table, Op::pad, "pad");
  p.infer = infer_pad;
  p.run = run_pad;
  p.vjp = vjp_pad;
  p.cost = cost_per_output<0>;
  p.cases = pad_cases;
  auto& c = row(table, Op::concat, "concat");
  c.infer = infer_concat;
  c.run = run_concat;
  c.vjp = vjp_concat;
  c.cost = cost_per_output<0>;
  c.cases = concat_cases;
}

}  // namespace detail

Tensor concat(std::span<const Tensor> parts, int axis) {
  if (parts.empty()) throw AdError("concat: no tensors: give at least one");
  Attributes a;
  a.axes = {checked_axis("concat", axis, parts.front().shape())};
  return apply(Op::concat, parts, a);
}

Tensor stack(std::span<const Tensor> parts, int axis) {
  std::vector<Tensor> wide;
  wide.reserve(parts.size());
  for (const Tensor& part : parts) wide.push_back(unsqueeze(part, axis));
  return concat(wide, axis < 0 && !wide.empty() ? axis + wide.front().rank() : axis);
}

std::vector<Tensor> split(const Tensor& x, std::int64_t size, int axis) {
  const int at = checked_axis("split", axis, x.shape());
  if (size < 1) throw AdError(fmt::format("split: parts of size {}: give at least 1", size));
  std::vector<Tensor> parts;
  for (std::int64_t begin = 0; begin < x.shape()[at]; begin += size)
    parts.push_back(slice(x, at, begin, std::min(begin + size, x.shape()[at])));
  return parts;
}

Tensor pad(const Tensor& x, const Shape& before, const Shape& after, double value) {
  if (before.rank != x.rank() || after.rank != x.rank())
    throw AdError(fmt::format("pad: {} and {} for a tensor of shape {}", text_of(before), text_of(after),
                              text_of(x.shape())));
  for (int i = 0; i < x.rank(); ++i) {
    if (before[i] < 0 || after[i] < 0)
      throw AdError(fmt::format("pad: {} and {} may not be negative", text_of(before), text_of(after)));
  }
  Attributes a;
  a.sizes = before;
  a.extents = after;
  a.first = value;
  return apply(Op::pad, {&x}, a);
}

}  // namespace tare::ad
