// Matrix products: batched with broadcasting, on transposed views without a copy; linear with its bias; 8-bit
// products. The products themselves are gemm.hpp's.
#include "ad/tensor/kernels/gemm.hpp"
#include "ad/tensor/ops/family.hpp"

namespace tare::ad {
namespace detail {
namespace {

/// A matrix as a product takes it: rows `stride` apart, or columns when transposed.
struct Operand {
  Tensor held;
  const std::byte* data;
  std::int64_t stride;
  bool transposed;
};

/// The last two axes in place where one of them is dense, else of a copy.
Operand operand(const Body& x) {
  const auto rank = x.shape.rank;
  const auto rows = x.shape[rank - 2], columns = x.shape[rank - 1];
  Tensor held = Tensor::from(const_cast<Body*>(&x));
  if (x.contiguous) return {std::move(held), x.data, std::max<std::int64_t>(columns, 1), false};
  const Strides strides = x.all_strides();
  if (strides[rank - 1] == 1 && (rows == 1 || strides[rank - 2] >= columns))
    return {held, x.data, rows == 1 ? std::max<std::int64_t>(columns, 1) : strides[rank - 2], false};
  if (strides[rank - 2] == 1 && (columns == 1 || strides[rank - 1] >= rows))
    return {held, x.data, columns == 1 ? std::max<std::int64_t>(rows, 1) : strides[rank - 1], true};
  held = Tensor::empty(x.shape, x.dtype);
  copy_dense(x, held.body()->data);
  return {held, held.body()->data, std::max<std::int64_t>(columns, 1), false};
}

void infer_matmul(Call& call) {
  const Body &a = in(call, 0), &b = in(call, 1);
  const auto ra = a.shape.rank, rb = b.shape.rank;
  if (ra < 2 || rb < 2 || a.shape[ra - 1] != b.shape[rb - 2])
    refuse("matmul", "{} times {}: the inner sizes must agree", described(&a), described(&b));
  Shape batch_a = a.shape, batch_b = b.shape;
  batch_a.rank -= 2;
  batch_b.rank -= 2;
  Shape shape = broadcast("matmul", batch_a, batch_b);
  shape.push(a.shape[ra - 2]);
  shape.push(b.shape[rb - 1]);
  const DType type = promote(a.dtype, b.dtype);
  set_output(call, 0, type == DType::boolean ? DType::i64 : type, shape);
}

template <class T>
void whole_product(std::int64_t m, std::int64_t n, std::int64_t k, const Operand& a, const std::byte* at_a,
                   const Operand& b, const std::byte* at_b, std::byte* to) {
  const auto* x = reinterpret_cast<const T*>(at_a);
  const auto* y = reinterpret_cast<const T*>(at_b);
  auto* z = reinterpret_cast<T*>(to);
  for (std::int64_t i = 0; i < m; ++i) {
    for (std::int64_t j = 0; j < n; ++j) {
      std::uint64_t sum = 0;
      for (std::int64_t l = 0; l < k; ++l) {
        const auto left = a.transposed ? x[l * a.stride + i] : x[i * a.stride + l];
        const auto right = b.transposed ? y[j * b.stride + l] : y[l * b.stride + j];
        sum += static_cast<std::uint64_t>(left) * static_cast<std::uint64_t>(right);
      }
      z[i * n + j] = static_cast<T>(sum);
    }
  }
}

void run_matmul(Call& call) {
  Body& y = out(call);
  const Tensor left = cast(Tensor::from(call.inputs[0]), y.dtype),
               right = cast(Tensor::from(call.inputs[1]), y.dtype);
  const auto rank = y.shape.rank;
  const auto m = y.shape[rank - 2], n = y.shape[rank - 1], k = left.size(-1);
  if (y.count() == 0) return;
  const Operand a = operand(*left.body()), b = operand(*right.body());
  const auto product = [&](std::int64_t rows, const std::byte* at_a, const std::byte* at_b, std::byte* to) {
    switch (y.dtype) {
      case DType::f32:
        kernels::gemm({rows, n, k, a.transposed, b.transposed}, reinterpret_cast<const float*>(at_a),
                      a.stride, reinterpret_cast<const float*>(at_b), b.stride, reinterpret_cast<float*>(to),
                      n, 0.0F);
        break;
      case DType::f64:
        kernels::gemm({rows, n, k, a.transposed, b.transposed}, reinterpret_cast<const double*>(at_a),
                      a.stride, reinterpret_cast<const double*>(at_b), b.stride,
                      reinterpret_cast<double*>(to), n, 0.0);
        break;
      case DType::i64:
        whole_product<std::int64_t>(rows, n, k, a, at_a, b, at_b, to);
        break;
      case DType::i8:
        whole_product<std::int8_t>(rows, n, k, a, at_a, b, at_b, to);
        break;
      default:
        whole_product<std::uint8_t>(rows, n, k, a, at_a, b, at_b, to);
    }
  };
  if (rank == 2) return product(m, a.data, b.data, y.data);
  Shape batch = y.shape;
  batch.rank -= 2;
  const auto leading = [&](const Tensor& t) {
    Body view;
    view.shape = t.shape();
    view.shape.rank -= 2;
    view.contiguous = false;
    view.strides = t.strides();
    view.strides.rank -= 2;
    return broadcast_strides(view, batch);
  };
  const Strides sa = leading(a.held), sb = leading(b.held);
  const auto count = batch.count();
  // A batch over one matrix on the right is one product of more rows.
  bool joins = count > 1 && !a.transposed && a.held.is_contiguous() && a.held.count() == count * m * k;
  for (int i = 0; i < sb.rank; ++i) joins = joins && (sb[i] == 0 || batch[i] == 1);
  if (joins) return product(count * m, a.data, b.data, y.data);
  const auto size = static_cast<std::int64_t>(size_of(y.dtype));
  // Small products side by side; a large one is split inside.
  const auto grain =
      std::max<std::int64_t>(1, (std::int64_t{1} << 16) / std::max<std::int64_t>(1, m * n * k));
  parallel_for(count, grain, [&, deterministic = mode.deterministic](std::int64_t begin, std::int64_t end) {
    const ModeScope same(&Mode::deterministic, deterministic);
    for (auto at = begin; at < end; ++at) {
      std::int64_t rest = at, oa = 0, ob = 0;
      for (int i = batch.rank - 1; i >= 0; --i) {
        oa += rest % batch[i] * sa[i];
        ob += rest % batch[i] * sb[i];
        rest /= batch[i];
      }
      product(m, a.data + oa * size, b.data + ob * size, y.data + at * m * n * size);
    }
  });
}

/// All but the last axis joined to one. Not by −1, which an empty last axis leaves open.
Tensor as_rows(const Tensor& x) {
  std::int64_t rows = 1;
  for (int i = 0; i + 1 < x.rank(); ++i) rows *= x.shape()[i];
  return reshape(x, {rows, x.size(-1)});
}

/// gᵀ-products with the batch summed where the operand was repeated: give() does the sum.
void vjp_matmul(VjpContext& c) {
  const Tensor& g = c.grad();
  if (c.wants(1)) {
    // Over one matrix, one product over all rows instead of a batch of products and their sum.
    const bool joins = c.shape(1).rank == 2 && c.shape(0).rank > 2;
    c.give(1, joins ? matmul(transpose(as_rows(c.input(0))), as_rows(g)) : matmul(transpose(c.input(0)), g));
  }
  c.drop_input(0);
  if (c.wants(0)) c.give(0, matmul(g, transpose(c.input(1))));
}

Cost cost_matmul(const Call& call) {
  const auto k = static_cast<double>(in(call, 0).shape[in(call, 0).shape.rank - 1]);
  return {2 * k * static_cast<double>(out(call).count()), bytes_moved(call)};
}

// add_matmul: x [m, n], a [m, k], b [k, n]; x + first·a·b.
void infer_add_matmul(Call& call) {
  const Body &x = in(call, 0), &a = in(call, 1), &b = in(call, 2);
  if (x.shape.rank != 2 || a.shape.rank != 2 || b.shape.rank != 2 || a.shape[1] != b.shape[0] ||
      x.shape[0] != a.shape[0] || x.shape[1] != b.shape[1] || x.dtype != a.dtype || x.dtype != b.dtype ||
      !is_floating(x.dtype)) {
    refuse("add_matmul", "{} and {} times {}: [m, n], [m, k] and [k, n] of one floating type are needed",
           described(&x), described(&a), described(&b));
  }
  set_output(call, 0, x.dtype, x.shape);
}
void run_add_matmul(Call& call) {
  Body& y = out(call);
  if (y.count() == 0) return;
  // A graph may have put the result where x lies.
  if (y.data != in(call, 0).data) copy_dense(in(call, 0), y.data);
  const Operand a = operand(in(call, 1)), b = operand(in(call, 2));
  const auto m = y.shape[0], n = y.shape[1], k = in(call, 1).shape[1];
  visit_floating("add_matmul", y.dtype, [&](auto zero) {
    using T = decltype(zero);
    kernels::gemm({m, n, k, a.transposed, b.transposed}, reinterpret_cast<const T*>(a.data), a.stride,
                  reinterpret_cast<const T*>(b.data), b.stride, y.values<T>(), n, T(1),
                  static_cast<T>(call.attributes.first));
  });
}
void vjp_add_matmul(VjpContext& c) {
  if (c.wants(0)) c.give(0, c.grad());
  if (c.wants(1)) c.give(1, matmul(c.grad(), transpose(c.input(2))) * c.attributes.first);
  if (c.wants(2)) c.give(2, matmul(transpose(c.input(1)), c.grad()) * c.attributes.first);
}
Cost cost_add_matmul(const Call& call) {
  const auto k = static_cast<double>(in(call, 1).shape[1]);
  return {2 * k * static_cast<double>(out(call).count()), bytes_moved(call)};
}
std::vector<Case> add_matmul_cases() {
  Attributes scaled;
  scaled.first = -0.3;
  return {{{{{2, 4}}, {{2, 3}}, {{3, 4}}}, scaled},
          {{{{1, 5}}, {{1, 9}}, {{9, 5}}}, scaled},
          {{{{7, 1}}, {{7, 3}}, {{3, 1}}}, scaled},
          {{{{17, 33}}, {{17, 9}}, {{9, 33}}}, scaled}};
}

// linear: x [.., in], weight [in, out], bias [out].
void infer_linear(Call& call) {
  const Body &x = in(call, 0), &w = in(call, 1), &b = in(call, 2);
  if (x.shape.rank < 1 || w.shape.rank != 2 || b.shape.rank != 1 || x.shape[x.shape.rank - 1] != w.shape[0] ||
      b.shape[0] != w.shape[1] || x.dtype != w.dtype || x.dtype != b.dtype || !is_floating(x.dtype)) {
    refuse("linear",
           "x {}, weight {}, bias {}: [.., in], [in, out] and [out] of one floating type are needed",
           described(&x), described(&w), described(&b));
  }
  Shape shape = x.shape;
  shape[shape.rank - 1] = w.shape[1];
  set_output(call, 0, x.dtype, shape);
}
void run_linear(Call& call) {
  Body& y = out(call);
  if (y.count() == 0) return;
  const Dense x(in(call, 0)), bias(in(call, 2));
  const Operand w = operand(in(call, 1));
  const auto k = in(call, 1).shape[0], n = in(call, 1).shape[1], m = y.count() / n;
  visit_floating("linear", y.dtype, [&](auto zero) {
    using T = decltype(zero);
    T* to = y.values<T>();
    // The product is added to rows that hold the bias.
    parallel_for(m, std::max<std::int64_t>(1, parallel_grain / n), [&](std::int64_t begin, std::int64_t end) {
      for (auto i = begin; i < end; ++i) std::copy_n(bias.values<T>(), n, to + i * n);
    });
    kernels::gemm({m, n, k, false, w.transposed}, x.values<T>(), k, reinterpret_cast<const T*>(w.data),
                  w.stride, to, n, T(1));
  });
}
void vjp_linear(VjpContext& c) {
  const Tensor& g = c.grad();
  if (c.wants(2)) c.give(2, sum(as_rows(g), {0}));
  if (c.wants(1)) c.give(1, matmul(transpose(as_rows(c.input(0))), as_rows(g)));
  c.drop_input(0);
  if (c.wants(0)) c.give(0, matmul(g.rank() == 1 ? unsqueeze(g, 0) : g, transpose(c.input(1))));
}
std::vector<Tensor> decompose_linear(std::span<const Tensor> inputs, const Attributes&) {
  return {add(matmul(inputs[0], inputs[1]), inputs[2])};
}
Cost cost_linear(const Call& call) {
  return {(2 * static_cast<double>(in(call, 1).shape[0]) + 1) * static_cast<double>(out(call).count()),
          bytes_moved(call)};
}

void infer_matmul_i8(Call& call) {
  const Body &a = in(call, 0), &b = in(call, 1);
  if (a.dtype != DType::u8 || b.dtype != DType::i8 || a.shape.rank != 2 || b.shape.rank != 2 ||
      a.shape[1] != b.shape[0])
    refuse("matmul_i8", "{} times {}: u8 [m, k] and i8 [k, n] are needed", described(&a), described(&b));
  set_output(call, 0, DType::f32, {a.shape[0], b.shape[1]});
}
void run_matmul_i8(Call& call) {
  const Dense a(in(call, 0));
  const Operand b = operand(in(call, 1));
  const auto m = out(call).shape[0], n = out(call).shape[1], k = in(call, 0).shape[1];
  if (out(call).count() == 0) return;
  kernels::gemm_u8i8({m, n, k, false, b.transposed}, a.values<std::uint8_t>(), k,
                     reinterpret_cast<const std::int8_t*>(b.data), b.stride, out(call).values<float>(), n);
}

std::vector<Case> matmul_cases() {
  std::vector<Case> cases;
  const std::vector<std::pair<Shape, Shape>> shapes{
      {{2, 3}, {3, 4}},    {{1, 5}, {5, 1}},          {{2, 3, 4}, {4, 2}}, {{2, 3, 4}, {2, 4, 2}},
      {{3, 2}, {4, 2, 3}}, {{2, 1, 2, 3}, {3, 3, 2}}, {{0, 3}, {3, 2}},    {{2, 0}, {0, 3}},
      {{17, 9}, {9, 33}},  {{2, 3, 0}, {0, 4}}};
  for (const auto& [a, b] : shapes) cases.push_back({{{a}, {b}}});
  return cases;
}
std::vector<Case> linear_cases() {
  return {{{{{3, 4}}, {{4, 5}}, {{5}}}},
          {{{{2, 3, 4}}, {{4, 1}}, {{1}}}},
          {{{{4}}, {{4, 3}}, {{3}}}},
          {{{{0, 4}}, {{4, 3}}, {{3}}}},
          {{{{2, 3, 0}}, {{0, 4}}, {{4}}}}};
}

}  // namespace

void add_matmul_rows(Table& table) {
  auto& m = row(table, Op::matmul, "matmul");
  m.infer = infer_matmul;
  m.run = run_matmul;
  m.vjp = vjp_matmul;
  m.cost = cost_matmul;
  m.cases = matmul_cases;
  m.saves_inputs = 3;
  auto& s = row(table, Op::add_matmul, "add_matmul");
  s.infer = infer_add_matmul;
  s.run = run_add_matmul;
  s.vjp = vjp_add_matmul;
  s.cost = cost_add_matmul;
  s.cases = add_matmul_cases;
  s.saves_inputs = 6;
  auto& l = row(table, Op::linear, "linear");
  l.infer = infer_linear;
  l.run = run_linear;
  l.vjp = vjp_linear;
  l.decompose = decompose_linear;
  l.cost = cost_linear;
  l.cases = linear_cases;
  l.saves_inputs = 3;
  auto& q = row(table, Op::matmul_i8, "matmul_i8");
  q.infer = infer_matmul_i8;
  q.run = run_matmul_i8;
  q.cost = cost_matmul;
}

}  // namespace detail

Tensor add_matmul(const Tensor& x, const Tensor& a, const Tensor& b, double factor) {
  Attributes numbers;
  numbers.first = factor;
  return apply(Op::add_matmul, {&x, &a, &b}, numbers);
}
Tensor matmul(const Tensor& a, const Tensor& b) {
  if (a.rank() == 0 || b.rank() == 0)
    detail::refuse("matmul", "shapes {} and {}: a tensor without axes is not a matrix", text_of(a.shape()),
                   text_of(b.shape()));
  if (a.rank() > 1 && b.rank() > 1) return apply(Op::matmul, {&a, &b});
  const Tensor left = a.rank() == 1 ? unsqueeze(a, 0) : a, right = b.rank() == 1 ? unsqueeze(b, 1) : b;
  Tensor y = apply(Op::matmul, {&left, &right});
  if (b.rank() == 1) y = squeeze(y, -1);
  if (a.rank() == 1) y = squeeze(y, b.rank() == 1 ? -1 : -2);
  return y;
}

Tensor matmul_i8(const Tensor& a, const Tensor& b) {
  return apply(Op::matmul_i8, {&a, &b});
}

Tensor linear(const Tensor& x, const Tensor& weight, const Tensor& bias) {
  if (!bias.defined()) return matmul(x, weight);
  return apply(Op::linear, {&x, &weight, &bias});
}

}  // namespace tare::ad
