// Rows that move elements by index: gather, scatter_add, embedding. An index out of range is an error that
// names it. Sums that meet in one place are added in the order of the index.
#include <cstring>

#include "ad/tensor/ops/family.hpp"

namespace tare::ad {
namespace detail {
namespace {

void require_index(std::string_view op, const Body& index) {
  if (index.dtype != DType::i64) refuse(op, "the index is {}, not i64", described(&index));
}

/// Along axes[0]; the index has x's rank, and its sizes do not exceed x's along the other axes.
void require_gather(std::string_view op, const Body& x, const Body& index, int axis) {
  require_index(op, index);
  bool fits = x.shape.rank == index.shape.rank;
  for (int i = 0; fits && i < x.shape.rank; ++i) fits = i == axis || index.shape[i] <= x.shape[i];
  if (!fits)
    refuse(op, "an index of shape {} for {} along axis {}", text_of(index.shape), described(&x), axis);
}

void infer_gather(Call& call) {
  require_gather("gather", in(call, 0), in(call, 1), static_cast<int>(call.attributes.axes[0]));
  set_output(call, 0, in(call, 0).dtype, in(call, 1).shape);
}

/// f(position in the index, offset into x) for every element of the index.
template <class F>
void each_index(std::string_view op, const Shape& x_shape, const Body& index, int axis, F f) {
  const Dense dense(index);
  const Strides x_strides = contiguous_strides(x_shape);
  std::array<std::int64_t, most_axes> at{};
  const auto count = index.count();
  for (std::int64_t i = 0; i < count; ++i) {
    const auto chosen = dense.values<std::int64_t>()[i];
    if (chosen < 0 || chosen >= x_shape[axis])
      refuse(op, "index {} is not below {}, the size of axis {} of shape {}", chosen, x_shape[axis], axis,
             text_of(x_shape));
    std::int64_t offset = chosen * x_strides[axis];
    for (int d = 0; d < index.shape.rank; ++d)
      if (d != axis) offset += at[static_cast<std::size_t>(d)] * x_strides[d];
    f(i, offset);
    for (int d = index.shape.rank - 1; d >= 0; --d) {
      if (++at[static_cast<std::size_t>(d)] < index.shape[d]) break;
      at[static_cast<std::size_t>(d)] = 0;
    }
  }
}

void run_gather(Call& call) {
  const Dense x(in(call, 0));
  const auto axis = static_cast<int>(call.attributes.axes[0]);
  visit(out(call).dtype, [&](auto zero) {
    using T = decltype(zero);
    each_index("gather", in(call, 0).shape, in(call, 1), axis, [&](std::int64_t i, std::int64_t offset) {
      out(call).values<T>()[i] = x.values<T>()[offset];
    });
  });
}
void vjp_gather(VjpContext& c) {
  if (c.wants(0))
    c.give(0, scatter_add(Tensor::zeros(c.shape(0), c.dtype(0)), static_cast<int>(c.attributes.axes[0]),
                          c.input(1), c.grad()));
}

// scatter_add: x, index, source.
void infer_scatter(Call& call) {
  const Body &x = in(call, 0), &index = in(call, 1), &source = in(call, 2);
  require_gather("scatter_add", x, index, static_cast<int>(call.attributes.axes[0]));
  if (!(source.shape == index.shape) || source.dtype != x.dtype)
    refuse("scatter_add", "a source {} for an index of shape {} into {}", described(&source),
           text_of(index.shape), described(&x));
  set_output(call, 0, x.dtype, x.shape);
}
void run_scatter(Call& call) {
  Body& y = out(call);
  copy_dense(in(call, 0), y.data);
  const Dense source(in(call, 2));
  visit(y.dtype, [&](auto zero) {
    using T = decltype(zero);
    each_index("scatter_add", y.shape, in(call, 1), static_cast<int>(call.attributes.axes[0]),
               [&](std::int64_t i, std::int64_t offset) {
                 y.values<T>()[offset] = wrapped_sum(y.values<T>()[offset], source.values<T>()[i]);
               });
  });
}
void vjp_scatter(VjpContext& c) {
  if (c.wants(0)) c.give(0, c.grad());
  if (c.wants(2)) c.give(2, gather(c.grad(), static_cast<int>(c.attributes.axes[0]), c.input(1)));
}

// embedding: weight [n, d], ids [..]; the result is [.., d].
void infer_embedding(Call& call) {
  const Body &w = in(call, 0), &ids = in(call, 1);
  require_index("embedding", ids);
  if (w.shape.rank != 2) refuse("embedding", "weight {}: [n, d] is needed", described(&w));
  Shape shape = ids.shape;
  shape.push(w.shape[1]);
  set_output(call, 0, w.dtype, shape);
}
std::int64_t checked_id(const std::int64_t* ids, std::int64_t i, std::int64_t count) {
  if (ids[i] < 0 || ids[i] >= count)
    refuse("embedding", "id {} at position {} is not below {}", ids[i], i, count);
  return ids[i];
}
void run_embedding(Call& call) {
  const Dense w(in(call, 0)), ids(in(call, 1));
  const auto bytes = static_cast<std::size_t>(in(call, 0).shape[1]) * size_of(in(call, 0).dtype);
  for (std::int64_t i = 0; i < in(call, 1).count(); ++i) {
    const auto id = checked_id(ids.values<std::int64_t>(), i, in(call, 0).shape[0]);
    std::memcpy(out(call).data + static_cast<std::size_t>(i) * bytes,
                w.body().data + static_cast<std::size_t>(id) * bytes, bytes);
  }
}
void vjp_embedding(VjpContext& c) {
  if (!c.wants(0)) return;
  const Tensor ids = c.input(1);
  Attributes a;
  a.sizes = c.shape(0);
  c.give(0, apply(Op::embedding_grad, {&c.grad(), &ids}, a));
}
// embedding_grad: g [.., d], ids [..]; sizes is the weight's shape.
void infer_embedding_grad(Call& call) {
  set_output(call, 0, in(call, 0).dtype, call.attributes.sizes);
}
void run_embedding_grad(Call& call) {
  const Dense g(in(call, 0)), ids(in(call, 1));
  Body& y = out(call);
  visit_floating("embedding", y.dtype, [&](auto zero) {
    using T = decltype(zero);
    std::fill_n(y.values<T>(), y.count(), T(0));
    const auto d = y.shape[1];
    for (std::int64_t i = 0; i < in(call, 1).count(); ++i) {
      const auto id = checked_id(ids.values<std::int64_t>(), i, y.shape[0]);
      kernels::best().of<T>().add_row(y.values<T>() + id * d, g.values<T>() + i * d, d);
    }
  });
}
void vjp_embedding_grad(VjpContext& c) {
  if (c.wants(0)) c.give(0, embedding(c.grad(), c.input(1)));
}

std::vector<Case> gather_cases() {
  Attributes first, second;
  first.axes = {0};
  second.axes = {1};
  return {{{{{4, 3}}, {{2, 3}, 0, 4, true}}, first},
          {{{{3, 5}}, {{3, 7}, 0, 5, true}}, second},
          {{{{5}}, {{3}, 0, 5, true}}, first}};
}
std::vector<Case> scatter_cases() {
  Attributes first, second;
  first.axes = {0};
  second.axes = {1};
  return {{{{{4, 3}}, {{2, 3}, 0, 4, true}, {{2, 3}}}, first},
          {{{{3, 5}}, {{2, 7}, 0, 5, true}, {{2, 7}}}, second}};
}
std::vector<Case> embedding_cases() {
  return {{{{{5, 3}}, {{4}, 0, 5, true}}}, {{{{5, 2}}, {{2, 3}, 0, 5, true}}}};
}
std::vector<Case> embedding_grad_cases() {
  Attributes a;
  a.sizes = {5, 3};
  return {{{{{4, 3}}, {{4}, 0, 5, true}}, a}};
}

void add(Table& table, Op op, std::string_view name, void (*infer)(Call&), void (*run)(Call&),
         void (*vjp)(VjpContext&), std::vector<Case> (*cases)()) {
  auto& r = row(table, op, name);
  r.infer = infer;
  r.run = run;
  r.vjp = vjp;
  r.cases = cases;
  r.saves_inputs = 2;
  r.cost = cost_per_output<0>;
}

}  // namespace

void add_index_rows(Table& table) {
  add(table, Op::gather, "gather", infer_gather, run_gather, vjp_gather, gather_cases);
  add(table, Op::scatter_add, "scatter_add", infer_scatter, run_scatter, vjp_scatter, scatter_cases);
  add(table, Op::embedding, "embedding", infer_embedding, run_embedding, vjp_embedding, embedding_cases);
  add(table, Op::embedding_grad, "embedding_grad", infer_embedding_grad, run_embedding_grad,
      vjp_embedding_grad, embedding_grad_cases);
}

}  // namespace detail

Tensor gather(const Tensor& x, int axis, const Tensor& index) {
  Attributes a;
  a.axes = {checked_axis("gather", axis, x.shape())};
  return apply(Op::gather, {&x, &index}, a);
}
Tensor scatter_add(const Tensor& x, int axis, const Tensor& index, const Tensor& source) {
  Attributes a;
  a.axes = {checked_axis("scatter_add", axis, x.shape())};
  return apply(Op::scatter_add, {&x, &index, &source}, a);
}
Tensor embedding(const Tensor& weight, const Tensor& ids) {
  return apply(Op::embedding, {&weight, &ids});
}

}  // namespace tare::ad
