// Rows over the last axis built on exponentials: logsumexp, softmax, log-softmax, cross entropy. Fused
// kernels subtract the largest element first; in a graph, and for derivatives of derivatives, they fall apart
// into simpler rows.
#include <cmath>

#include "ad/tensor/ops/family.hpp"

namespace tare::ad {
namespace detail {
namespace {

struct Rows {
  std::int64_t count, size;
};
Rows rows_of(const Shape& shape) {
  const auto size = shape.rank == 0 ? 1 : shape[shape.rank - 1];
  return {size == 0 ? 0 : shape.count() / size, size};
}
std::int64_t row_grain(std::int64_t size) {
  return std::max<std::int64_t>(1, parallel_grain / 4 / std::max<std::int64_t>(1, size));
}

template <class F>
void each_row(const Rows& rows, F f) {
  parallel_for(rows.count, row_grain(rows.size), [&](std::int64_t begin, std::int64_t end) {
    for (auto i = begin; i < end; ++i) f(i);
  });
}

/// The shift that keeps exp in range: the largest element, or 0 where that is infinite.
template <class T>
T shift_of(const T* x, std::int64_t n) {
  const T largest = kernels::best().of<T>().max(x, n);
  return std::isfinite(largest) || std::isnan(largest) ? largest : T(0);
}

template <class T>
T log_sum_exp(const T* x, std::int64_t n) {
  const T largest = kernels::best().of<T>().max(x, n);
  if (std::isinf(largest)) return largest;
  return largest + std::log(kernels::best().of<T>().sum_exp(x, largest, n));
}

// logsumexp over the last axis; `keep` keeps it as size 1.
void infer_lse(Call& call) {
  require_floating(call, 0);
  Shape shape = in(call, 0).shape;
  if (shape.rank == 0 || shape[shape.rank - 1] == 0)
    refuse("logsumexp", "no elements in the last axis of {}", text_of(shape));
  if (call.attributes.keep) {
    shape[shape.rank - 1] = 1;
  } else {
    --shape.rank;
  }
  set_output(call, 0, in(call, 0).dtype, shape);
}
void run_lse(Call& call) {
  const Dense x(in(call, 0));
  visit_floating("logsumexp", out(call).dtype, [&](auto zero) {
    using T = decltype(zero);
    const auto rows = rows_of(in(call, 0).shape);
    each_row(rows, [&](std::int64_t i) {
      out(call).values<T>()[i] = log_sum_exp(x.values<T>() + i * rows.size, rows.size);
    });
  });
}
Shape kept_last(const Shape& shape) {
  Shape kept = shape;
  kept[kept.rank - 1] = 1;
  return kept;
}
void vjp_lse(VjpContext& c) {
  if (!c.wants(0)) return;
  const Tensor x = c.input(0), y = c.output(0);
  if (c.differentiable) {
    return c.give(
        0, mul(exp(sub(x, reshape(y, kept_last(x.shape())))), reshape(c.grad(), kept_last(x.shape()))));
  }
  const Tensor gx = Tensor::empty(x.shape(), x.dtype());
  const Dense dense(*x.body()), g(*c.grad().body());
  visit_floating("logsumexp", x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const auto rows = rows_of(x.shape());
    each_row(rows, [&](std::int64_t i) {
      kernels::best().of<T>().scaled_exp(dense.values<T>() + i * rows.size, y.body()->values<T>()[i],
                                         g.values<T>()[i], gx.body()->values<T>() + i * rows.size, rows.size);
    });
  });
  c.give(0, gx);
}
std::vector<Tensor> decompose_lse(std::span<const Tensor> inputs, const Attributes& a) {
  const Tensor& x = inputs[0];
  // The shift cancels: its derivative is not needed.
  const Tensor largest = amax(x, {-1}, true).detach();
  const Tensor sums = log(sum(exp(sub(x, largest)), {-1}, true)) + largest;
  return {a.keep ? sums : squeeze(sums, -1)};
}

void infer_same(Call& call) {
  require_floating(call, 0);
  if (in(call, 0).shape.rank == 0) refuse(row_of(call.op).name, "a tensor without axes has no last one");
  set_output(call, 0, in(call, 0).dtype, in(call, 0).shape);
}
void run_softmax(Call& call) {
  const Dense x(in(call, 0));
  visit_floating("softmax", out(call).dtype, [&](auto zero) {
    using T = decltype(zero);
    const auto& l = kernels::best().of<T>();
    const auto rows = rows_of(out(call).shape);
    each_row(rows, [&](std::int64_t i) {
      const T* from = x.values<T>() + i * rows.size;
      T* to = out(call).values<T>() + i * rows.size;
      const T scale = T(1) / l.exp_shifted(from, shift_of(from, rows.size), to, rows.size);
      l.binary[static_cast<std::size_t>(Op::mul) - unary_ops](to, &scale, to, rows.size, 1, 0);
    });
  });
}
void vjp_softmax(VjpContext& c) {
  if (!c.wants(0)) return;
  const Tensor y = c.output(0);
  if (!c.differentiable) return c.give(0, apply(Op::softmax_grad, {&c.grad(), &y}));
  const Tensor gy = mul(c.grad(), y);
  c.give(0, sub(gy, mul(y, sum(gy, {-1}, true))));
}
void run_softmax_grad(Call& call) {
  const Dense g(in(call, 0)), y(in(call, 1));
  visit_floating("softmax", out(call).dtype, [&](auto zero) {
    using T = decltype(zero);
    const auto rows = rows_of(out(call).shape);
    const auto loop = call.op == Op::softmax_grad ? kernels::best().of<T>().softmax_grad
                                                  : kernels::best().of<T>().log_softmax_grad;
    each_row(rows, [&](std::int64_t i) {
      const auto at = i * rows.size;
      loop(g.values<T>() + at, y.values<T>() + at, out(call).values<T>() + at, rows.size);
    });
  });
}
std::vector<Tensor> decompose_softmax(std::span<const Tensor> inputs, const Attributes&) {
  const Tensor e = exp(sub(inputs[0], amax(inputs[0], {-1}, true).detach()));
  // One division a row, not one a number.
  return {mul(e, 1.0 / sum(e, {-1}, true))};
}

void run_log_softmax(Call& call) {
  const Dense x(in(call, 0));
  visit_floating("log_softmax", out(call).dtype, [&](auto zero) {
    using T = decltype(zero);
    const auto rows = rows_of(out(call).shape);
    each_row(rows, [&](std::int64_t i) {
      const T* from = x.values<T>() + i * rows.size;
      const T total = log_sum_exp(from, rows.size);
      kernels::best().of<T>().binary[static_cast<std::size_t>(Op::sub) - unary_ops](
          from, &total, out(call).values<T>() + i * rows.size, rows.size, 1, 0);
    });
  });
}
void vjp_log_softmax(VjpContext& c) {
  if (!c.wants(0)) return;
  const Tensor y = c.output(0);
  if (!c.differentiable) return c.give(0, apply(Op::log_softmax_grad, {&c.grad(), &y}));
  c.give(0, sub(c.grad(), mul(exp(y), sum(c.grad(), {-1}, true))));
}
std::vector<Tensor> decompose_log_softmax(std::span<const Tensor> inputs, const Attributes&) {
  const Tensor shifted = sub(inputs[0], amax(inputs[0], {-1}, true).detach());
  return {sub(shifted, log(sum(exp(shifted), {-1}, true)))};
}

// cross_entropy: logits [n, classes], targets i64 [n]; outputs the mean loss and each row's logsumexp.
void infer_cross_entropy(Call& call) {
  const Body &x = in(call, 0), &t = in(call, 1);
  require_floating(call, 0);
  if (x.shape.rank != 2 || t.shape.rank != 1 || t.dtype != DType::i64 || t.shape[0] != x.shape[0] ||
      x.shape.count() == 0) {
    refuse("cross_entropy", "logits {} with targets {}: [n, classes] and i64 [n] are needed", described(&x),
           described(&t));
  }
  set_output(call, 0, x.dtype, {});
  set_output(call, 1, x.dtype, {x.shape[0]});
}
void run_cross_entropy(Call& call) {
  const Dense x(in(call, 0)), t(in(call, 1));
  const auto rows = rows_of(in(call, 0).shape);
  const auto* targets = t.values<std::int64_t>();
  for (std::int64_t i = 0; i < rows.count; ++i) {
    if (targets[i] < 0 || targets[i] >= rows.size)
      refuse("cross_entropy", "target {} of row {} is not one of {} classes", targets[i], i, rows.size);
  }
  visit_floating("cross_entropy", out(call).dtype, [&](auto zero) {
    using T = decltype(zero);
    T* sums = out(call, 1).values<T>();
    each_row(rows, [&](std::int64_t i) { sums[i] = log_sum_exp(x.values<T>() + i * rows.size, rows.size); });
    T total = 0;
    for (std::int64_t i = 0; i < rows.count; ++i)
      total += sums[i] - x.values<T>()[i * rows.size + targets[i]];
    *out(call).values<T>() = total / static_cast<T>(rows.count);
  });
}
void vjp_cross_entropy(VjpContext& c) {
  if (!c.wants(0)) return;
  if (c.differentiable) return vjp_by_decomposition(c);
  const Tensor x = c.input(0), t = c.input(1), sums = c.output(1);
  c.give(0, apply(Op::cross_entropy_grad, {&c.grad(), &x, &t, &sums}));
}
void infer_cross_entropy_grad(Call& call) {
  set_output(call, 0, in(call, 1).dtype, in(call, 1).shape);
}
void run_cross_entropy_grad(Call& call) {
  const Dense x(in(call, 1)), t(in(call, 2)), sums(in(call, 3));
  visit_floating("cross_entropy", out(call).dtype, [&](auto zero) {
    using T = decltype(zero);
    const auto rows = rows_of(out(call).shape);
    const T scale = *in(call, 0).values<T>() / static_cast<T>(rows.count);
    each_row(rows, [&](std::int64_t i) {
      T* to = out(call).values<T>() + i * rows.size;
      kernels::best().of<T>().scaled_exp(x.values<T>() + i * rows.size, sums.values<T>()[i], scale, to,
                                         rows.size);
      to[t.values<std::int64_t>()[i]] -= scale;
    });
  });
}
std::vector<Tensor> decompose_cross_entropy(std::span<const Tensor> inputs, const Attributes&) {
  const Tensor sums = logsumexp(inputs[0], {-1});
  const Tensor chosen = squeeze(gather(inputs[0], 1, unsqueeze(inputs[1], 1)), 1);
  return {mean(sub(sums, chosen)), sums};
}

std::vector<Case> row_cases() {
  return {{{{{7}}}}, {{{{3, 5}}}}, {{{{2, 3, 67}, -5, 5}}}, {{{{4, 1}}}}};
}
std::vector<Case> cross_entropy_cases() {
  return {{{{{4, 5}}, {{4}, 0, 5, true}}},
          {{{{1, 3}}, {{1}, 0, 3, true}}},
          {{{{3, 40}, -6, 6}, {{3}, 0, 40, true}}}};
}

}  // namespace

void require_floating(const Call& call, std::size_t input) {
  if (!is_floating(in(call, input).dtype))
    refuse(row_of(call.op).name, "{}: f32 or f64 is needed, see cast()", described(call.inputs[input]));
}

void add_softmax_rows(Table& table) {
  put(table, Op::logsumexp,
      {.name = "logsumexp",
       .infer = infer_lse,
       .run = run_lse,
       .vjp = vjp_lse,
       .decompose = decompose_lse,
       .cost = cost_per_input<24>,
       .cases = row_cases,
       .saves_inputs = 1,
       .saves_outputs = 1});
  put(table, Op::softmax,
      {.name = "softmax",
       .infer = infer_same,
       .run = run_softmax,
       .vjp = vjp_softmax,
       .decompose = decompose_softmax,
       .cost = cost_per_input<24>,
       .cases = row_cases,
       .saves_outputs = 1});
  put(table, Op::softmax_grad,
      {.name = "softmax_grad", .infer = infer_same, .run = run_softmax_grad, .cost = cost_per_input<24>});
  put(table, Op::log_softmax,
      {.name = "log_softmax",
       .infer = infer_same,
       .run = run_log_softmax,
       .vjp = vjp_log_softmax,
       .decompose = decompose_log_softmax,
       .cost = cost_per_input<24>,
       .cases = row_cases,
       .saves_outputs = 1});
  put(table, Op::log_softmax_grad,
      {.name = "log_softmax_grad", .infer = infer_same, .run = run_softmax_grad, .cost = cost_per_input<24>});
  put(table, Op::cross_entropy,
      {.name = "cross_entropy",
       .infer = infer_cross_entropy,
       .run = run_cross_entropy,
       .vjp = vjp_cross_entropy,
       .decompose = decompose_cross_entropy,
       .cost = cost_per_input<24>,
       .cases = cross_entropy_cases,
       .saves_inputs = 3,
       .saves_outputs = 2,
       .outputs = 2});
  put(table, Op::cross_entropy_grad,
      {.name = "cross_entropy_grad",
       .infer = infer_cross_entropy_grad,
       .run = run_cross_entropy_grad,
       .cost = cost_per_input<24>});
}

}  // namespace detail

Tensor logsumexp(const Tensor& x, Axes axes, bool keep) {
  const Shape reduced = checked_axes("logsumexp", {axes.begin(), axes.size()}, x.shape());
  // The reduced axes behind the others, joined to one.
  Shape order, sizes, result;
  std::int64_t joined = 1;
  for (int i = 0; i < x.rank(); ++i) {
    const bool gone = std::ranges::find(reduced.list(), i) != reduced.list().end();
    if (!gone) {
      order.push(i);
      sizes.push(x.shape()[i]);
      result.push(x.shape()[i]);
    } else {
      joined *= x.shape()[i];
      if (keep) result.push(1);
    }
  }
  for (const auto axis : reduced.list()) order.push(axis);
  sizes.push(joined);
  bool in_order = true;
  for (int i = 0; i < order.rank; ++i) in_order = in_order && order[i] == i;
  const Tensor moved = reshape(in_order ? x : permute(x, order), sizes);
  return reshape(apply(Op::logsumexp, {&moved}), result);
}

Tensor softmax(const Tensor& x) {
  return apply(Op::softmax, {&x});
}
Tensor log_softmax(const Tensor& x) {
  return apply(Op::log_softmax, {&x});
}
Tensor cross_entropy(const Tensor& logits, const Tensor& targets) {
  return apply(Op::cross_entropy, {&logits, &targets});
}

}  // namespace tare::ad
