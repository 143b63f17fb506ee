// Scaled dot-product attention. The scores of a block of queries stay in the cache; only each query's
// logsumexp is kept for backward, which computes the scores again.
#include <cmath>
#include <limits>

#include "ad/tensor/kernels/gemm.hpp"
#include "ad/tensor/ops/family.hpp"

namespace tare::ad {
namespace detail {
namespace {

// Queries at a time: their scores against some thousand keys fit the second-level cache.
constexpr std::int64_t query_block = 64;

struct Sizes {
  std::int64_t heads, queries, keys, width, value_width;
};
Sizes sizes_of(const Body& q, const Body& k, const Body& v) {
  const auto r = q.shape.rank;
  std::int64_t heads = 1;
  for (int i = 0; i + 2 < r; ++i) heads *= q.shape[i];
  return {heads, q.shape[r - 2], k.shape[r - 2], q.shape[r - 1], v.shape[r - 1]};
}
/// The matrix of each head where it lies, if its rows are dense: a part of a cache, or heads that are columns
/// of one matrix, need no copy.
class Heads {
 public:
  explicit Heads(const Body& x) : tensor_(Tensor::from(const_cast<Body*>(&x))) {
    const auto r = x.shape.rank;
    strides_ = x.all_strides();
    const bool dense = x.shape[r - 1] == 1 || strides_[r - 1] == 1;
    if (!dense || (x.shape[r - 2] > 1 && strides_[r - 2] < x.shape[r - 1])) {
      tensor_ = Tensor::empty(x.shape, x.dtype);
      copy_dense(x, tensor_.body()->data);
      strides_ = contiguous_strides(x.shape);
    }
    stride = x.shape[r - 2] > 1 ? strides_[r - 2] : x.shape[r - 1];
  }
  template <class T>
  [[nodiscard]] const T* of(std::int64_t head) const {
    const Shape& shape = tensor_.shape();
    std::int64_t offset = 0;
    for (int i = shape.rank - 3; i >= 0; --i) {
      offset += head % shape[i] * strides_[i];
      head /= shape[i];
    }
    return tensor_.body()->values<T>() + offset;
  }
  std::int64_t stride;  ///< between rows

 private:
  Tensor tensor_;
  Strides strides_;
};

/// Keys that query i sees.
std::int64_t seen(const Sizes& s, std::int64_t query, bool causal) {
  return causal ? s.keys - s.queries + query + 1 : s.keys;
}

// attention: q, k, v; flag is causal; outputs y and each query's logsumexp.
void infer_attention(Call& call) {
  const Body &q = in(call, 0), &k = in(call, 1), &v = in(call, 2);
  require_floating(call, 0);
  const auto r = q.shape.rank;
  bool fits = r >= 2 && k.shape.rank == r && v.shape.rank == r && q.dtype == k.dtype && q.dtype == v.dtype;
  for (int i = 0; fits && i + 2 < r; ++i) fits = q.shape[i] == k.shape[i] && q.shape[i] == v.shape[i];
  fits = fits && q.shape[r - 1] == k.shape[r - 1] && k.shape[r - 2] == v.shape[r - 2] && k.shape[r - 2] > 0 &&
         q.shape[r - 1] > 0;
  if (fits && call.attributes.flag) fits = q.shape[r - 2] <= k.shape[r - 2];
  if (!fits) {
    refuse("attention",
           "queries {}, keys {}, values {}: [.., queries, d], [.., keys, d], [.., keys, dv] are needed{}",
           described(&q), described(&k), described(&v),
           call.attributes.flag ? ", with no more queries than keys" : "");
  }
  Shape shape = q.shape;
  shape[r - 1] = v.shape[r - 1];
  set_output(call, 0, q.dtype, shape);
  --shape.rank;
  set_output(call, 1, q.dtype, shape);
}

/// exp(scores − logsumexp) of one block, or the scores' softmax while finding it.
template <class T>
void block_scores(const Sizes& s, const T* q, std::int64_t q_stride, const T* k, std::int64_t k_stride,
                  std::int64_t rows, T* scores) {
  kernels::gemm({rows, s.keys, s.width, false, true}, q, q_stride, k, k_stride, scores, s.keys, T(0));
  const T scale = static_cast<T>(1 / std::sqrt(static_cast<double>(s.width)));
  kernels::best().of<T>().binary[static_cast<std::size_t>(Op::mul) - unary_ops](scores, &scale, scores,
                                                                                rows * s.keys, 1, 0);
}

template <class F>
void each_block(const Sizes& s, F f) {
  const auto blocks = (s.queries + query_block - 1) / query_block;
  // Without heads there may be any number of keys: not as whole numbers, which overflow.
  const double work = static_cast<double>(std::min(query_block, s.queries)) * static_cast<double>(s.keys) *
                      static_cast<double>(s.width);
  parallel_for(s.heads * blocks,
               std::max<std::int64_t>(1, static_cast<std::int64_t>(65536 / std::max(1.0, work))),
               [&, deterministic = mode.deterministic](std::int64_t begin, std::int64_t end) {
                 const ModeScope same(&Mode::deterministic, deterministic);
                 for (auto at = begin; at < end; ++at) {
                   const auto head = at / blocks, first = at % blocks * query_block;
                   f(head, first, std::min(query_block, s.queries - first));
                 }
               });
}

void run_attention(Call& call) {
  const Sizes s = sizes_of(in(call, 0), in(call, 1), in(call, 2));
  const Heads q(in(call, 0)), k(in(call, 1)), v(in(call, 2));
  const bool causal = call.attributes.flag;
  visit_floating("attention", out(call).dtype, [&](auto zero) {
    using T = decltype(zero);
    const auto& l = kernels::best().of<T>();
    each_block(s, [&](std::int64_t head, std::int64_t first, std::int64_t rows) {
      Tensor block = Tensor::empty({rows, s.keys}, dtype_of<T>);
      T* scores = block.body()->values<T>();
      block_scores(s, q.of<T>(head) + first * q.stride, q.stride, k.of<T>(head), k.stride, rows, scores);
      for (std::int64_t i = 0; i < rows; ++i) {
        T* row = scores + i * s.keys;
        const auto n = seen(s, first + i, causal);
        const T largest = l.max(row, n);
        const T total = l.exp_shifted(row, largest, row, n);
        const T scale = T(1) / total;
        l.binary[static_cast<std::size_t>(Op::mul) - unary_ops](row, &scale, row, n, 1, 0);
        std::fill(row + n, row + s.keys, T(0));
        out(call, 1).values<T>()[head * s.queries + first + i] = largest + std::log(total);
      }
      kernels::gemm({rows, s.value_width, s.keys, false, false}, scores, s.keys, v.of<T>(head), v.stride,
                    out(call).values<T>() + (head * s.queries + first) * s.value_width, s.value_width, T(0));
    });
  });
}

// Backwards: g, q, k, v, y, logsumexp; outputs gradients of q, k, v.
void infer_attention_grad(Call& call) {
  for (std::size_t i = 0; i < 3; ++i) set_output(call, i, in(call, i + 1).dtype, in(call, i + 1).shape);
}
void run_attention_grad(Call& call) {
  const Sizes s = sizes_of(in(call, 1), in(call, 2), in(call, 3));
  const Heads g(in(call, 0)), q(in(call, 1)), k(in(call, 2)), v(in(call, 3)), y(in(call, 4));
  const Dense sums(in(call, 5));
  const bool causal = call.attributes.flag;
  visit_floating("attention", out(call).dtype, [&](auto zero) {
    using T = decltype(zero);
    const auto& l = kernels::best().of<T>();
    const T scale = static_cast<T>(1 / std::sqrt(static_cast<double>(s.width)));
    // One head at a time: blocks of queries add to the same keys.
    parallel_for(s.heads, 1, [&, deterministic = mode.deterministic](std::int64_t begin, std::int64_t end) {
      const ModeScope same(&Mode::deterministic, deterministic);
      for (auto head = begin; head < end; ++head) {
        const T *keys = k.of<T>(head), *values = v.of<T>(head);
        T* gk = out(call, 1).values<T>() + head * s.keys * s.width;
        T* gv = out(call, 2).values<T>() + head * s.keys * s.value_width;
        for (std::int64_t first = 0; first < s.queries || first == 0; first += query_block) {
          const auto rows = std::min(query_block, s.queries - first);
          const auto at = head * s.queries + first;
          const T beta = first == 0 ? T(0) : T(1);
          Tensor block = Tensor::empty({2, std::max<std::int64_t>(rows, 1), s.keys}, dtype_of<T>);
          T* p = block.body()->values<T>();
          T* gp = p + rows * s.keys;
          const T* queries = q.of<T>(head) + first * q.stride;
          const T* gy = g.of<T>(head) + first * g.stride;
          block_scores(s, queries, q.stride, keys, k.stride, rows, p);
          kernels::gemm({rows, s.keys, s.value_width, false, true}, gy, g.stride, values, v.stride, gp,
                        s.keys, T(0));
          for (std::int64_t i = 0; i < rows; ++i) {
            const auto n = seen(s, first + i, causal);
            T *row = p + i * s.keys, *grow = gp + i * s.keys;
            l.scaled_exp(row, sums.values<T>()[at + i], T(1), row, n);
            std::fill(row + n, row + s.keys, T(0));
            std::fill(grow + n, grow + s.keys, T(0));
            // Σ g·p over the row is g·y of the query.
            const T inner = l.dot(gy + i * g.stride, y.of<T>(head) + (first + i) * y.stride, s.value_width);
            for (std::int64_t j = 0; j < n; ++j) grow[j] = scale * row[j] * (grow[j] - inner);
          }
          kernels::gemm({s.keys, s.value_width, rows, true, false}, p, s.keys, gy, g.stride, gv,
                        s.value_width, beta);
          kernels::gemm({s.keys, s.width, rows, true, false}, gp, s.keys, queries, q.stride, gk, s.width,
                        beta);
          kernels::gemm({rows, s.width, s.keys, false, false}, gp, s.keys, keys, k.stride,
                        out(call, 0).values<T>() + at * s.width, s.width, T(0));
        }
      }
    });
  });
}
void vjp_attention(VjpContext& c) {
  if (c.differentiable && mode.grad) return vjp_by_decomposition(c);
  const Tensor q = c.input(0), k = c.input(1), v = c.input(2), y = c.output(0), sums = c.output(1);
  auto parts = apply_all(Op::attention_grad, {&c.grad(), &q, &k, &v, &y, &sums}, c.attributes);
  for (int i = 0; i < 3; ++i)
    if (c.wants(i)) c.give(i, parts[static_cast<std::size_t>(i)]);
}
std::vector<Tensor> decompose_attention(std::span<const Tensor> inputs, const Attributes& a) {
  const Tensor &q = inputs[0], &k = inputs[1], &v = inputs[2];
  Tensor scores = matmul(q, transpose(k)) * (1 / std::sqrt(static_cast<double>(q.size(-1))));
  if (a.flag) {
    const auto queries = q.size(-2), keys = k.size(-2);
    const Tensor last = reshape(Tensor::arange(queries) + static_cast<double>(keys - queries), {queries, 1});
    const Tensor visible = less_equal(Tensor::arange(keys), last);
    scores = where(visible, scores, number_beside(-std::numeric_limits<double>::infinity(), scores));
  }
  const Tensor sums = logsumexp(scores, {-1});
  return {matmul(softmax(scores), v), sums};
}

Cost cost_attention(const Call& call) {
  const Sizes s = sizes_of(in(call, 0), in(call, 1), in(call, 2));
  const auto pairs = static_cast<double>(s.heads * s.queries * s.keys);
  return {pairs * (2 * static_cast<double>(s.width + s.value_width) + 24), bytes_moved(call)};
}
Cost cost_attention_grad(const Call& call) {
  const Sizes s = sizes_of(in(call, 1), in(call, 2), in(call, 3));
  const auto pairs = static_cast<double>(s.heads * s.queries * s.keys);
  return {pairs * (6 * static_cast<double>(s.width) + 4 * static_cast<double>(s.value_width) + 26),
          bytes_moved(call)};
}

std::vector<Case> attention_cases() {
  Attributes all, causal;
  causal.flag = true;
  return {{{{{3, 4}}, {{5, 4}}, {{5, 2}}}, all},
          {{{{2, 3, 4}}, {{2, 3, 4}}, {{2, 3, 4}}}, causal},
          {{{{1, 2, 2, 3}}, {{1, 2, 4, 3}}, {{1, 2, 4, 3}}}, causal},
          {{{{70, 2}}, {{70, 2}}, {{70, 3}}}, causal}};
}

}  // namespace

void add_attention_rows(Table& table) {
  auto& r = row(table, Op::attention, "attention");
  r.infer = infer_attention;
  r.run = run_attention;
  r.vjp = vjp_attention;
  r.decompose = decompose_attention;
  r.cost = cost_attention;
  r.cases = attention_cases;
  r.saves_inputs = 7;
  r.saves_outputs = 3;
  r.outputs = 2;
  r.kept_whole = true;
  auto& g = row(table, Op::attention_grad, "attention_grad");
  g.infer = infer_attention_grad;
  g.run = run_attention_grad;
  g.cost = cost_attention_grad;
  g.outputs = 3;
}

}  // namespace detail

Tensor attention(const Tensor& q, const Tensor& k, const Tensor& v, bool causal) {
  Attributes a;
  a.flag = causal;
  return apply(Op::attention, {&q, &k, &v}, a);
}

}  // namespace tare::ad
