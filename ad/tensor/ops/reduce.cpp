// Reductions over axes. The reduced axes are brought behind the kept ones, or, where the kept ones lie behind
// already, whole rows are folded together; either way elements are combined in an order that only the shape
// decides.
#include <cmath>
#include <limits>

#include "ad/tensor/ops/family.hpp"

namespace tare::ad {
namespace detail {
namespace {

bool reduces(const Attributes& a, int axis) {
  for (const auto reduced : a.axes.list())
    if (reduced == axis) return true;
  return false;
}

Shape reduced_shape(const Shape& shape, const Attributes& a) {
  Shape result;
  for (int i = 0; i < shape.rank; ++i) {
    if (!reduces(a, i)) {
      result.push(shape[i]);
    } else if (a.keep) {
      result.push(1);
    }
  }
  return result;
}

std::int64_t reduced_count(const Shape& shape, const Attributes& a) {
  std::int64_t count = 1;
  for (const auto axis : a.axes.list()) count *= shape[static_cast<int>(axis)];
  return count;
}

DType summed_type(DType type) {
  return is_floating(type) ? type : DType::i64;
}

void infer_sum(Call& call) {
  set_output(call, 0, summed_type(in(call, 0).dtype), reduced_shape(in(call, 0).shape, call.attributes));
}
void infer_mean(Call& call) {
  set_output(call, 0, floating(in(call, 0).dtype), reduced_shape(in(call, 0).shape, call.attributes));
}
void infer_extreme(Call& call) {
  if (reduced_count(in(call, 0).shape, call.attributes) == 0) {
    refuse(row_of(call.op).name, "no elements to choose from in shape {} over axes {}",
           text_of(in(call, 0).shape), text_of(call.attributes.axes));
  }
  set_output(call, 0, in(call, 0).dtype, reduced_shape(in(call, 0).shape, call.attributes));
}

/// x with the reduced axes last, in row-major order, or as [outer, reduced, inner] when they are neighbours.
struct Arranged {
  Dense dense;
  std::int64_t outer, count, inner;
  bool moved;  ///< the axes are not in x's order
};

Arranged arrange(const Body& x, const Attributes& a) {
  // Neighbours already?
  int first = -1, last = -1, kept_between = 0;
  for (int i = 0; i < x.shape.rank; ++i) {
    if (!reduces(a, i)) continue;
    if (first < 0) first = i;
    last = i;
  }
  for (int i = first; i >= 0 && i <= last; ++i) kept_between += !reduces(a, i) && x.shape[i] != 1 ? 1 : 0;
  if (kept_between == 0) {
    std::int64_t outer = 1, count = 1, inner = 1;
    for (int i = 0; i < x.shape.rank; ++i)
      (first >= 0 && i < first ? outer : i <= last ? count : inner) *= x.shape[i];
    return {Dense(x), outer, count, inner, false};
  }
  Shape order;
  std::int64_t outer = 1;
  for (int i = 0; i < x.shape.rank; ++i) {
    if (reduces(a, i)) continue;
    order.push(i);
    outer *= x.shape[i];
  }
  for (const auto axis : a.axes.list()) order.push(axis);
  const NoGrad quiet;
  const Tensor moved = copy(permute(Tensor::from(const_cast<Body*>(&x)), order));
  return {Dense(*moved.body()), outer, reduced_count(x.shape, a), 1, true};
}

struct Folds {
  Op op;
  template <class T>
  [[nodiscard]] T neutral() const {
    if constexpr (std::is_floating_point_v<T>) {
      if (op == Op::amax) return -std::numeric_limits<T>::infinity();
      if (op == Op::amin) return std::numeric_limits<T>::infinity();
    } else {
      if (op == Op::amax) return std::numeric_limits<T>::min();
      if (op == Op::amin) return std::numeric_limits<T>::max();
    }
    return op == Op::prod ? T(1) : T(0);
  }
  template <class T>
  [[nodiscard]] T combine(T a, T b) const {
    switch (op) {
      case Op::amax:
        return b > a ? b : a;
      case Op::amin:
        return b < a ? b : a;
      case Op::prod:
        return static_cast<T>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
      default:
        return static_cast<T>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
    }
  }
};

template <class T>
void fold_rows(Op op, const T* x, T* y, const Arranged& a) {
  const auto& l = kernels::best().of<T>();
  const auto row = op == Op::amax ? l.max : op == Op::amin ? l.min : op == Op::prod ? l.prod : l.sum;
  constexpr std::int64_t piece = 4 * parallel_grain;
  if (a.outer == 1 && a.count > piece) {
    // One long row in pieces, added in their order.
    const std::int64_t pieces = (a.count + piece - 1) / piece;
    const Tensor partial = Tensor::empty({pieces}, dtype_of<T>);
    T* parts = partial.body()->values<T>();
    parallel_for(a.count, piece, [&](std::int64_t begin, std::int64_t end) {
      parts[begin / piece] = row(x + begin, end - begin);
    });
    *y = row(parts, pieces);
    return;
  }
  parallel_for(a.outer, std::max<std::int64_t>(1, parallel_grain / std::max<std::int64_t>(1, a.count)),
               [&](std::int64_t begin, std::int64_t end) {
                 for (auto i = begin; i < end; ++i) y[i] = row(x + i * a.count, a.count);
               });
}

template <class T>
void fold_columns(Op op, const T* x, T* y, const Arranged& a) {
  const auto& l = kernels::best().of<T>();
  const auto add = op == Op::amax   ? l.max_row
                   : op == Op::amin ? l.min_row
                   : op == Op::prod ? l.mul_row
                                    : l.add_row;
  const T neutral = Folds{op}.neutral<T>();
  // Strips of columns that stay in the first-level cache while the rows go by.
  constexpr std::int64_t strip = 2048;
  const std::int64_t strips = (a.inner + strip - 1) / strip;
  const auto grain = std::max<std::int64_t>(
      1, parallel_grain / std::max<std::int64_t>(1, a.count * std::min(strip, a.inner)));
  parallel_for(a.outer * strips, grain, [&](std::int64_t begin, std::int64_t end) {
    for (auto at = begin; at < end; ++at) {
      const auto o = at / strips, from = at % strips * strip, n = std::min(strip, a.inner - from);
      T* to = y + o * a.inner + from;
      std::fill_n(to, n, neutral);
      for (std::int64_t k = 0; k < a.count; ++k) add(to, x + (o * a.count + k) * a.inner + from, n);
    }
  });
}

template <class T>
void fold_plain(Op op, const T* x, T* y, const Arranged& a) {
  const Folds folds{op};
  for (std::int64_t o = 0; o < a.outer; ++o) {
    for (std::int64_t i = 0; i < a.inner; ++i) {
      T value = folds.neutral<T>();
      for (std::int64_t k = 0; k < a.count; ++k)
        value = folds.combine(value, x[(o * a.count + k) * a.inner + i]);
      y[o * a.inner + i] = value;
    }
  }
}

void fold(Op op, const Body& x, const Attributes& attributes, Body& y) {
  if (y.count() == 0) return;
  const Arranged a = arrange(x, attributes);
  visit(y.dtype, [&](auto zero) {
    using T = decltype(zero);
    const T* from = a.dense.template values<T>();
    T* to = y.values<T>();
    if constexpr (std::is_floating_point_v<T>) {
      if (a.inner == 1) {
        fold_rows(op, from, to, a);
      } else {
        fold_columns(op, from, to, a);
      }
    } else {
      fold_plain(op, from, to, a);
    }
  });
}

void run_fold(Call& call) {
  const Tensor x = cast(Tensor::from(call.inputs[0]), out(call).dtype);
  fold(call.op == Op::mean ? Op::sum : call.op, *x.body(), call.attributes, out(call));
}
void run_mean(Call& call) {
  run_fold(call);
  const auto count = static_cast<double>(reduced_count(in(call, 0).shape, call.attributes));
  visit_floating("mean", out(call).dtype, [&](auto zero) {
    using T = decltype(zero);
    Body& y = out(call);
    for (std::int64_t i = 0; i < y.count(); ++i) y.values<T>()[i] /= static_cast<T>(count);
  });
}

/// A reduced tensor with the reduced axes back as size 1.
Tensor with_axes(const Tensor& reduced, const Shape& full, const Attributes& a) {
  Shape shape = full;
  for (const auto axis : a.axes.list()) shape[static_cast<int>(axis)] = 1;
  return reshape(reduced, shape);
}

void vjp_sum(VjpContext& c) {
  if (c.wants(0)) c.give(0, expand(with_axes(c.grad(), c.shape(0), c.attributes), c.shape(0)));
}
void vjp_mean(VjpContext& c) {
  if (!c.wants(0)) return;
  const auto count = static_cast<double>(reduced_count(c.shape(0), c.attributes));
  c.give(0, expand(with_axes(c.grad() * (1 / count), c.shape(0), c.attributes), c.shape(0)));
}
void vjp_extreme(VjpContext& c) {
  if (!c.wants(0)) return;
  const Tensor x = c.input(0);
  const Tensor y = with_axes(c.output(0), c.shape(0), c.attributes);
  const Tensor hits = cast(equal(x, y), x.dtype());
  const Tensor share = div(with_axes(c.grad(), c.shape(0), c.attributes), sum(hits, c.attributes.axes, true));
  c.give(0, mul(hits, share));
}

// prod backwards: each element's derivative is the product of the others, by products from both ends.
void infer_prod_grad(Call& call) {
  set_output(call, 0, in(call, 1).dtype, in(call, 1).shape);
}
void run_prod_grad(Call& call) {
  const Arranged a = arrange(in(call, 1), call.attributes);
  const Dense g(in(call, 0));
  Tensor moved;
  visit_floating("prod", out(call).dtype, [&](auto zero) {
    using T = decltype(zero);
    const T* x = a.dense.template values<T>();
    Tensor result = Tensor::empty({a.outer, a.count, a.inner}, dtype_of<T>);
    T* to = result.body()->values<T>();
    for (std::int64_t o = 0; o < a.outer; ++o) {
      for (std::int64_t i = 0; i < a.inner; ++i) {
        const auto at = [&](std::int64_t k) { return (o * a.count + k) * a.inner + i; };
        T product = g.values<T>()[o * a.inner + i];
        for (std::int64_t k = 0; k < a.count; ++k) {
          to[at(k)] = product;
          product *= x[at(k)];
        }
        product = 1;
        for (std::int64_t k = a.count; k-- > 0;) {
          to[at(k)] *= product;
          product *= x[at(k)];
        }
      }
    }
    moved = result;
  });
  // Back to the order of the axes.
  const Shape& shape = in(call, 1).shape;
  if (!a.moved) {
    std::memcpy(out(call).data, moved.body()->data, static_cast<std::size_t>(out(call).bytes()));
    return;
  }
  Shape order, sizes;
  for (int i = 0; i < shape.rank; ++i)
    if (!reduces(call.attributes, i)) order.push(i);
  for (const auto axis : call.attributes.axes.list()) order.push(axis);
  Shape back = order;
  for (int i = 0; i < order.rank; ++i) {
    sizes.push(shape[static_cast<int>(order[i])]);
    back[static_cast<int>(order[i])] = i;
  }
  copy_dense(*permute(reshape(moved, sizes), back).body(), out(call).data);
}
void vjp_prod(VjpContext& c) {
  if (!c.wants(0)) return;
  if (c.differentiable) return vjp_by_decomposition(c);
  const Tensor x = c.input(0);
  c.give(0, apply(Op::prod_grad, {&c.grad(), &x}, c.attributes));
}
/// Halves multiplied with each other until one element is left.
std::vector<Tensor> decompose_prod(std::span<const Tensor> inputs, const Attributes& a) {
  Tensor x = inputs[0];
  for (const auto reduced : a.axes.list()) {
    const auto axis = static_cast<int>(reduced);
    if (x.size(axis) == 0) {
      // The empty product is 1; the sum keeps it a function of x.
      x = sum(x, {axis}, true) + 1.0;
    }
    while (x.size(axis) > 1) {
      const auto half = x.size(axis) / 2;
      Tensor product = mul(slice(x, axis, 0, half), slice(x, axis, half, 2 * half));
      if (x.size(axis) % 2 == 1) {
        const std::array parts{product, slice(x, axis, 2 * half, 2 * half + 1)};
        product = concat(parts, axis);
      }
      x = product;
    }
  }
  return {reshape(x, reduced_shape(inputs[0].shape(), a))};
}

void infer_arg(Call& call) {
  infer_extreme(call);
  out(call).dtype = DType::i64;
}
void run_arg(Call& call) {
  const Arranged a = arrange(in(call, 0), call.attributes);
  visit(in(call, 0).dtype, [&](auto zero) {
    using T = decltype(zero);
    const T* x = a.dense.template values<T>();
    for (std::int64_t o = 0; o < a.outer; ++o) {
      for (std::int64_t i = 0; i < a.inner; ++i) {
        std::int64_t best = 0;
        for (std::int64_t k = 1; k < a.count; ++k) {
          const T value = x[(o * a.count + k) * a.inner + i], chosen = x[(o * a.count + best) * a.inner + i];
          if (call.op == Op::argmax ? value > chosen : value < chosen) best = k;
        }
        out(call).values<std::int64_t>()[o * a.inner + i] = best;
      }
    }
  });
}

// cumsum: along axes[0]; flag: from the end.
void infer_cumsum(Call& call) {
  set_output(call, 0, summed_type(in(call, 0).dtype), in(call, 0).shape);
}
void run_cumsum(Call& call) {
  const Tensor x = cast(Tensor::from(call.inputs[0]), out(call).dtype);
  const Arranged a = arrange(*x.body(), call.attributes);
  visit(out(call).dtype, [&](auto zero) {
    using T = decltype(zero);
    const T* from = a.dense.template values<T>();
    T* to = out(call).values<T>();
    for (std::int64_t o = 0; o < a.outer; ++o) {
      for (std::int64_t k = 0; k < a.count; ++k) {
        const auto row = call.attributes.flag ? a.count - 1 - k : k;
        const auto before = call.attributes.flag ? row + 1 : row - 1;
        for (std::int64_t i = 0; i < a.inner; ++i) {
          const T sum = k == 0 ? T(0) : to[(o * a.count + before) * a.inner + i];
          to[(o * a.count + row) * a.inner + i] = wrapped_sum(sum, from[(o * a.count + row) * a.inner + i]);
        }
      }
    }
  });
}
void vjp_cumsum(VjpContext& c) {
  if (c.wants(0)) c.give(0, cumsum(c.grad(), static_cast<int>(c.attributes.axes[0]), !c.attributes.flag));
}

std::vector<Case> reduction_cases(bool smooth, bool with_empty) {
  std::vector<Case> cases;
  const auto add = [&](const Shape& shape, const Shape& axes, bool keep = false) {
    Attributes a;
    a.axes = axes;
    a.keep = keep;
    cases.push_back({{{shape, -2, 2}}, a, smooth});
  };
  add({7}, {0});
  add({3, 5}, {1});
  add({3, 5}, {0});
  add({3, 5}, {0, 1}, true);
  add({2, 3, 4, 2}, {0, 2});
  add({2, 3, 4}, {1}, true);
  add({2, 1, 67}, {2});
  add({}, {});
  add({3, 3, 3}, {0, 2});
  if (with_empty) {
    add({0, 3}, {0});
    add({0, 4, 2}, {0, 2});
  }
  return cases;
}
std::vector<Case> sum_cases() {
  return reduction_cases(true, true);
}
// Distinct random elements: smooth away from ties.
std::vector<Case> extreme_cases() {
  return reduction_cases(true, false);
}
std::vector<Case> arg_cases() {
  Attributes a;
  a.axes = {1};
  return {{{{{3, 5}}}, a, false}};
}
std::vector<Case> cumsum_cases() {
  Attributes forward, backward;
  forward.axes = {1};
  backward.axes = {0};
  backward.flag = true;
  return {{{{{3, 5}}}, forward}, {{{{4, 2}}}, backward}, {{{{2, 3, 2}}}, forward}};
}

}  // namespace

void add_reduction_rows(Table& table) {
  const auto add = [&](Op op, std::string_view name, void (*infer)(Call&), void (*run)(Call&),
                       void (*vjp)(VjpContext&), std::vector<Case> (*cases)()) -> OpRow& {
    auto& r = row(table, op, name);
    r.infer = infer;
    r.run = run;
    r.vjp = vjp;
    r.cases = cases;
    r.cost = cost_per_input<1>;
    return r;
  };
  add(Op::sum, "sum", infer_sum, run_fold, vjp_sum, sum_cases);
  add(Op::mean, "mean", infer_mean, run_mean, vjp_mean, extreme_cases);
  auto& largest = add(Op::amax, "amax", infer_extreme, run_fold, vjp_extreme, extreme_cases);
  largest.saves_inputs = largest.saves_outputs = 1;
  auto& smallest = add(Op::amin, "amin", infer_extreme, run_fold, vjp_extreme, extreme_cases);
  smallest.saves_inputs = smallest.saves_outputs = 1;
  auto& product = add(Op::prod, "prod", infer_sum, run_fold, vjp_prod, sum_cases);
  product.saves_inputs = 1;
  product.decompose = decompose_prod;
  add(Op::prod_grad, "prod_grad", infer_prod_grad, run_prod_grad, nullptr, nullptr);
  add(Op::argmax, "argmax", infer_arg, run_arg, nullptr, arg_cases);
  add(Op::argmin, "argmin", infer_arg, run_arg, nullptr, arg_cases);
  add(Op::cumsum, "cumsum", infer_cumsum, run_cumsum, vjp_cumsum, cumsum_cases);
}

}  // namespace detail

namespace {

Tensor reduce(Op op, const Tensor& x, std::span<const std::int64_t> axes, bool keep) {
  Attributes a;
  a.axes = checked_axes(row_of(op).name, axes, x.shape());
  a.keep = keep;
  return apply(op, {&x}, a);
}
std::span<const std::int64_t> span_of(Axes axes) {
  return {axes.begin(), axes.size()};
}

}  // namespace

Tensor sum(const Tensor& x, Axes axes, bool keep) {
  return reduce(Op::sum, x, span_of(axes), keep);
}
Tensor sum(const Tensor& x, const Shape& axes, bool keep) {
  return axes.rank == 0 && x.rank() > 0 ? x : reduce(Op::sum, x, axes.list(), keep);
}
Tensor mean(const Tensor& x, Axes axes, bool keep) {
  return reduce(Op::mean, x, span_of(axes), keep);
}
Tensor amax(const Tensor& x, Axes axes, bool keep) {
  return reduce(Op::amax, x, span_of(axes), keep);
}
Tensor amin(const Tensor& x, Axes axes, bool keep) {
  return reduce(Op::amin, x, span_of(axes), keep);
}
Tensor prod(const Tensor& x, Axes axes, bool keep) {
  return reduce(Op::prod, x, span_of(axes), keep);
}

Tensor norm(const Tensor& x, Axes axes, bool keep) {
  return sqrt(sum(square(x), axes, keep));
}

Tensor var(const Tensor& x, Axes axes, bool keep, double less) {
  const Shape reduced = checked_axes("var", span_of(axes), x.shape());
  double count = 1;
  for (const auto axis : reduced.list()) count *= static_cast<double>(x.shape()[static_cast<int>(axis)]);
  if (!(count > less)) throw AdError(fmt::format("var: {} elements with divisor n - {}", count, less));
  const Tensor centred = x - mean(x, axes, true);
  return sum(square(centred), axes, keep) * (1 / (count - less));
}

Tensor argmax(const Tensor& x, int axis, bool keep) {
  const std::array axes{std::int64_t{axis}};
  return reduce(Op::argmax, x, axes, keep);
}
Tensor argmin(const Tensor& x, int axis, bool keep) {
  const std::array axes{std::int64_t{axis}};
  return reduce(Op::argmin, x, axes, keep);
}

Tensor cumsum(const Tensor& x, int axis, bool reverse) {
  Attributes a;
  a.axes = {checked_axis("cumsum", axis, x.shape())};
  a.flag = reverse;
  return apply(Op::cumsum, {&x}, a);
}

Tensor sum_to(const Tensor& x, const Shape& shape) {
  if (x.shape() == shape) return x;
  const int shift = x.rank() - shape.rank;
  Shape axes;
  for (int i = 0; i < x.rank(); ++i)
    if (i < shift || (shape[i - shift] == 1 && x.shape()[i] != 1)) axes.push(i);
  return reshape(axes.rank == 0 ? x : sum(x, axes, true), shape);
}

}  // namespace tare::ad
