// Rows that show the same data in another shape, and the copy into row-major order.
#include "ad/tensor/ops/family.hpp"

namespace tare::ad {
namespace detail {
namespace {

/// Strides that show x as `shape` without moving data, if there are any.
bool strides_of_reshape(const Body& x, const Shape& shape, Strides& strides) {
  const Strides own = x.all_strides();
  strides.rank = shape.rank;
  int from = x.shape.rank - 1;
  std::int64_t step = 1, size = 1;  // of the joined axes of x that are not used up
  const auto next_joined = [&] {
    while (from >= 0 && x.shape[from] == 1) --from;
    if (from < 0) return false;
    step = own[from];
    size = x.shape[from--];
    while (from >= 0 && (x.shape[from] == 1 || own[from] == step * size)) size *= x.shape[from--];
    return true;
  };
  std::int64_t used = 1;
  for (int i = shape.rank - 1; i >= 0; --i) {
    if (shape[i] == 1) {
      strides[i] = used * step;
      continue;
    }
    if (used == size) {
      if (!next_joined()) return false;
      used = 1;
    }
    if (size % (used * shape[i]) != 0) return false;
    strides[i] = used * step;
    used *= shape[i];
  }
  return true;
}

void set_view(Call& call, const Strides& strides, std::int64_t offset) {
  const Body& x = in(call, 0);
  Body& y = out(call);
  share_data(&y, &x);
  y.data += offset * static_cast<std::int64_t>(size_of(x.dtype));
  y.strides = strides;
  y.contiguous = true;
  const Strides dense = contiguous_strides(y.shape);
  for (int i = 0; i < y.shape.rank; ++i)
    if (y.shape[i] > 1 && strides[i] != dense[i]) y.contiguous = y.count() <= 1;
}

// reshape: attributes.sizes is the shape, without −1.
void infer_reshape(Call& call) {
  set_output(call, 0, in(call, 0).dtype, call.attributes.sizes);
}
void run_reshape(Call& call) {
  const Body& x = in(call, 0);
  Body& y = out(call);
  if (x.contiguous || x.count() == 0) return set_view(call, contiguous_strides(y.shape), 0);
  Strides strides;
  if (strides_of_reshape(x, y.shape, strides)) return set_view(call, strides, 0);
  give_data("reshape", &y);
  copy_dense(x, y.data);
}
void vjp_reshape(VjpContext& c) {
  if (c.wants(0)) c.give(0, reshape(c.grad(), c.shape(0)));
}

// permute: attributes.axes[i] is the axis of x that becomes axis i.
void infer_permute(Call& call) {
  Shape shape;
  for (const auto axis : call.attributes.axes.list()) shape.push(in(call, 0).shape[static_cast<int>(axis)]);
  set_output(call, 0, in(call, 0).dtype, shape);
}
void run_permute(Call& call) {
  const Strides own = in(call, 0).all_strides();
  Strides strides;
  for (const auto axis : call.attributes.axes.list()) strides.push(own[static_cast<int>(axis)]);
  set_view(call, strides, 0);
}
void vjp_permute(VjpContext& c) {
  if (!c.wants(0)) return;
  Shape back = c.attributes.axes;
  for (int i = 0; i < back.rank; ++i) back[static_cast<int>(c.attributes.axes[i])] = i;
  c.give(0, permute(c.grad(), back));
}

// slice: along axes[0], from sizes[0] to extents[0] in steps of number.
std::int64_t sliced_size(const Attributes& a) {
  const auto span = a.extents[0] - a.sizes[0];
  return span <= 0 ? 0 : (span - 1) / a.number + 1;
}
void infer_slice(Call& call) {
  Shape shape = in(call, 0).shape;
  shape[static_cast<int>(call.attributes.axes[0])] = sliced_size(call.attributes);
  set_output(call, 0, in(call, 0).dtype, shape);
}
void run_slice(Call& call) {
  const auto& a = call.attributes;
  const auto axis = static_cast<int>(a.axes[0]);
  Strides strides = in(call, 0).all_strides();
  const auto offset = in(call, 0).count() == 0 ? 0 : a.sizes[0] * strides[axis];
  strides[axis] *= a.number;
  set_view(call, strides, offset);
}
/// g spread out with `step` − 1 zeros between its elements along an axis.
Tensor spread(const Tensor& g, int axis, std::int64_t step) {
  if (step == 1 || g.size(axis) == 0) return g;
  const Tensor wide = unsqueeze(g, axis + 1);
  Shape before, after, joined = g.shape();
  for (int i = 0; i < wide.rank(); ++i) {
    before.push(0);
    after.push(i == axis + 1 ? step - 1 : 0);
  }
  joined[axis] *= step;
  return slice(reshape(pad(wide, before, after), joined), axis, 0, joined[axis] - step + 1);
}
void vjp_slice(VjpContext& c) {
  if (!c.wants(0)) return;
  const auto& a = c.attributes;
  const auto axis = static_cast<int>(a.axes[0]);
  const Tensor g = spread(c.grad(), axis, a.number);
  Shape before, after;
  for (int i = 0; i < c.shape(0).rank; ++i) {
    before.push(i == axis ? a.sizes[0] : 0);
    after.push(i == axis ? c.shape(0)[axis] - a.sizes[0] - g.size(axis) : 0);
  }
  if (g.size(axis) == 0) return c.give(0, Tensor::zeros(c.shape(0), c.dtype(0)));
  c.give(0, pad(g, before, after));
}

// put_slice: x with the slice that slice() with the same numbers shows replaced by the second input.
Shape slice_shape(const Body& x, const Attributes& a) {
  Shape shape = x.shape;
  shape[static_cast<int>(a.axes[0])] = sliced_size(a);
  return shape;
}
void infer_put_slice(Call& call) {
  const Body &x = in(call, 0), &part = in(call, 1);
  if (part.dtype != x.dtype || !(part.shape == slice_shape(x, call.attributes)))
    refuse("put_slice", "{} in place of {} {} of {}", described(&part), name_of(x.dtype),
           text_of(slice_shape(x, call.attributes)), described(&x));
  set_output(call, 0, x.dtype, x.shape);
}
void run_put_slice(Call& call) {
  const Body& part = in(call, 1);
  Body& y = out(call);
  // A graph may have put the result where x lies.
  if (y.data != in(call, 0).data) copy_dense(in(call, 0), y.data);
  if (part.count() == 0) return;
  const auto& a = call.attributes;
  const auto axis = static_cast<int>(a.axes[0]);
  Strides strides = contiguous_strides(y.shape);
  const auto offset = a.sizes[0] * strides[axis];
  strides[axis] *= a.number;
  copy_elements(part, y.data + offset * static_cast<std::int64_t>(size_of(y.dtype)), strides);
}
void vjp_put_slice(VjpContext& c) {
  const auto& a = c.attributes;
  const auto axis = static_cast<int>(a.axes[0]);
  if (c.wants(0))
    c.give(0, put_slice(c.grad(), Tensor::zeros(c.shape(1), c.dtype(1)), axis, a.sizes[0], a.extents[0],
                        a.number));
  if (c.wants(1)) c.give(1, slice(c.grad(), axis, a.sizes[0], a.extents[0], a.number));
}

// expand: attributes.sizes is the shape.
void infer_expand(Call& call) {
  const Shape shape = broadcast("expand", in(call, 0).shape, call.attributes.sizes);
  if (!(shape == call.attributes.sizes))
    refuse("expand", "a tensor of shape {} to {}", text_of(in(call, 0).shape),
           text_of(call.attributes.sizes));
  set_output(call, 0, in(call, 0).dtype, shape);
}
void run_expand(Call& call) {
  set_view(call, broadcast_strides(in(call, 0), out(call).shape), 0);
}
void vjp_expand(VjpContext& c) {
  if (c.wants(0)) c.give(0, c.grad());
}

void infer_copy(Call& call) {
  set_output(call, 0, in(call, 0).dtype, in(call, 0).shape);
}
void run_copy(Call& call) {
  copy_dense(in(call, 0), out(call).data);
}
void vjp_copy(VjpContext& c) {
  if (c.wants(0)) c.give(0, c.grad());
}

Attributes with_sizes(const Shape& sizes) {
  Attributes a;
  a.sizes = sizes;
  return a;
}
Attributes with_axes(const Shape& axes) {
  Attributes a;
  a.axes = axes;
  return a;
}
Attributes sliced(std::int64_t axis, std::int64_t begin, std::int64_t end, std::int64_t step) {
  Attributes a;
  a.axes = {axis};
  a.sizes = {begin};
  a.extents = {end};
  a.number = step;
  return a;
}
std::vector<Case> reshape_cases() {
  return {{{{{2, 6}}}, with_sizes({3, 4})},
          {{{{2, 3, 4}}}, with_sizes({24})},
          {{{{5}}}, with_sizes({1, 5, 1})},
          {{{{0, 3}}}, with_sizes({3, 0})}};
}
std::vector<Case> permute_cases() {
  return {{{{{2, 3}}}, with_axes({1, 0})},
          {{{{2, 3, 4}}}, with_axes({2, 0, 1})},
          {{{{2, 1, 4, 3}}}, with_axes({0, 2, 1, 3})}};
}
std::vector<Case> slice_cases() {
  return {{{{{5, 4}}}, sliced(0, 1, 4, 1)},
          {{{{5, 7}}}, sliced(1, 1, 7, 2)},
          {{{{6}}}, sliced(0, 0, 6, 4)},
          {{{{4, 3}}}, sliced(0, 2, 2, 1)}};
}
std::vector<Case> put_slice_cases() {
  return {{{{{5, 4}}, {{3, 4}}}, sliced(0, 1, 4, 1)},
          {{{{5, 7}}, {{5, 3}}}, sliced(1, 1, 7, 2)},
          {{{{2, 3, 4}}, {{2, 1, 4}}}, sliced(1, 2, 3, 1)},
          {{{{4, 3}}, {{0, 3}}}, sliced(0, 2, 2, 1)}};
}
std::vector<Case> expand_cases() {
  return {{{{{3, 1}}}, with_sizes({3, 4})}, {{{{4}}}, with_sizes({2, 3, 4})}, {{{{}}}, with_sizes({2, 2})}};
}
std::vector<Case> copy_cases() {
  return {{{{{3, 4}}}}, {{{{}}}}};
}

void add(Table& table, Op op, std::string_view name, void (*infer)(Call&), void (*run)(Call&),
         void (*vjp)(VjpContext&), std::vector<Case> (*cases)(), bool view) {
  auto& r = row(table, op, name);
  r.infer = infer;
  r.run = run;
  r.vjp = vjp;
  r.cases = cases;
  r.view = view;
  r.cost = view ? +[](const Call&) { return Cost{}; } : cost_per_output<0>;
}

}  // namespace

void copy_elements(const Body& from, std::byte* to, const Strides& strides) {
  const Walk<2> walk(from.shape, {from.all_strides(), strides});
  const auto move = [&](auto zero) {
    using T = decltype(zero);
    walk.run([&](const auto& at, std::int64_t count, const auto& steps) {
      const T* source = reinterpret_cast<const T*>(from.data) + at[0];
      T* target = reinterpret_cast<T*>(to) + at[1];
      if (steps[0] == 1 && steps[1] == 1) {
        std::memcpy(target, source, static_cast<std::size_t>(count) * sizeof(T));
      } else if (steps[1] == 1) {
        for (std::int64_t i = 0; i < count; ++i) target[i] = source[i * steps[0]];
      } else {
        for (std::int64_t i = 0; i < count; ++i) target[i * steps[1]] = source[i * steps[0]];
      }
    });
  };
  switch (size_of(from.dtype)) {
    case 8:
      return move(std::uint64_t{});
    case 4:
      return move(std::uint32_t{});
    default:
      return move(std::uint8_t{});
  }
}

void copy_dense(const Body& from, std::byte* to) {
  if (from.contiguous) {
    std::memcpy(to, from.data, static_cast<std::size_t>(from.bytes()));
    return;
  }
  copy_elements(from, to, contiguous_strides(from.shape));
}

bool reshapes_in_place(const Body& x, const Shape& shape) {
  Strides strides;
  return x.contiguous || x.count() == 0 || strides_of_reshape(x, shape, strides);
}

Dense::Dense(const Body& body) {
  if (body.contiguous) {
    tensor_ = Tensor::from(const_cast<Body*>(&body));
    return;
  }
  tensor_ = Tensor::empty(body.shape, body.dtype);
  copy_dense(body, tensor_.body()->data);
}

void add_view_rows(Table& table) {
  add(table, Op::reshape, "reshape", infer_reshape, run_reshape, vjp_reshape, reshape_cases, true);
  add(table, Op::permute, "permute", infer_permute, run_permute, vjp_permute, permute_cases, true);
  add(table, Op::slice, "slice", infer_slice, run_slice, vjp_slice, slice_cases, true);
  add(table, Op::put_slice, "put_slice", infer_put_slice, run_put_slice, vjp_put_slice, put_slice_cases,
      false);
  add(table, Op::expand, "expand", infer_expand, run_expand, vjp_expand, expand_cases, true);
  add(table, Op::copy, "copy", infer_copy, run_copy, vjp_copy, copy_cases, false);
}

}  // namespace detail

Tensor reshape(const Tensor& x, const Shape& shape) {
  Attributes a;
  a.sizes = shape;
  int open = -1;
  std::int64_t known = 1;
  for (int i = 0; i < shape.rank; ++i) {
    if (shape[i] == -1 && open < 0) {
      open = i;
    } else {
      a.sizes[i] = shape[i];
      if (shape[i] < 0 || __builtin_mul_overflow(known, shape[i], &known))
        detail::refuse("reshape", "{} to {}: sizes are at least 0, and one may be -1", text_of(x.shape()),
                       text_of(shape));
    }
  }
  if (open >= 0) a.sizes[open] = known == 0 ? 0 : x.count() / known;
  check_sizes("reshape", a.sizes);
  if (a.sizes.count() != x.count()) {
    detail::refuse("reshape", "{} has {} elements and does not fill {}", text_of(x.shape()), x.count(),
                   text_of(shape));
  }
  if (a.sizes == x.shape()) return x;
  return apply(Op::reshape, {&x}, a);
}

Tensor permute(const Tensor& x, const Shape& order) {
  if (order.rank != x.rank())
    detail::refuse("permute", "{} axes for a tensor of shape {}", order.rank, text_of(x.shape()));
  (void)checked_axes("permute", order.list(), x.shape());
  Attributes a;
  for (const auto axis : order.list()) a.axes.push(checked_axis("permute", axis, x.shape()));
  return apply(Op::permute, {&x}, a);
}
Tensor permute(const Tensor& x, Axes order) {
  return permute(x, Shape(order));
}

Tensor transpose(const Tensor& x, int first, int second) {
  const int a = checked_axis("transpose", first, x.shape()), b = checked_axis("transpose", second, x.shape());
  Shape order;
  for (int i = 0; i < x.rank(); ++i) order.push(i == a ? b : i == b ? a : i);
  return permute(x, order);
}

namespace {

Attributes slice_of(const char* op, const Tensor& x, int axis, std::int64_t begin, std::int64_t end,
                    std::int64_t step) {
  const int at = checked_axis(op, axis, x.shape());
  const auto size = x.shape()[at];
  if (step < 1) detail::refuse(op, "step {} is not at least 1", step);
  const auto from = begin < 0 ? begin + size : begin;
  const auto to = end < 0 ? end + size : std::min(end, size);
  if (from < 0 || from > size || to < from) {
    detail::refuse(op, "{} to {} of axis {} of shape {}", begin, end, axis, text_of(x.shape()));
  }
  Attributes a;
  a.axes = {at};
  a.sizes = {from};
  a.extents = {to};
  a.number = std::min(step, std::max<std::int64_t>(size, 1));  // a longer one reaches no other element
  return a;
}

}  // namespace

Tensor slice(const Tensor& x, int axis, std::int64_t begin, std::int64_t end, std::int64_t step) {
  return apply(Op::slice, {&x}, slice_of("slice", x, axis, begin, end, step));
}

Tensor put_slice(const Tensor& x, const Tensor& part, int axis, std::int64_t begin, std::int64_t end,
                 std::int64_t step) {
  return apply(Op::put_slice, {&x, &part}, slice_of("put_slice", x, axis, begin, end, step));
}

Tensor expand(const Tensor& x, const Shape& shape) {
  check_sizes("expand", shape);
  if (shape == x.shape()) return x;
  Attributes a;
  a.sizes = shape;
  return apply(Op::expand, {&x}, a);
}

Tensor unsqueeze(const Tensor& x, int axis) {
  const int at = axis < 0 ? axis + x.rank() + 1 : axis;
  if (at < 0 || at > x.rank()) detail::refuse("unsqueeze", "axis {} for shape {}", axis, text_of(x.shape()));
  Shape shape;
  for (int i = 0; i <= x.rank(); ++i) {
    if (i == at) shape.push(1);
    if (i < x.rank()) shape.push(x.shape()[i]);
  }
  return reshape(x, shape);
}

Tensor squeeze(const Tensor& x, int axis) {
  const int at = checked_axis("squeeze", axis, x.shape());
  if (x.shape()[at] != 1)
    detail::refuse("squeeze", "axis {} of shape {} is not of size 1", axis, text_of(x.shape()));
  Shape shape;
  for (int i = 0; i < x.rank(); ++i)
    if (i != at) shape.push(x.shape()[i]);
  return reshape(x, shape);
}

Tensor copy(const Tensor& x) {
  return apply(Op::copy, {&x});
}
Tensor contiguous(const Tensor& x) {
  return x.is_contiguous() ? x : copy(x);
}

}  // namespace tare::ad
