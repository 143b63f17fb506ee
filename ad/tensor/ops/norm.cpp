// Normalisations: layer and RMS norm over the last axis, batch norm over all axes but the second. Forward
// keeps the mean and 1/σ, not the normalised values.
#include <cmath>

#include "ad/tensor/ops/family.hpp"

namespace tare::ad {
namespace detail {
namespace {

// Rows are summed into the weights' gradients block by block, the blocks in order: the same bits on any
// number of threads.
constexpr std::int64_t row_block = 64;

struct Rows {
  std::int64_t count, size;
};
Rows rows_of(const Shape& shape) {
  const auto size = shape[shape.rank - 1];
  return {size == 0 ? 0 : shape.count() / size, size};
}
template <class T>
bool leaves_caches(const Rows& rows) {
  return rows.count * rows.size * static_cast<std::int64_t>(sizeof(T)) >= kernels::streaming_bytes;
}
std::int64_t grain_of(const Rows& rows) {
  return std::max<std::int64_t>(1, parallel_grain / std::max<std::int64_t>(1, rows.size));
}

void require_row_norm(const Call& call) {
  require_floating(call, 0);
  const auto name = row_of(call.op).name;
  const Body& x = in(call, 0);
  if (x.shape.rank == 0 || x.shape[x.shape.rank - 1] == 0)
    refuse(name, "no elements in the last axis of {}", text_of(x.shape));
  for (std::size_t i = 1; i < call.inputs.size(); ++i) {
    const Body& w = in(call, i);
    if (w.shape.rank != 1 || w.shape[0] != x.shape[x.shape.rank - 1] || w.dtype != x.dtype)
      refuse(name, "weight or bias {} for {}: one number per element of the last axis is needed",
             described(&w), described(&x));
  }
}

// layer_norm: x, weight, bias; outputs y, mean, 1/σ of each row; first is ε. rms_norm: x, weight; y, 1/rms.
void infer_layer_norm(Call& call) {
  require_row_norm(call);
  const Body& x = in(call, 0);
  set_output(call, 0, x.dtype, x.shape);
  Shape rows = x.shape;
  --rows.rank;
  for (int k = 1; k < call.output_count; ++k) set_output(call, static_cast<std::size_t>(k), x.dtype, rows);
}
void run_layer_norm(Call& call) {
  const Dense x(in(call, 0)), w(in(call, 1)), b(in(call, 2));
  visit_floating("layer_norm", out(call).dtype, [&](auto zero) {
    using T = decltype(zero);
    const auto& l = kernels::best().of<T>();
    const auto rows = rows_of(out(call).shape);
    const bool streamed = leaves_caches<T>(rows);
    const T epsilon = static_cast<T>(call.attributes.first);
    parallel_for(rows.count, grain_of(rows), [&](std::int64_t begin, std::int64_t end) {
      for (auto i = begin; i < end; ++i) {
        const T* from = x.values<T>() + i * rows.size;
        T &mean = out(call, 1).values<T>()[i], &rstd = out(call, 2).values<T>()[i];
        l.moments(from, rows.size, epsilon, &mean, &rstd);
        l.normalise(from, mean, rstd, w.values<T>(), b.values<T>(), out(call).values<T>() + i * rows.size,
                    rows.size, streamed);
      }
      if (streamed) kernels::end_streaming();
    });
  });
}
void run_rms_norm(Call& call) {
  const Dense x(in(call, 0)), w(in(call, 1));
  visit_floating("rms_norm", out(call).dtype, [&](auto zero) {
    using T = decltype(zero);
    const auto& l = kernels::best().of<T>();
    const auto rows = rows_of(out(call).shape);
    const bool streamed = leaves_caches<T>(rows);
    parallel_for(rows.count, grain_of(rows), [&](std::int64_t begin, std::int64_t end) {
      for (auto i = begin; i < end; ++i) {
        const T* from = x.values<T>() + i * rows.size;
        const T squares = l.dot(from, from, rows.size) / static_cast<T>(rows.size);
        const T scale = T(1) / std::sqrt(squares + static_cast<T>(call.attributes.first));
        out(call, 1).values<T>()[i] = scale;
        l.normalise(from, T(0), scale, w.values<T>(), static_cast<const T*>(nullptr),
                    out(call).values<T>() + i * rows.size, rows.size, streamed);
      }
      if (streamed) kernels::end_streaming();
    });
  });
}

// Backwards: g, x, weight, mean (layer norm only), 1/σ; outputs gradients of x, weight and (layer norm) bias.
void infer_norm_grad(Call& call) {
  const Body &x = in(call, 1), &w = in(call, 2);
  set_output(call, 0, x.dtype, x.shape);
  for (int k = 1; k < call.output_count; ++k) set_output(call, static_cast<std::size_t>(k), w.dtype, w.shape);
}
void run_norm_grad(Call& call) {
  const bool centre = call.op == Op::layer_norm_grad;
  const Dense g(in(call, 0)), x(in(call, 1)), w(in(call, 2)), rstd(in(call, centre ? 4 : 3));
  const Dense mean(in(call, 3));
  visit_floating("layer_norm", out(call).dtype, [&](auto zero) {
    using T = decltype(zero);
    const auto& l = kernels::best().of<T>();
    const auto rows = rows_of(out(call).shape);
    const bool streamed = leaves_caches<T>(rows);
    const auto blocks = (rows.count + row_block - 1) / row_block;
    const Tensor partial = Tensor::zeros({blocks, 2, rows.size}, dtype_of<T>);
    T* sums = partial.body()->values<T>();
    parallel_for(rows.count, row_block, [&](std::int64_t begin, std::int64_t end) {
      T* gw = sums + begin / row_block * 2 * rows.size;
      for (auto i = begin; i < end; ++i) {
        const auto at = i * rows.size;
        l.normalise_grad(g.values<T>() + at, x.values<T>() + at, centre ? mean.values<T>()[i] : T(0),
                         rstd.values<T>()[i], w.values<T>(), out(call).values<T>() + at, gw,
                         centre ? gw + rows.size : nullptr, rows.size, centre, streamed);
      }
      if (streamed) kernels::end_streaming();
    });
    for (std::size_t k = 1; k < static_cast<std::size_t>(call.output_count); ++k) {
      T* total = out(call, k).values<T>();
      std::fill_n(total, rows.size, T(0));
      for (std::int64_t block = 0; block < blocks; ++block)
        l.add_row(total, sums + (block * 2 + static_cast<std::int64_t>(k) - 1) * rows.size, rows.size);
    }
  });
}
void vjp_layer_norm(VjpContext& c) {
  if (c.differentiable) return vjp_by_decomposition(c);
  const Tensor x = c.input(0), w = c.input(1), mean = c.output(1), rstd = c.output(2);
  auto parts = apply_all(Op::layer_norm_grad, {&c.grad(), &x, &w, &mean, &rstd});
  for (int i = 0; i < 3; ++i)
    if (c.wants(i)) c.give(i, parts[static_cast<std::size_t>(i)]);
}
void vjp_rms_norm(VjpContext& c) {
  if (c.differentiable) return vjp_by_decomposition(c);
  const Tensor x = c.input(0), w = c.input(1), scale = c.output(1);
  auto parts = apply_all(Op::rms_norm_grad, {&c.grad(), &x, &w, &scale});
  for (int i = 0; i < 2; ++i)
    if (c.wants(i)) c.give(i, parts[static_cast<std::size_t>(i)]);
}
std::vector<Tensor> decompose_layer_norm(std::span<const Tensor> inputs, const Attributes& a) {
  const Tensor& x = inputs[0];
  const Tensor m = mean(x, {-1}, true);
  const Tensor centred = sub(x, m);
  const Tensor rstd = rsqrt(mean(square(centred), {-1}, true) + a.first);
  return {add(mul(mul(centred, rstd), inputs[1]), inputs[2]), squeeze(m, -1), squeeze(rstd, -1)};
}
std::vector<Tensor> decompose_rms_norm(std::span<const Tensor> inputs, const Attributes& a) {
  const Tensor& x = inputs[0];
  const Tensor scale = rsqrt(mean(square(x), {-1}, true) + a.first);
  return {mul(mul(x, scale), inputs[1]), squeeze(scale, -1)};
}

// batch_norm: x [n, c, …], weight, bias [c]; outputs y, mean, variance of each channel; first is ε.
struct Channels {
  std::int64_t batch, count, inner;
};
Channels channels_of(const Shape& shape) {
  std::int64_t inner = 1;
  for (int i = 2; i < shape.rank; ++i) inner *= shape[i];
  return {shape[0], shape[1], inner};
}
void infer_batch_norm(Call& call) {
  require_floating(call, 0);
  const Body& x = in(call, 0);
  if (x.shape.rank < 2 || x.shape.count() == 0)
    refuse("batch_norm", "{}: [n, channels, ..] with elements is needed", described(&x));
  for (std::size_t i = 1; i < 3; ++i) {
    const Body& w = in(call, i);
    if (w.shape.rank != 1 || w.shape[0] != x.shape[1] || w.dtype != x.dtype)
      refuse("batch_norm", "weight or bias {} for {}: one number per channel is needed", described(&w),
             described(&x));
  }
  set_output(call, 0, x.dtype, x.shape);
  set_output(call, 1, x.dtype, {x.shape[1]});
  set_output(call, 2, x.dtype, {x.shape[1]});
}
void run_batch_norm(Call& call) {
  const Dense x(in(call, 0)), w(in(call, 1)), b(in(call, 2));
  visit_floating("batch_norm", out(call).dtype, [&](auto zero) {
    using T = decltype(zero);
    const auto& l = kernels::best().of<T>();
    const auto c = channels_of(in(call, 0).shape);
    const T n = static_cast<T>(c.batch * c.inner);
    parallel_for(c.count, std::max<std::int64_t>(1, parallel_grain / (c.batch * c.inner)),
                 [&](std::int64_t begin, std::int64_t end) {
                   for (auto k = begin; k < end; ++k) {
                     T total = 0, squares = 0;
                     for (std::int64_t i = 0; i < c.batch; ++i)
                       total += l.sum(x.values<T>() + (i * c.count + k) * c.inner, c.inner);
                     const T mean = total / n;
                     for (std::int64_t i = 0; i < c.batch; ++i) {
                       const T* from = x.values<T>() + (i * c.count + k) * c.inner;
                       for (std::int64_t j = 0; j < c.inner; ++j)
                         squares += (from[j] - mean) * (from[j] - mean);
                     }
                     out(call, 1).values<T>()[k] = mean;
                     out(call, 2).values<T>()[k] = squares / n;
                     const T scale =
                         w.values<T>()[k] / std::sqrt(squares / n + static_cast<T>(call.attributes.first));
                     const T shift = b.values<T>()[k] - mean * scale;
                     for (std::int64_t i = 0; i < c.batch; ++i) {
                       const auto at = (i * c.count + k) * c.inner;
                       for (std::int64_t j = 0; j < c.inner; ++j)
                         out(call).values<T>()[at + j] = x.values<T>()[at + j] * scale + shift;
                     }
                   }
                 });
  });
}
// Backwards: g, x, weight, mean, variance.
void run_batch_norm_grad(Call& call) {
  const Dense g(in(call, 0)), x(in(call, 1)), w(in(call, 2)), mean(in(call, 3)), variance(in(call, 4));
  visit_floating("batch_norm", out(call).dtype, [&](auto zero) {
    using T = decltype(zero);
    const auto c = channels_of(in(call, 1).shape);
    const T n = static_cast<T>(c.batch * c.inner);
    parallel_for(
        c.count, std::max<std::int64_t>(1, parallel_grain / (c.batch * c.inner)),
        [&](std::int64_t begin, std::int64_t end) {
          for (auto k = begin; k < end; ++k) {
            const T m = mean.values<T>()[k];
            const T rstd = T(1) / std::sqrt(variance.values<T>()[k] + static_cast<T>(call.attributes.first));
            T total = 0, product = 0;
            for (std::int64_t i = 0; i < c.batch; ++i) {
              const auto at = (i * c.count + k) * c.inner;
              for (std::int64_t j = at; j < at + c.inner; ++j) {
                total += g.values<T>()[j];
                product += g.values<T>()[j] * (x.values<T>()[j] - m) * rstd;
              }
            }
            out(call, 1).values<T>()[k] = product;
            out(call, 2).values<T>()[k] = total;
            const T scale = w.values<T>()[k] * rstd;
            for (std::int64_t i = 0; i < c.batch; ++i) {
              const auto at = (i * c.count + k) * c.inner;
              for (std::int64_t j = at; j < at + c.inner; ++j) {
                const T unit = (x.values<T>()[j] - m) * rstd;
                out(call).values<T>()[j] = scale * (g.values<T>()[j] - total / n - unit * product / n);
              }
            }
          }
        });
  });
}
void vjp_batch_norm(VjpContext& c) {
  // Gradients may also come through the statistics; only the decomposition knows those.
  if (c.differentiable || c.grad(1).defined() || c.grad(2).defined() || !c.grad(0).defined())
    return vjp_by_decomposition(c);
  const Tensor x = c.input(0), w = c.input(1), mean = c.output(1), variance = c.output(2);
  auto parts = apply_all(Op::batch_norm_grad, {&c.grad(), &x, &w, &mean, &variance}, c.attributes);
  for (int i = 0; i < 3; ++i)
    if (c.wants(i)) c.give(i, parts[static_cast<std::size_t>(i)]);
}
std::vector<Tensor> decompose_batch_norm(std::span<const Tensor> inputs, const Attributes& a) {
  const Tensor& x = inputs[0];
  Shape axes, wide;
  for (int i = 0; i < x.rank(); ++i) {
    wide.push(i == 1 ? x.size(1) : 1);
    if (i != 1) axes.push(i);
  }
  const double n = static_cast<double>(x.count()) / static_cast<double>(x.size(1));
  const Tensor m = sum(x, axes, true) * (1 / n);
  const Tensor centred = sub(x, m);
  const Tensor v = sum(square(centred), axes, true) * (1 / n);
  const Tensor y =
      add(mul(mul(centred, rsqrt(v + a.first)), reshape(inputs[1], wide)), reshape(inputs[2], wide));
  return {y, reshape(m, {x.size(1)}), reshape(v, {x.size(1)})};
}

Attributes epsilon(double value) {
  Attributes a;
  a.first = value;
  return a;
}
std::vector<Case> layer_norm_cases() {
  return {{{{{3, 5}}, {{5}}, {{5}}}, epsilon(1e-3)},
          {{{{2, 3, 67}}, {{67}}, {{67}}}, epsilon(1e-5)},
          {{{{130, 4}}, {{4}}, {{4}}}, epsilon(1e-2)}};
}
std::vector<Case> rms_norm_cases() {
  return {{{{{3, 5}}, {{5}}}, epsilon(1e-3)},
          {{{{2, 3, 67}}, {{67}}}, epsilon(1e-5)},
          {{{{130, 4}}, {{4}}}, epsilon(1e-2)}};
}
std::vector<Case> batch_norm_cases() {
  return {{{{{4, 3}}, {{3}}, {{3}}}, epsilon(1e-2)}, {{{{2, 3, 4, 5}}, {{3}}, {{3}}}, epsilon(1e-3)}};
}

}  // namespace

void add_norm_rows(Table& table) {
  put(table, Op::layer_norm,
      {.name = "layer_norm",
       .infer = infer_layer_norm,
       .run = run_layer_norm,
       .vjp = vjp_layer_norm,
       .decompose = decompose_layer_norm,
       .cost = cost_per_input<8>,
       .cases = layer_norm_cases,
       .saves_inputs = 7,
       .saves_outputs = 6,
       .outputs = 3});
  put(table, Op::layer_norm_grad,
      {.name = "layer_norm_grad",
       .infer = infer_norm_grad,
       .run = run_norm_grad,
       .cost = cost_per_input<8>,
       .outputs = 3});
  put(table, Op::rms_norm,
      {.name = "rms_norm",
       .infer = infer_layer_norm,
       .run = run_rms_norm,
       .vjp = vjp_rms_norm,
       .decompose = decompose_rms_norm,
       .cost = cost_per_input<8>,
       .cases = rms_norm_cases,
       .saves_inputs = 3,
       .saves_outputs = 2,
       .outputs = 2});
  put(table, Op::rms_norm_grad,
      {.name = "rms_norm_grad",
       .infer = infer_norm_grad,
       .run = run_norm_grad,
       .cost = cost_per_input<8>,
       .outputs = 2});
  put(table, Op::batch_norm,
      {.name = "batch_norm",
       .infer = infer_batch_norm,
       .run = run_batch_norm,
       .vjp = vjp_batch_norm,
       .decompose = decompose_batch_norm,
       .cost = cost_per_input<8>,
       .cases = batch_norm_cases,
       .saves_inputs = 7,
       .saves_outputs = 6,
       .outputs = 3});
  put(table, Op::batch_norm_grad,
      {.name = "batch_norm_grad",
       .infer = infer_norm_grad,
       .run = run_batch_norm_grad,
       .cost = cost_per_input<8>,
       .outputs = 3});
}

}  // namespace detail

namespace {
Attributes with_epsilon(double epsilon) {
  Attributes a;
  a.first = epsilon;
  return a;
}
}  // namespace

Tensor layer_norm(const Tensor& x, const Tensor& weight, const Tensor& bias, double epsilon) {
  return apply(Op::layer_norm, {&x, &weight, &bias}, with_epsilon(epsilon));
}
Tensor rms_norm(const Tensor& x, const Tensor& weight, double epsilon) {
  return apply(Op::rms_norm, {&x, &weight}, with_epsilon(epsilon));
}
BatchNorm batch_norm(const Tensor& x, const Tensor& weight, const Tensor& bias, double epsilon) {
  auto parts = apply_all(Op::batch_norm, {&x, &weight, &bias}, with_epsilon(epsilon));
  return {std::move(parts[0]), std::move(parts[1]), std::move(parts[2])};
}

}  // namespace tare::ad
