// Rows made from the scalar rules: functions of one and of two numbers, and the fused derivative of the
// former.
#include "ad/tensor/ops/family.hpp"
#include "ad/tensor/ops/lifted.hpp"
#include "ad/tensor/ops/probe.hpp"

namespace tare::ad {
namespace detail {
namespace {

template <class T>
const kernels::Loops<T>& loops() {
  return kernels::best().of<T>();
}

/// Numbers that a thread takes at once.
template <class T>
std::int64_t chunk_of(std::int64_t n) {
  constexpr auto size = static_cast<std::int64_t>(sizeof(T));
  return n * size >= kernels::streaming_bytes ? kernels::streamed_chunk / size : parallel_grain;
}

struct UnaryLoops {
  kernels::Unary value;
  kernels::UnaryGrad grad;
};
template <class T>
UnaryLoops unary_loops(Op op) {
  const auto& l = loops<T>();
  switch (op) {
    case Op::clamp:
      return {l.clamp, l.clamp_grad};
    case Op::power:
      return {l.power, l.power_grad};
    case Op::powi:
      return {l.powi, l.powi_grad};
    default:
      return {l.unary[static_cast<std::size_t>(op)], l.unary_grad[static_cast<std::size_t>(op)]};
  }
}

void infer_unary(Call& call) {
  auto& o = out(call);
  o.dtype = floating(in(call, 0).dtype);
  o.shape = in(call, 0).shape;
}

template <class T>
void run_unary_as(const Body& x, Body& y, Op op, const double* numbers) {
  const auto loop = unary_loops<T>(op).value;
  T* to = y.values<T>();
  const auto n = y.count();
  const auto run = [&](const T* from) {
    if (n <= parallel_grain) return loop(from, to, n, numbers);
    parallel_for(n, chunk_of<T>(n), [&](std::int64_t begin, std::int64_t end) {
      loop(from + begin, to + begin, end - begin, numbers);
    });
  };
  if (x.contiguous) return run(x.values<T>());
  const Dense dense(x);
  run(dense.values<T>());
}

void run_unary(Call& call) {
  const Body& x = in(call, 0);
  Body& y = out(call);
  const std::array numbers{
      call.op == Op::powi ? static_cast<double>(call.attributes.number) : call.attributes.first,
      call.attributes.second};
  if (x.dtype == DType::f32) {
    run_unary_as<float>(x, y, call.op, numbers.data());
  } else if (x.dtype == DType::f64) {
    run_unary_as<double>(x, y, call.op, numbers.data());
  } else {
    const Tensor converted = cast(Tensor::from(const_cast<Body*>(&x)), y.dtype);
    run_unary_as<float>(*converted.body(), y, call.op, numbers.data());
  }
}

Tensor recorded_partial(const VjpContext& c, const Tensor& x, const Tensor& y) {
  const auto lift = [&](const auto& rule) {
    const Lifted partial = rule.partial(Lifted(x), Lifted(y));
    return partial.plain() ? number_beside(partial.number, x) : partial.tensor;
  };
  switch (c.node.op) {
    case Op::clamp:
      return lift(ops::Clamp{c.attributes.first, c.attributes.second});
    case Op::power:
      return lift(ops::Power{c.attributes.first});
    case Op::powi: {
      const auto n = static_cast<int>(c.attributes.number);
      if (n == 0) return Tensor::zeros(x.shape(), x.dtype());
      return number_beside(n, x) * pow(x, n - 1);
    }
#define TARE_AD_LIFT(Type, name) \
  case Op::name:                 \
    return lift(ops::Type{});
      TARE_AD_LIFT(Neg, neg)
      TARE_AD_UNARY_OPS(TARE_AD_LIFT)
      TARE_AD_TENSOR_UNARY_OPS(TARE_AD_LIFT)
#undef TARE_AD_LIFT
    default:
      return {};
  }
}

void vjp_unary(VjpContext& c) {
  if (!c.wants(0)) return;
  if (c.node.op == Op::neg) return c.give(0, c.over_grad(Op::neg, {}));
  // A rule reads x, y, both or neither; what it does not read was not kept.
  const auto& r = row_of(c.node.op);
  Tensor x, y;
  if (r.saves_inputs != 0) x = c.input(0);
  if (r.saves_outputs != 0) y = c.output(0);
  if (!x.defined()) x = y.defined() ? y : c.grad();
  if (!y.defined()) y = x;
  if (c.differentiable) return c.give(0, mul(c.grad(), cast(recorded_partial(c, x, y), x.dtype())));
  Attributes numbers = c.attributes;
  if (c.node.op == Op::powi) numbers.first = static_cast<double>(numbers.number);
  numbers.number = static_cast<std::int64_t>(c.node.op);
  c.give(0, c.over_grad(Op::unary_grad, {&x, &y}, numbers));
}

// g·f'(x): inputs g, x, f(x); the op's own code is a number of the call.
void infer_unary_grad(Call& call) {
  set_output(call, 0, in(call, 1).dtype, in(call, 1).shape);
}
void run_unary_grad(Call& call) {
  const auto op = static_cast<Op>(call.attributes.number);
  const std::array numbers{call.attributes.first, call.attributes.second};
  visit_floating("unary_grad", in(call, 1).dtype, [&](auto zero) {
    using T = decltype(zero);
    const auto loop = unary_loops<T>(op).grad;
    const Dense g(in(call, 0)), x(in(call, 1)), y(in(call, 2));
    const auto n = out(call).count();
    parallel_for(n, chunk_of<T>(n), [&](std::int64_t begin, std::int64_t end) {
      loop(g.values<T>() + begin, x.values<T>() + begin, y.values<T>() + begin, out(call).values<T>() + begin,
           end - begin, numbers.data());
    });
  });
}

void infer_binary(Call& call) {
  const Body &a = in(call, 0), &b = in(call, 1);
  auto& o = out(call);
  o.dtype = a.dtype == b.dtype ? a.dtype : promote(a.dtype, b.dtype);
  // Whole numbers stay whole under + − × min max.
  const bool stays = call.op <= Op::mul || call.op == Op::min || call.op == Op::max;
  if (!stays || o.dtype == DType::boolean)
    o.dtype = o.dtype == DType::boolean && stays ? DType::i64 : floating(o.dtype);
  if (a.shape == b.shape) {
    o.shape = a.shape;
  } else {
    o.shape = broadcast(row_of(call.op).name, a.shape, b.shape);
  }
}

template <class T>
void run_binary_as(const Body& a, const Body& b, Body& y, kernels::Binary loop) {
  const auto n = y.count();
  if (a.contiguous && b.contiguous) {
    const int a_step = a.count() == 1 ? 0 : 1, b_step = b.count() == 1 ? 0 : 1;
    if ((a_step == 0 || a.count() == n) && (b_step == 0 || b.count() == n)) {
      if (n <= parallel_grain) {
        loop(a.data, b.data, y.data, n, a_step, b_step);
        return;
      }
      parallel_for(n, chunk_of<T>(n), [&](std::int64_t begin, std::int64_t end) {
        loop(a.values<T>() + begin * a_step, b.values<T>() + begin * b_step, y.values<T>() + begin,
             end - begin, a_step, b_step);
      });
      return;
    }
  }
  const Walk<3> walk(
      y.shape, {broadcast_strides(a, y.shape), broadcast_strides(b, y.shape), contiguous_strides(y.shape)});
  walk.run([&](const auto& at, std::int64_t count, const auto& steps) {
    Run<T> left(a.values<T>() + at[0], steps[0]), right(b.values<T>() + at[1], steps[1]);
    const auto most = left.gathers() || right.gathers() ? Run<T>::most : count;
    for (std::int64_t i = 0; i < count; i += most) {
      const auto part = std::min(most, count - i);
      loop(left.take(i, part), right.take(i, part), y.values<T>() + at[2] + i, part, left.step(),
           right.step());
    }
  });
}

/// As 64 bits, on which arithmetic wraps.
template <class T>
std::uint64_t wrapping(T value) {
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
}

/// Whole numbers: + − × min max, element by element. Overflow wraps.
void run_whole_binary(const Body& a, const Body& b, Body& y, Op op) {
  visit(y.dtype, [&](auto zero) {
    using T = decltype(zero);
    const Walk<3> walk(
        y.shape, {broadcast_strides(a, y.shape), broadcast_strides(b, y.shape), contiguous_strides(y.shape)});
    walk.run([&](const auto& at, std::int64_t count, const auto& steps) {
      for (std::int64_t i = 0; i < count; ++i) {
        const auto l = wrapping(a.values<T>()[at[0] + i * steps[0]]);
        const auto r = wrapping(b.values<T>()[at[1] + i * steps[1]]);
        const bool smaller = a.values<T>()[at[0] + i * steps[0]] < b.values<T>()[at[1] + i * steps[1]];
        const std::uint64_t value = op == Op::add   ? l + r
                                    : op == Op::sub ? l - r
                                    : op == Op::mul ? l * r
                                    : op == Op::min ? (smaller ? l : r)
                                                    : (smaller ? r : l);
        y.values<T>()[at[2] + i] = static_cast<T>(value);
      }
    });
  });
}

void run_binary(Call& call) {
  const Body *a = call.inputs[0], *b = call.inputs[1];
  Body& y = out(call);
  Tensor left, right;
  if (a->dtype != y.dtype) a = (left = cast(Tensor::from(call.inputs[0]), y.dtype)).body();
  if (b->dtype != y.dtype) b = (right = cast(Tensor::from(call.inputs[1]), y.dtype)).body();
  const auto at = static_cast<std::size_t>(call.op) - unary_ops;
  if (y.dtype == DType::f32) {
    run_binary_as<float>(*a, *b, y, loops<float>().binary[at]);
  } else if (y.dtype == DType::f64) {
    run_binary_as<double>(*a, *b, y, loops<double>().binary[at]);
  } else {
    run_whole_binary(*a, *b, y, call.op);
  }
}

void vjp_add(VjpContext& c) {
  if (c.wants(0)) c.give(0, c.grad());
  if (c.wants(1)) c.give(1, c.grad());
}
void vjp_sub(VjpContext& c) {
  if (c.wants(0)) c.give(0, c.grad());
  if (c.wants(1)) c.give(1, c.over_grad(Op::neg, {}));
}
void vjp_mul(VjpContext& c) {
  const auto times = [&](int other, bool last) {
    const Tensor factor = c.input(other);
    return last ? c.over_grad(Op::mul, {&factor}) : mul(c.grad(), factor);
  };
  if (c.wants(1)) c.give(1, times(0, !c.wants(0)));
  if (c.wants(0)) c.give(0, times(1, true));
}
void vjp_div(VjpContext& c) {
  const Tensor b = c.input(1);
  const Tensor left = div(c.grad(), b);
  if (c.wants(1)) c.give(1, neg(mul(left, c.output(0))));
  if (c.wants(0)) c.give(0, left);
}
void vjp_pow(VjpContext& c) {
  const Tensor a = c.input(0), b = c.input(1);
  if (c.wants(0)) {
    const Tensor zero = number_beside(0, b);
    // Not b·y/a, which is undefined at 0; a power of 0 has no slope whatever the base.
    c.give(0, mul(c.grad(), where(equal(b, zero), zero, mul(b, pow(a, sub(b, number_beside(1, b)))))));
  }
  if (c.wants(1)) {
    const Tensor zero = number_beside(0, a);
    const auto base_is_zero = equal(a, zero);
    const Tensor safe = where(base_is_zero, number_beside(1, a), a);
    c.give(1, mul(c.grad(), where(base_is_zero, zero, mul(c.output(0), log(safe)))));
  }
}
template <class Rule>
void vjp_by_rule(VjpContext& c) {
  const Lifted a(c.input(0)), b(c.input(1)), y(c.output(0));
  const auto give = [&](int i, const Lifted& partial) {
    const Tensor factor = partial.plain() ? number_beside(partial.number, c.grad()) : partial.tensor;
    c.give(i, mul(c.grad(), cast(factor, c.grad().dtype())));
  };
  if (c.wants(0)) give(0, Rule{}.left(a, b, y));
  if (c.wants(1)) give(1, Rule{}.right(a, b, y));
}

template <class Rule>
Cost cost_of(const Call& call) {
  return {Rule::info.flops * static_cast<double>(call.outputs[0]->count()), bytes_moved(call)};
}

template <class Rule>
std::vector<Case> unary_cases() {
  const auto range = Rule::info.first;
  // Odd sizes, an empty tensor, one number, and more than one chunk of lanes.
  std::vector<Case> cases;
  for (const Shape& shape : {Shape{7}, Shape{2, 3, 5}, Shape{}, Shape{0, 3}, Shape{67}})
    cases.push_back({{{shape, range.low, range.high}}, {}, !Rule::info.kinked});
  return cases;
}
template <class Rule>
std::vector<Case> numbered_cases() {
  auto cases = unary_cases<Rule>();
  for (auto& c : cases) {
    c.attributes.first = std::is_same_v<Rule, ops::Clamp> ? -1 : 1.7;
    c.attributes.second = 1;
    c.attributes.number = std::is_same_v<Rule, ops::PowInt> ? 3 : 0;
  }
  return cases;
}
template <class Rule>
std::vector<Case> binary_cases() {
  const auto a = Rule::info.first, b = Rule::info.second;
  std::vector<Case> cases;
  const std::vector<std::pair<Shape, Shape>> shapes{{{5}, {5}},    {{3, 4}, {4}},   {{3, 1}, {1, 4}},
                                                    {{}, {2, 3}},  {{2, 3, 4}, {}}, {{2, 1, 4}, {3, 1}},
                                                    {{0, 3}, {3}}, {{67}, {67}}};
  for (const auto& [left, right] : shapes)
    cases.push_back({{{left, a.low, a.high}, {right, b.low, b.high}}, {}, !Rule::info.kinked});
  return cases;
}

template <class Rule>
void add_unary(Table& table, Op op, std::string_view name) {
  auto& r = row(table, op, name);
  r.infer = infer_unary;
  r.run = run_unary;
  r.vjp = vjp_unary;
  r.cost = cost_of<Rule>;
  const Probe reads = Rule{}.partial(Probe{1U}, Probe{2U});
  r.saves_inputs = reads.mask & 1U;
  r.saves_outputs = (reads.mask >> 1U) & 1U;
  if constexpr (std::is_empty_v<Rule>) {
    r.cases = unary_cases<Rule>;
  } else {
    r.cases = numbered_cases<Rule>;
  }
}

template <class Rule>
void add_binary(Table& table, Op op, std::string_view name, void (*vjp)(VjpContext&), std::uint8_t saved_in,
                std::uint8_t saved_out) {
  auto& r = row(table, op, name);
  r.infer = infer_binary;
  r.run = run_binary;
  r.vjp = vjp;
  r.cost = cost_of<Rule>;
  r.cases = binary_cases<Rule>;
  r.saves_inputs = saved_in;
  r.saves_outputs = saved_out;
}

}  // namespace

void add_pointwise_rows(Table& table) {
#define TARE_AD_ROW(Type, name) add_unary<ops::Type>(table, Op::name, #name);
  TARE_AD_ROW(Neg, neg)
  TARE_AD_UNARY_OPS(TARE_AD_ROW)
  TARE_AD_TENSOR_UNARY_OPS(TARE_AD_ROW)
  TARE_AD_ROW(Clamp, clamp)
  TARE_AD_ROW(Power, power)
  TARE_AD_ROW(PowInt, powi)
#undef TARE_AD_ROW
  add_binary<ops::Add>(table, Op::add, "add", vjp_add, 0, 0);
  add_binary<ops::Sub>(table, Op::sub, "sub", vjp_sub, 0, 0);
  add_binary<ops::Mul>(table, Op::mul, "mul", vjp_mul, 3, 0);
  add_binary<ops::Div>(table, Op::div, "div", vjp_div, 2, 1);
  add_binary<ops::Pow>(table, Op::pow, "pow", vjp_pow, 3, 1);
  add_binary<ops::Atan2>(table, Op::atan2, "atan2", vjp_by_rule<ops::Atan2>, 3, 1);
  add_binary<ops::Hypot>(table, Op::hypot, "hypot", vjp_by_rule<ops::Hypot>, 3, 1);
  add_binary<ops::Min>(table, Op::min, "min", vjp_by_rule<ops::Min>, 3, 1);
  add_binary<ops::Max>(table, Op::max, "max", vjp_by_rule<ops::Max>, 3, 1);
  auto& grad = row(table, Op::unary_grad, "unary_grad");
  grad.infer = infer_unary_grad;
  grad.run = run_unary_grad;
  grad.cost = cost_per_output<2>;
}

}  // namespace detail

Tensor number_beside(double value, const Tensor& tensor) {
  const DType type = tensor.dtype();
  if (is_floating(type)) return Tensor::scalar(value, type);
  // Whole numbers beyond the tensor's type are i64, others f32.
  const auto holds = [&](DType t) {
    return visit(
        t, [&](auto zero) { return static_cast<double>(detail::converted<decltype(zero)>(value)) == value; });
  };
  return Tensor::scalar(value, holds(type) ? type : holds(DType::i64) ? DType::i64 : DType::f32);
}

Tensor clamp(const Tensor& x, double low, double high) {
  if (!(low <= high)) throw AdError(fmt::format("clamp: the bounds {} and {} are not in order", low, high));
  Attributes numbers;
  numbers.first = low;
  numbers.second = high;
  return apply(Op::clamp, {&x}, numbers);
}

Tensor pow(const Tensor& x, double exponent) {
  Attributes numbers;
  if (exponent == std::floor(exponent) && std::abs(exponent) <= 64) {
    if (exponent == 1) return x;
    if (exponent == 2) return square(x);
    numbers.number = static_cast<std::int64_t>(exponent);
    return apply(Op::powi, {&x}, numbers);
  }
  numbers.first = exponent;
  return apply(Op::power, {&x}, numbers);
}

}  // namespace tare::ad
