// conv2d and its two derivatives, each linear in both inputs and each the derivative of the others, so that
// they can be differentiated as often as one likes. Attributes: sizes = {stride}, extents = {padding,
// dilation, groups}; axes = the height and width of what is computed, where the inputs leave them open
// (input's and weights' gradient).
#include "ad/tensor/kernels/convolution.hpp"

#include "ad/tensor/ops/family.hpp"

namespace tare::ad {
namespace detail {
namespace {

using kernels::ConvPass;
using kernels::ConvSizes;

// No size a kernel or an option has in earnest, and small enough that sums and products fit.
constexpr std::int64_t most = std::int64_t{1} << 30;

Attributes attributes_of(const Conv2d& o) {
  Attributes a;
  a.sizes = {o.stride};
  a.extents = {o.padding, o.dilation, o.groups};
  return a;
}

/// Sizes of x ∗ w; throws when they do not fit.
ConvSizes sizes_of(std::string_view op, const Shape& x, const Shape& w, const Attributes& a) {
  if (x.rank != 4 || w.rank != 4)
    refuse(op, "input {} and weight {}: [n, c, h, w] and [out, c / groups, kh, kw] are needed", text_of(x),
           text_of(w));
  const auto stride = a.sizes[0], padding = a.extents[0], dilation = a.extents[1], groups = a.extents[2];
  if (stride < 1 || stride > most || padding < 0 || padding > most || dilation < 1 || dilation > most ||
      groups < 1)
    refuse(op, "stride {}, padding {}, dilation {}, groups {}: padding is at least 0, the others 1", stride,
           padding, dilation, groups);
  if (x[1] < 1 || w[0] < 1 || x[1] % groups != 0 || w[0] % groups != 0 || w[1] != x[1] / groups)
    refuse(op,
           "input {} and weight {} with {} groups: the weight needs {} channels, and groups must divide both",
           text_of(x), text_of(w), groups, x[1] / groups);
  const auto result = [&](std::int64_t size, std::int64_t kernel) {
    const auto room = size + 2 * padding - dilation * (kernel - 1) - 1;
    if (kernel < 1 || kernel > most || size > most || room < 0)
      refuse(op, "a kernel {} with stride {}, padding {} and dilation {} does not fit the input {}",
             text_of(w), stride, padding, dilation, text_of(x));
    return room / stride + 1;
  };
  return {x[0],   x[1],    x[2],     x[3],  w[0], w[2], w[3], result(x[2], w[2]), result(x[3], w[3]),
          stride, padding, dilation, groups};
}

Shape result_shape(const ConvSizes& s) {
  return {s.n, s.out, s.oh, s.ow};
}

/// Sizes of a call; the shape that the inputs leave open is made from the attributes.
ConvSizes sizes_of(const Call& call) {
  const auto name = row_of(call.op).name;
  const Body &first = in(call, 0), &second = in(call, 1);
  const auto& a = call.attributes;
  if (call.op == Op::conv2d) return sizes_of(name, first.shape, second.shape, a);
  if (first.shape.rank != 4 || second.shape.rank != 4)
    refuse(name, "{} and {}: four axes are needed", text_of(first.shape), text_of(second.shape));
  const auto groups = std::max<std::int64_t>(1, a.extents[2]);
  const bool input = call.op == Op::conv2d_grad_input;
  Shape open = input ? Shape{first.shape[0], second.shape[1], a.axes[0], a.axes[1]}
                     : Shape{first.shape[1], second.shape[1] / groups, a.axes[0], a.axes[1]};
  if (input && __builtin_mul_overflow(second.shape[1], groups, &open[1]))
    refuse(name, "weight {} with {} groups has too many channels", text_of(second.shape), groups);
  const auto s = input ? sizes_of(name, open, second.shape, a) : sizes_of(name, second.shape, open, a);
  if (!(first.shape == result_shape(s)))
    refuse(name, "a gradient {} where the result has shape {}", text_of(first.shape),
           text_of(result_shape(s)));
  return s;
}

void infer_convolution(Call& call) {
  require_floating(call, 0);
  const auto name = row_of(call.op).name;
  const Body &first = in(call, 0), &second = in(call, 1);
  if (first.dtype != second.dtype)
    refuse(name, "{} and {}: one type is needed, see cast()", described(&first), described(&second));
  const auto s = sizes_of(call);
  Shape shape = result_shape(s);
  if (call.op == Op::conv2d_grad_input) shape = {s.n, s.c, s.h, s.w};
  if (call.op == Op::conv2d_grad_weight) shape = {s.out, s.c / s.groups, s.kh, s.kw};
  check_sizes(name, shape);
  set_output(call, 0, first.dtype, shape);
}

void run_convolution(Call& call) {
  const Dense first(in(call, 0)), second(in(call, 1));
  const auto s = sizes_of(call);
  visit_floating("conv2d", out(call).dtype, [&](auto zero) {
    using T = decltype(zero);
    T *a = const_cast<T*>(first.values<T>()), *b = const_cast<T*>(second.values<T>()),
      *to = out(call).values<T>();
    if (call.op == Op::conv2d) {
      kernels::convolve(ConvPass::forward, s, a, b, to);
    } else if (call.op == Op::conv2d_grad_input) {
      kernels::convolve(ConvPass::input, s, to, b, a);
    } else {
      kernels::convolve(ConvPass::weight, s, b, to, a);
    }
  });
}

Attributes computing(const Attributes& a, const Shape& shape) {
  Attributes with = a;
  with.axes = {shape[2], shape[3]};
  return with;
}
Tensor forward(const Tensor& x, const Tensor& w, const Attributes& a) {
  Attributes without = a;
  without.axes = {};
  return apply(Op::conv2d, {&x, &w}, without);
}
Tensor grad_input(const Tensor& g, const Tensor& w, const Attributes& a, const Shape& x) {
  return apply(Op::conv2d_grad_input, {&g, &w}, computing(a, x));
}
Tensor grad_weight(const Tensor& g, const Tensor& x, const Attributes& a, const Shape& w) {
  return apply(Op::conv2d_grad_weight, {&g, &x}, computing(a, w));
}

// In all three: Σ result·(input ∗ weight), differentiated by one after another.
void vjp_conv2d(VjpContext& c) {
  if (c.wants(1)) c.give(1, grad_weight(c.grad(), c.input(0), c.attributes, c.shape(1)));
  c.drop_input(0);
  if (c.wants(0)) c.give(0, grad_input(c.grad(), c.input(1), c.attributes, c.shape(0)));
}
void vjp_grad_input(VjpContext& c) {
  if (c.wants(0)) c.give(0, forward(c.grad(), c.input(1), c.attributes));
  if (c.wants(1)) c.give(1, grad_weight(c.input(0), c.grad(), c.attributes, c.shape(1)));
}
void vjp_grad_weight(VjpContext& c) {
  if (c.wants(0)) c.give(0, forward(c.input(1), c.grad(), c.attributes));
  if (c.wants(1)) c.give(1, grad_input(c.input(0), c.grad(), c.attributes, c.shape(1)));
}

Cost cost_convolution(const Call& call) {
  const auto s = sizes_of(call);
  const auto places = s.c / s.groups * s.kh * s.kw;
  return {2 * static_cast<double>(result_shape(s).count()) * static_cast<double>(places), bytes_moved(call)};
}

struct Example {
  Shape x, w;
  Conv2d options;
};
std::vector<Example> examples() {
  return {{{2, 3, 5, 6}, {4, 3, 3, 3}, {1, 1, 1, 1}},  {{1, 2, 7, 8}, {3, 2, 3, 2}, {2, 0, 1, 1}},
          {{2, 4, 6, 5}, {6, 2, 3, 3}, {1, 2, 2, 2}},  {{3, 3, 4, 4}, {5, 3, 1, 1}, {1, 0, 1, 1}},
          {{2, 4, 5, 5}, {4, 1, 3, 3}, {2, 1, 1, 4}},  {{1, 1, 9, 9}, {1, 1, 3, 3}, {3, 3, 2, 1}},
          {{6, 3, 3, 5}, {17, 3, 2, 3}, {1, 1, 1, 1}}, {{1, 3, 2, 2}, {2, 3, 1, 1}, {2, 1, 1, 1}}};
}
template <ConvPass Pass>
std::vector<Case> cases() {
  std::vector<Case> list;
  for (const auto& e : examples()) {
    const auto a = attributes_of(e.options);
    const auto y = result_shape(sizes_of("conv2d", e.x, e.w, a));
    if constexpr (Pass == ConvPass::forward) {
      list.push_back({{{e.x}, {e.w}}, a});
    } else if constexpr (Pass == ConvPass::input) {
      list.push_back({{{y}, {e.w}}, computing(a, e.x)});
    } else {
      list.push_back({{{y}, {e.x}}, computing(a, e.w)});
    }
  }
  if (Pass == ConvPass::forward) list.push_back({{{{0, 2, 3, 3}}, {{1, 2, 2, 2}}}, attributes_of({})});
  return list;
}

void add(Table& table, Op op, std::string_view name, void (*vjp)(VjpContext&), std::vector<Case> (*cases)()) {
  auto& r = row(table, op, name);
  r.infer = infer_convolution;
  r.run = run_convolution;
  r.vjp = vjp;
  r.cost = cost_convolution;
  r.cases = cases;
  r.saves_inputs = 3;
}

}  // namespace

void add_convolution_rows(Table& table) {
  add(table, Op::conv2d, "conv2d", vjp_conv2d, cases<ConvPass::forward>);
  add(table, Op::conv2d_grad_input, "conv2d_grad_input", vjp_grad_input, cases<ConvPass::input>);
  add(table, Op::conv2d_grad_weight, "conv2d_grad_weight", vjp_grad_weight, cases<ConvPass::weight>);
}

}  // namespace detail

Tensor conv2d(const Tensor& x, const Tensor& weight, const Tensor& bias, const Conv2d& options) {
  Tensor y = apply(Op::conv2d, {&x, &weight}, detail::attributes_of(options));
  if (!bias.defined()) return y;
  if (bias.rank() != 1 || bias.size(0) != weight.size(0))
    detail::refuse("conv2d", "a bias of shape {} for weight {}: one number per output channel is needed",
                   text_of(bias.shape()), text_of(weight.shape()));
  return add(y, reshape(bias, {1, bias.size(0), 1, 1}));
}

}  // namespace tare::ad
