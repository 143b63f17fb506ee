// Rows that choose and convert: comparisons, where, casts.
#include "ad/tensor/ops/family.hpp"

namespace tare::ad {
namespace detail {
namespace {

void infer_compare(Call& call) {
  set_output(call, 0, DType::boolean, broadcast(row_of(call.op).name, in(call, 0).shape, in(call, 1).shape));
}

template <class T>
bool compared(Op op, T a, T b) {
  switch (op) {
    case Op::less:
      return a < b;
    case Op::less_equal:
      return a <= b;
    case Op::equal:
      return a == b;
    default:
      return a != b;
  }
}

void run_compare(Call& call) {
  const DType type = promote(in(call, 0).dtype, in(call, 1).dtype);
  const Tensor a = cast(Tensor::from(call.inputs[0]), type), b = cast(Tensor::from(call.inputs[1]), type);
  Body& y = out(call);
  const Walk<3> walk(y.shape, {broadcast_strides(*a.body(), y.shape), broadcast_strides(*b.body(), y.shape),
                               contiguous_strides(y.shape)});
  visit(type, [&](auto zero) {
    using T = decltype(zero);
    walk.run([&](const auto& at, std::int64_t count, const auto& steps) {
      const T* left = a.body()->values<T>() + at[0];
      const T* right = b.body()->values<T>() + at[1];
      bool* to = y.values<bool>() + at[2];
      if constexpr (std::is_floating_point_v<T>) {
        if (steps[0] <= 1 && steps[1] <= 1) {
          const auto& l = kernels::best().of<T>();
          const auto loop = call.op == Op::less         ? l.less
                            : call.op == Op::less_equal ? l.less_equal
                            : call.op == Op::equal      ? l.equal
                                                        : l.not_equal;
          loop(left, right, to, count, static_cast<int>(steps[0]), static_cast<int>(steps[1]));
          return;
        }
      }
      for (std::int64_t i = 0; i < count; ++i)
        to[i] = compared(call.op, left[i * steps[0]], right[i * steps[1]]);
    });
  });
}

void infer_not(Call& call) {
  set_output(call, 0, DType::boolean, in(call, 0).shape);
}
void run_not(Call& call) {
  const Tensor x = cast(Tensor::from(call.inputs[0]), DType::boolean);
  const Dense dense(*x.body());
  for (std::int64_t i = 0; i < out(call).count(); ++i) out(call).values<bool>()[i] = !dense.values<bool>()[i];
}

void infer_where(Call& call) {
  const Shape sides = broadcast("where", in(call, 1).shape, in(call, 2).shape);
  if (in(call, 0).dtype != DType::boolean)
    refuse("where", "the condition is {}, not bool", described(call.inputs[0]));
  set_output(call, 0, promote(in(call, 1).dtype, in(call, 2).dtype),
             broadcast("where", in(call, 0).shape, sides));
}
void run_where(Call& call) {
  Body& y = out(call);
  const Tensor a = cast(Tensor::from(call.inputs[1]), y.dtype),
               b = cast(Tensor::from(call.inputs[2]), y.dtype);
  const Body& c = in(call, 0);
  const Walk<4> walk(y.shape, {broadcast_strides(c, y.shape), broadcast_strides(*a.body(), y.shape),
                               broadcast_strides(*b.body(), y.shape), contiguous_strides(y.shape)});
  visit(y.dtype, [&](auto zero) {
    using T = decltype(zero);
    walk.run([&](const auto& at, std::int64_t count, const auto& steps) {
      const bool* condition = c.values<bool>() + at[0];
      const T* left = a.body()->values<T>() + at[1];
      const T* right = b.body()->values<T>() + at[2];
      T* to = y.values<T>() + at[3];
      if constexpr (std::is_floating_point_v<T>) {
        if (steps[0] == 1 && steps[1] <= 1 && steps[2] <= 1) {
          kernels::best().of<T>().where(condition, left, right, to, count, static_cast<int>(steps[1]),
                                        static_cast<int>(steps[2]));
          return;
        }
      }
      for (std::int64_t i = 0; i < count; ++i)
        to[i] = condition[i * steps[0]] ? left[i * steps[1]] : right[i * steps[2]];
    });
  });
}
void vjp_where(VjpContext& c) {
  const Tensor condition = c.input(0);
  const Tensor zero = number_beside(0, c.grad());
  if (c.wants(1)) c.give(1, where(condition, c.grad(), zero));
  if (c.wants(2)) c.give(2, where(condition, zero, c.grad()));
}

void infer_cast(Call& call) {
  set_output(call, 0, call.attributes.dtype, in(call, 0).shape);
}

void run_cast(Call& call) {
  const Body& x = in(call, 0);
  Body& y = out(call);
  const Walk<2> walk(y.shape, {x.all_strides(), contiguous_strides(y.shape)});
  visit(x.dtype, [&](auto from) {
    visit(y.dtype, [&](auto to) {
      using From = decltype(from);
      using To = decltype(to);
      walk.run([&](const auto& at, std::int64_t count, const auto& steps) {
        const From* left = x.values<From>() + at[0];
        To* right = y.values<To>() + at[1];
        if (steps[0] == 1) {
          for (std::int64_t i = 0; i < count; ++i) right[i] = converted<To>(left[i]);
        } else {
          for (std::int64_t i = 0; i < count; ++i) right[i] = converted<To>(left[i * steps[0]]);
        }
      });
    });
  });
}
void vjp_cast(VjpContext& c) {
  if (c.wants(0)) c.give(0, c.grad());
}

std::vector<Case> compare_cases() {
  return {{{{{3, 4}, -2, 2}, {{4}, -2, 2}}, {}, false}, {{{{5}, 0, 3, true}, {{5}, 0, 3, true}}, {}, false}};
}
std::vector<Case> where_cases() {
  std::vector<Case> cases;
  for (const auto& [c, a, b] : std::vector<std::array<Shape, 3>>{{Shape{3, 4}, Shape{3, 4}, Shape{4}},
                                                                 {Shape{4}, Shape{3, 1}, Shape{}},
                                                                 {Shape{67}, Shape{67}, Shape{67}}})
    cases.push_back({{{c, 0, 2, true}, {a}, {b}}});
  return cases;
}
std::vector<Case> cast_cases() {
  Attributes wide;
  wide.dtype = DType::f64;
  return {{{{{2, 5}}}, wide}};
}

}  // namespace

void add_select_rows(Table& table) {
  const auto comparison = [&](Op op, std::string_view name) {
    auto& r = row(table, op, name);
    r.infer = infer_compare;
    r.run = run_compare;
    r.cost = cost_per_output<1>;
    r.cases = compare_cases;
  };
  comparison(Op::less, "less");
  comparison(Op::less_equal, "less_equal");
  comparison(Op::equal, "equal");
  comparison(Op::not_equal, "not_equal");
  auto& negation = row(table, Op::logical_not, "logical_not");
  negation.infer = infer_not;
  negation.run = run_not;
  negation.cost = cost_per_output<1>;
  auto& choice = row(table, Op::where, "where");
  choice.infer = infer_where;
  choice.run = run_where;
  choice.vjp = vjp_where;
  choice.cost = cost_per_output<1>;
  choice.cases = where_cases;
  choice.saves_inputs = 1;
  auto& conversion = row(table, Op::cast, "cast");
  conversion.infer = infer_cast;
  conversion.run = run_cast;
  conversion.vjp = vjp_cast;
  conversion.cost = cost_per_output<0>;
  conversion.cases = cast_cases;
}

}  // namespace detail

Tensor less(const Tensor& a, const Tensor& b) {
  return apply(Op::less, {&a, &b});
}
Tensor less_equal(const Tensor& a, const Tensor& b) {
  return apply(Op::less_equal, {&a, &b});
}
Tensor equal(const Tensor& a, const Tensor& b) {
  return apply(Op::equal, {&a, &b});
}
Tensor not_equal(const Tensor& a, const Tensor& b) {
  return apply(Op::not_equal, {&a, &b});
}
Tensor logical_not(const Tensor& x) {
  return apply(Op::logical_not, {&x});
}
Tensor where(const Tensor& condition, const Tensor& a, const Tensor& b) {
  return apply(Op::where, {&condition, &a, &b});
}

Tensor cast(const Tensor& x, DType dtype) {
  if (x.dtype() == dtype) return x;
  Attributes to;
  to.dtype = dtype;
  return apply(Op::cast, {&x}, to);
}

}  // namespace tare::ad
