// Largest or mean value in square windows of images [n, c, h, w]. max_pool2d also gives where in its plane
// each value stood, and its derivative sends gradients back there; of equal values the first counts. In
// avg_pool2d padding counts as zeros. Attributes: sizes = {size, stride, padding}; extents = the input's
// height and width, in the gradients' rows.
#include <cmath>

#include "ad/tensor/ops/family.hpp"

namespace tare::ad {
namespace detail {
namespace {

// Larger than any window, and small enough that sums fit.
constexpr std::int64_t most = std::int64_t{1} << 30;

struct Pool {
  std::int64_t planes, h, w, oh, ow, size, stride, padding;
};

Pool pool_of(std::string_view op, const Shape& x, const Attributes& a) {
  const auto size = a.sizes[0], stride = a.sizes[1], padding = a.sizes[2];
  if (x.rank != 4) refuse(op, "an input of shape {}: [n, c, h, w] is needed", text_of(x));
  if (size < 1 || size > most || stride < 1 || stride > most || padding < 0 || padding > size / 2)
    refuse(op,
           "size {}, stride {}, padding {}: size and stride are at least 1, padding is at most half the size",
           size, stride, padding);
  const auto result = [&](std::int64_t length) {
    if (length < 1 || length > most || length + 2 * padding < size)
      refuse(op, "a window of size {} with padding {} does not fit the input {}", size, padding, text_of(x));
    return (length + 2 * padding - size) / stride + 1;
  };
  return {x[0] * x[1], x[2], x[3], result(x[2]), result(x[3]), size, stride, padding};
}
Shape result_shape(const Shape& x, const Pool& p) {
  return {x[0], x[1], p.oh, p.ow};
}
/// The input's shape where only the result's is at hand.
Shape input_shape(const Shape& result, const Attributes& a) {
  return {result[0], result[1], a.extents[0], a.extents[1]};
}

/// f(begin, end) for parts of the planes.
template <class F>
void each_plane(const Pool& p, F f) {
  const auto work = std::max<std::int64_t>(1, p.h * p.w + p.oh * p.ow);
  parallel_for(p.planes, std::max<std::int64_t>(1, parallel_grain / work),
               [&](std::int64_t begin, std::int64_t end) {
                 for (auto plane = begin; plane < end; ++plane) f(plane);
               });
}

struct Range {
  std::int64_t begin, end;
};
/// The part of a window that lies inside.
Range window(std::int64_t at, const Pool& p, std::int64_t length) {
  const auto from = at * p.stride - p.padding;
  return {std::max<std::int64_t>(from, 0), std::min(from + p.size, length)};
}
/// f(place in the result, rows, columns) for every window of a plane.
template <class F>
void each_window(const Pool& p, F f) {
  for (std::int64_t y = 0; y < p.oh; ++y) {
    const auto rows = window(y, p, p.h);
    for (std::int64_t x = 0; x < p.ow; ++x) f(y * p.ow + x, rows, window(x, p, p.w));
  }
}

void infer_pool(Call& call) {
  require_floating(call, 0);
  const Body& x = in(call, 0);
  const auto name = row_of(call.op).name;
  const auto shape = result_shape(x.shape, pool_of(name, x.shape, call.attributes));
  check_sizes(name, shape);
  set_output(call, 0, x.dtype, shape);
  if (call.output_count > 1) set_output(call, 1, DType::i64, shape);
}
/// The gradient's row: g in the result's shape, for max_pool2d also the places.
Pool pool_of_gradient(const Call& call) {
  const auto name = row_of(call.op).name;
  const Body& g = in(call, 0);
  if (g.shape.rank != 4) refuse(name, "a gradient of shape {}: [n, c, h, w] is needed", text_of(g.shape));
  const Shape x = input_shape(g.shape, call.attributes);
  const auto p = pool_of(name, x, call.attributes);
  if (!(g.shape == result_shape(x, p)))
    refuse(name, "a gradient {} for an input {}", text_of(g.shape), text_of(x));
  return p;
}
void infer_pool_grad(Call& call) {
  require_floating(call, 0);
  const auto name = row_of(call.op).name;
  const Body& g = in(call, 0);
  (void)pool_of_gradient(call);
  if (call.op == Op::max_pool2d_grad && (in(call, 1).dtype != DType::i64 || !(in(call, 1).shape == g.shape)))
    refuse(name, "places {} for a gradient {}: i64 of its shape is needed", described(&in(call, 1)),
           described(&g));
  const Shape x = input_shape(g.shape, call.attributes);
  check_sizes(name, x);
  set_output(call, 0, g.dtype, x);
}

void run_max_pool(Call& call) {
  const Dense x(in(call, 0));
  const auto p = pool_of("max_pool2d", in(call, 0).shape, call.attributes);
  visit_floating("max_pool2d", out(call).dtype, [&](auto zero) {
    using T = decltype(zero);
    each_plane(p, [&](std::int64_t plane) {
      const T* from = x.values<T>() + plane * p.h * p.w;
      T* to = out(call).values<T>() + plane * p.oh * p.ow;
      std::int64_t* places = out(call, 1).values<std::int64_t>() + plane * p.oh * p.ow;
      each_window(p, [&](std::int64_t at, Range rows, Range columns) {
        auto place = rows.begin * p.w + columns.begin;
        T largest = from[place];
        for (auto i = rows.begin; i < rows.end; ++i) {
          for (auto j = columns.begin; j < columns.end; ++j) {
            const T value = from[i * p.w + j];
            // NaN is larger than anything: it must not be lost.
            if (!(value > largest) && !(std::isnan(value) && !std::isnan(largest))) continue;
            largest = value;
            place = i * p.w + j;
          }
        }
        to[at] = largest;
        places[at] = place;
      });
    });
  });
}
void run_max_pool_grad(Call& call) {
  const Dense g(in(call, 0)), places(in(call, 1));
  const auto p = pool_of_gradient(call);
  visit_floating("max_pool2d_grad", out(call).dtype, [&](auto zero) {
    using T = decltype(zero);
    each_plane(p, [&](std::int64_t plane) {
      T* to = out(call).values<T>() + plane * p.h * p.w;
      std::fill_n(to, p.h * p.w, T(0));
      const auto first = plane * p.oh * p.ow;
      for (auto at = first; at < first + p.oh * p.ow; ++at) {
        const auto place = places.values<std::int64_t>()[at];
        if (place < 0 || place >= p.h * p.w)
          refuse("max_pool2d_grad", "place {} is not inside a plane of {}×{}", place, p.h, p.w);
        to[place] += g.values<T>()[at];
      }
    });
  });
}

void run_avg_pool(Call& call) {
  const Dense x(in(call, 0));
  const auto p = pool_of("avg_pool2d", in(call, 0).shape, call.attributes);
  visit_floating("avg_pool2d", out(call).dtype, [&](auto zero) {
    using T = decltype(zero);
    const T scale = T(1) / (static_cast<T>(p.size) * static_cast<T>(p.size));
    each_plane(p, [&](std::int64_t plane) {
      const T* from = x.values<T>() + plane * p.h * p.w;
      T* to = out(call).values<T>() + plane * p.oh * p.ow;
      each_window(p, [&](std::int64_t at, Range rows, Range columns) {
        T sum = 0;
        for (auto i = rows.begin; i < rows.end; ++i)
          for (auto j = columns.begin; j < columns.end; ++j) sum += from[i * p.w + j];
        to[at] = sum * scale;
      });
    });
  });
}
void run_avg_pool_grad(Call& call) {
  const Dense g(in(call, 0));
  const auto p = pool_of_gradient(call);
  visit_floating("avg_pool2d_grad", out(call).dtype, [&](auto zero) {
    using T = decltype(zero);
    const T scale = T(1) / (static_cast<T>(p.size) * static_cast<T>(p.size));
    each_plane(p, [&](std::int64_t plane) {
      T* to = out(call).values<T>() + plane * p.h * p.w;
      const T* from = g.values<T>() + plane * p.oh * p.ow;
      std::fill_n(to, p.h * p.w, T(0));
      each_window(p, [&](std::int64_t at, Range rows, Range columns) {
        const T part = from[at] * scale;
        for (auto i = rows.begin; i < rows.end; ++i)
          for (auto j = columns.begin; j < columns.end; ++j) to[i * p.w + j] += part;
      });
    });
  });
}

Attributes backwards(const Attributes& a, const Shape& x) {
  Attributes with = a;
  with.extents = {x[2], x[3]};
  return with;
}
void vjp_max_pool(VjpContext& c) {
  if (!c.wants(0)) return;
  const Tensor places = c.output(1);
  c.give(0, apply(Op::max_pool2d_grad, {&c.grad(), &places}, backwards(c.attributes, c.shape(0))));
}
void vjp_max_pool_grad(VjpContext& c) {
  if (!c.wants(0)) return;
  const Shape g = c.shape(0);
  const Tensor places = reshape(c.input(1), {g[0], g[1], g[2] * g[3]});
  const auto pixels = c.attributes.extents[0] * c.attributes.extents[1];
  c.give(0, reshape(gather(reshape(c.grad(), {g[0], g[1], pixels}), 2, places), g));
}
void vjp_avg_pool(VjpContext& c) {
  if (c.wants(0)) c.give(0, apply(Op::avg_pool2d_grad, {&c.grad()}, backwards(c.attributes, c.shape(0))));
}
void vjp_avg_pool_grad(VjpContext& c) {
  if (!c.wants(0)) return;
  Attributes forward = c.attributes;
  forward.extents = {};
  c.give(0, apply(Op::avg_pool2d, {&c.grad()}, forward));
}

/// One operation for every element of every window.
Cost cost_pool(const Call& call) {
  const bool backward = call.op == Op::max_pool2d_grad || call.op == Op::avg_pool2d_grad;
  const auto results = static_cast<double>(backward ? in(call, 0).count() : out(call).count());
  const auto size = static_cast<double>(call.attributes.sizes[0]);
  return {call.op == Op::max_pool2d_grad ? results : results * size * size, bytes_moved(call)};
}

Attributes attributes_of(const Pool2d& o) {
  Attributes a;
  a.sizes = {o.size, o.stride, o.padding};
  return a;
}
struct Example {
  Shape x;
  Pool2d options;
};
std::vector<Example> examples() {
  return {{{2, 3, 4, 6}, {2, 2, 0}}, {{1, 2, 5, 7}, {3, 2, 1}}, {{2, 1, 5, 5}, {3, 1, 0}},
          {{1, 1, 3, 4}, {2, 3, 1}}, {{2, 2, 3, 3}, {1, 1, 0}}, {{1, 2, 6, 6}, {4, 3, 2}},
          {{0, 2, 4, 4}, {2, 2, 0}}};
}
std::vector<Case> pool_cases() {
  std::vector<Case> list;
  for (const auto& e : examples()) list.push_back({{{e.x}}, attributes_of(e.options)});
  return list;
}
template <bool Places>
std::vector<Case> pool_grad_cases() {
  std::vector<Case> list;
  for (const auto& e : examples()) {
    const auto a = attributes_of(e.options);
    const auto y = result_shape(e.x, pool_of("pool", e.x, a));
    Case c{{{y}}, backwards(a, e.x)};
    if (Places) c.inputs.push_back({y, 0, static_cast<double>(e.x[2] * e.x[3]), true});
    list.push_back(c);
  }
  return list;
}

OpRow& add(Table& table, Op op, std::string_view name, void (*infer)(Call&), void (*run)(Call&),
           void (*vjp)(VjpContext&), std::vector<Case> (*cases)()) {
  auto& r = row(table, op, name);
  r.infer = infer;
  r.run = run;
  r.vjp = vjp;
  r.cost = cost_pool;
  r.cases = cases;
  return r;
}

}  // namespace

void add_pool_rows(Table& table) {
  auto& m = add(table, Op::max_pool2d, "max_pool2d", infer_pool, run_max_pool, vjp_max_pool, pool_cases);
  m.outputs = 2;
  m.saves_outputs = 2;
  add(table, Op::max_pool2d_grad, "max_pool2d_grad", infer_pool_grad, run_max_pool_grad, vjp_max_pool_grad,
      pool_grad_cases<true>)
      .saves_inputs = 2;
  add(table, Op::avg_pool2d, "avg_pool2d", infer_pool, run_avg_pool, vjp_avg_pool, pool_cases);
  add(table, Op::avg_pool2d_grad, "avg_pool2d_grad", infer_pool_grad, run_avg_pool_grad, vjp_avg_pool_grad,
      pool_grad_cases<false>);
}

}  // namespace detail

Tensor max_pool2d(const Tensor& x, const Pool2d& options) {
  return apply(Op::max_pool2d, {&x}, detail::attributes_of(options));
}
Tensor avg_pool2d(const Tensor& x, const Pool2d& options) {
  return apply(Op::avg_pool2d, {&x}, detail::attributes_of(options));
}

}  // namespace tare::ad
