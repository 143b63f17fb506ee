// The operations on tensors. Shapes broadcast as usual: sizes are matched from the last axis, and a size of 1
// stretches. Axes may be negative, counted from the end. Every function throws an AdError that names itself
// and the shapes when its inputs do not fit.
#pragma once

#include <initializer_list>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "ad/tensor/apply.hpp"
#include "ad/tensor/mode.hpp"
#include "ad/tensor/tensor.hpp"

namespace tare::ad {

using Axes = std::initializer_list<std::int64_t>;

// Pointwise functions of the one table: exp, log, tanh, relu, gelu, … and pow, min, max, … A temporary, or
// what is moved in, gives its memory to the result where nothing else needs it: a*b + c takes memory once.
#define TARE_AD_DECLARE(Type, name)          \
  inline Tensor name(const Tensor& x) {      \
    return apply(Op::name, {&x});            \
  }                                          \
  inline Tensor name(Tensor&& x) {           \
    return apply_over({&x}, Op::name, {&x}); \
  }
TARE_AD_DECLARE(Neg, neg)
TARE_AD_UNARY_OPS(TARE_AD_DECLARE)
TARE_AD_TENSOR_UNARY_OPS(TARE_AD_DECLARE)
#undef TARE_AD_DECLARE
#define TARE_AD_DECLARE(Type, name)                      \
  inline Tensor name(const Tensor& a, const Tensor& b) { \
    return apply(Op::name, {&a, &b});                    \
  }                                                      \
  inline Tensor name(Tensor&& a, const Tensor& b) {      \
    return apply_over({&a}, Op::name, {&a, &b});         \
  }                                                      \
  inline Tensor name(const Tensor& a, Tensor&& b) {      \
    return apply_over({&b}, Op::name, {&a, &b});         \
  }                                                      \
  inline Tensor name(Tensor&& a, Tensor&& b) {           \
    return apply_over({&a, &b}, Op::name, {&a, &b});     \
  }
TARE_AD_DECLARE(Add, add)
TARE_AD_DECLARE(Sub, sub)
TARE_AD_DECLARE(Mul, mul)
TARE_AD_DECLARE(Div, div)
TARE_AD_BINARY_OPS(TARE_AD_DECLARE)
#undef TARE_AD_DECLARE

/// A C++ number beside a tensor: of the tensor's type where that holds it.
Tensor number_beside(double value, const Tensor& tensor);

inline Tensor operator-(const Tensor& x) {
  return neg(x);
}
inline Tensor operator-(Tensor&& x) {
  return neg(std::move(x));
}
#define TARE_AD_DECLARE(symbol, name)                               \
  inline Tensor operator symbol(const Tensor& a, const Tensor& b) { \
    return name(a, b);                                              \
  }                                                                 \
  inline Tensor operator symbol(Tensor&& a, const Tensor& b) {      \
    return name(std::move(a), b);                                   \
  }                                                                 \
  inline Tensor operator symbol(const Tensor& a, Tensor&& b) {      \
    return name(a, std::move(b));                                   \
  }                                                                 \
  inline Tensor operator symbol(Tensor&& a, Tensor&& b) {           \
    return name(std::move(a), std::move(b));                        \
  }                                                                 \
  inline Tensor operator symbol(const Tensor& a, double b) {        \
    return name(a, number_beside(b, a));                            \
  }                                                                 \
  inline Tensor operator symbol(Tensor&& a, double b) {             \
    const Tensor number = number_beside(b, a);                      \
    return name(std::move(a), number);                              \
  }                                                                 \
  inline Tensor operator symbol(double a, const Tensor& b) {        \
    return name(number_beside(a, b), b);                            \
  }                                                                 \
  inline Tensor operator symbol(double a, Tensor&& b) {             \
    const Tensor number = number_beside(a, b);                      \
    return name(number, std::move(b));                              \
  }
TARE_AD_DECLARE(+, add)
TARE_AD_DECLARE(-, sub)
TARE_AD_DECLARE(*, mul)
TARE_AD_DECLARE(/, div)
#undef TARE_AD_DECLARE

Tensor clamp(const Tensor& x, double low, double high);
/// To a fixed power: by multiplication where the exponent is whole.
Tensor pow(const Tensor& x, double exponent);

// Comparisons give bool.
Tensor less(const Tensor& a, const Tensor& b);
Tensor less_equal(const Tensor& a, const Tensor& b);
Tensor equal(const Tensor& a, const Tensor& b);
Tensor not_equal(const Tensor& a, const Tensor& b);
Tensor logical_not(const Tensor& x);
/// a where the condition holds, else b.
Tensor where(const Tensor& condition, const Tensor& a, const Tensor& b);
Tensor cast(const Tensor& x, DType dtype);

// Other views of the same data.
/// One size may be −1: what is left. Copies only when the strides do not allow a view.
Tensor reshape(const Tensor& x, const Shape& shape);
Tensor permute(const Tensor& x, Axes order);
Tensor permute(const Tensor& x, const Shape& order);
Tensor transpose(const Tensor& x, int first = -2, int second = -1);
/// Elements begin, begin + step, … below end along an axis; negative positions count from the end.
Tensor slice(const Tensor& x, int axis, std::int64_t begin, std::int64_t end, std::int64_t step = 1);
/// x with such a slice replaced by `part`.
Tensor put_slice(const Tensor& x, const Tensor& part, int axis, std::int64_t begin, std::int64_t end,
                 std::int64_t step = 1);
Tensor expand(const Tensor& x, const Shape& shape);
Tensor unsqueeze(const Tensor& x, int axis);
Tensor squeeze(const Tensor& x, int axis);
/// Contiguous data: the tensor itself when it is so already.
Tensor contiguous(const Tensor& x);
Tensor copy(const Tensor& x);

Tensor concat(std::span<const Tensor> parts, int axis);
Tensor stack(std::span<const Tensor> parts, int axis);
/// Parts of the given size along an axis; the last may be smaller.
std::vector<Tensor> split(const Tensor& x, std::int64_t size, int axis);
/// Adds `before` and `after` elements of a value along each axis.
Tensor pad(const Tensor& x, const Shape& before, const Shape& after, double value = 0);

// Reductions over some axes; none named means all.
Tensor sum(const Tensor& x, Axes axes = {}, bool keep = false);
Tensor sum(const Tensor& x, const Shape& axes, bool keep);
Tensor mean(const Tensor& x, Axes axes = {}, bool keep = false);
/// The derivative is shared among equal largest elements.
Tensor amax(const Tensor& x, Axes axes = {}, bool keep = false);
Tensor amin(const Tensor& x, Axes axes = {}, bool keep = false);
Tensor prod(const Tensor& x, Axes axes = {}, bool keep = false);
Tensor logsumexp(const Tensor& x, Axes axes = {}, bool keep = false);
/// Root of the sum of squares.
Tensor norm(const Tensor& x, Axes axes = {}, bool keep = false);
/// With the divisor n − `less`.
Tensor var(const Tensor& x, Axes axes = {}, bool keep = false, double less = 1);
Tensor argmax(const Tensor& x, int axis, bool keep = false);
Tensor argmin(const Tensor& x, int axis, bool keep = false);
Tensor cumsum(const Tensor& x, int axis, bool reverse = false);
/// Sums over what broadcasting a tensor of that shape would repeat.
Tensor sum_to(const Tensor& x, const Shape& shape);

/// Over the last axis.
Tensor softmax(const Tensor& x);
Tensor log_softmax(const Tensor& x);
/// Mean over rows of logsumexp(row) − row[target]; logits [n, classes], targets i64 [n].
Tensor cross_entropy(const Tensor& logits, const Tensor& targets);
/// Over the last axis, times weight plus bias.
Tensor layer_norm(const Tensor& x, const Tensor& weight, const Tensor& bias, double epsilon = 1e-5);
Tensor rms_norm(const Tensor& x, const Tensor& weight, double epsilon = 1e-6);
struct BatchNorm {
  Tensor y, mean, variance;  ///< of the batch; variance with divisor n
};
/// Over all axes but the second of [n, c, …]; statistics of the batch.
BatchNorm batch_norm(const Tensor& x, const Tensor& weight, const Tensor& bias, double epsilon = 1e-5);

/// [.., m, k] times [.., k, n]; leading axes broadcast; vectors are taken as a row on the left, a column on
/// the right.
Tensor matmul(const Tensor& a, const Tensor& b);
/// x + factor·a·b, matrices.
Tensor add_matmul(const Tensor& x, const Tensor& a, const Tensor& b, double factor = 1);
/// u8 [m, k] times i8 [k, n], summed exactly; the result is f32.
Tensor matmul_i8(const Tensor& a, const Tensor& b);
/// x·weight + bias: x [.., in], weight [in, out], bias [out] or undefined.
Tensor linear(const Tensor& x, const Tensor& weight, const Tensor& bias);

struct Conv2d {
  std::int64_t stride = 1, padding = 0, dilation = 1, groups = 1;
};
/// x [n, c, h, w], weight [out, c / groups, kh, kw], bias [out] or undefined.
Tensor conv2d(const Tensor& x, const Tensor& weight, const Tensor& bias, const Conv2d& options = {});
struct Pool2d {
  std::int64_t size = 2, stride = 2, padding = 0;
};
/// Over square windows of [n, c, h, w]; padding is at most half the size. Of equal largest values the first
/// takes the derivative; the mean counts padding as zeros.
Tensor max_pool2d(const Tensor& x, const Pool2d& options = {});
Tensor avg_pool2d(const Tensor& x, const Pool2d& options = {});

/// x's elements at `index` (i64, the shape of the result) along an axis; other positions are the result's
/// own.
Tensor gather(const Tensor& x, int axis, const Tensor& index);
/// x plus the sum of source's elements that `index` sends to each place along an axis.
Tensor scatter_add(const Tensor& x, int axis, const Tensor& index, const Tensor& source);
/// Rows of weight [n, d] by ids i64 [..].
Tensor embedding(const Tensor& weight, const Tensor& ids);

/// Each element is zero with probability p, else divided by 1 − p.
Tensor dropout(const Tensor& x, double p, Generator& generator);
/// softmax(q·kᵀ/√d)·v over [.., queries, d], [.., keys, d]; causal: query i sees keys up to
/// keys − queries + i, as when the queries are the newest of a cache.
Tensor attention(const Tensor& q, const Tensor& k, const Tensor& v, bool causal = false);

}  // namespace tare::ad
