// What a tensor op is: a row of the one table. A row gives the op's name, what it makes of its inputs' shapes
// and types, its kernel, its derivative, its cost and its test cases; eager mode, autograd, graph mode, the
// finite-difference tests and the benchmarks all read it. Pointwise rows are made from the scalar rules of
// ad/ops; the others stand in the files of ops/.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ad/ops/activations.hpp"
#include "ad/ops/table.hpp"
#include "ad/tensor/dtype.hpp"
#include "ad/tensor/shape.hpp"

// clang-format off
/// X(name) for every op that is not pointwise by a scalar rule.
#define TARE_AD_TENSOR_OPS(X) \
  X(clamp) X(power) X(powi) X(cast) X(less) X(less_equal) X(equal) X(not_equal) X(logical_not) X(where) X(unary_grad) \
  X(reshape) X(permute) X(slice) X(expand) X(put_slice) X(copy) X(pad) X(concat) \
  X(full) X(random_uniform) X(random_normal) X(arange) \
  X(sum) X(mean) X(amax) X(amin) X(prod) X(prod_grad) X(argmax) X(argmin) X(cumsum) \
  X(logsumexp) X(softmax) X(softmax_grad) X(log_softmax) X(log_softmax_grad) X(cross_entropy) X(cross_entropy_grad) \
  X(layer_norm) X(layer_norm_grad) X(rms_norm) X(rms_norm_grad) X(batch_norm) X(batch_norm_grad) \
  X(matmul) X(add_matmul) X(matmul_i8) X(linear) X(conv2d) X(conv2d_grad_input) X(conv2d_grad_weight) \
  X(max_pool2d) X(max_pool2d_grad) X(avg_pool2d) X(avg_pool2d_grad) \
  X(gather) X(scatter_add) X(embedding) X(embedding_grad) X(attention) X(attention_grad) X(custom)
// clang-format on

namespace tare::ad {

class Tensor;

/// Pointwise ops by scalar rules come first: unary ones, then binary ones.
#define TARE_AD_CODE(Op, name) name,
#define TARE_AD_NAME(name) name,
enum class Op : std::uint8_t {
  neg,
  TARE_AD_UNARY_OPS(TARE_AD_CODE) TARE_AD_TENSOR_UNARY_OPS(TARE_AD_CODE) add,
  sub,
  mul,
  div,
  TARE_AD_BINARY_OPS(TARE_AD_CODE) TARE_AD_TENSOR_OPS(TARE_AD_NAME)
};
#undef TARE_AD_CODE
#undef TARE_AD_NAME

inline constexpr int unary_ops = static_cast<int>(Op::add);
inline constexpr int binary_ops = static_cast<int>(Op::clamp) - unary_ops;
inline constexpr int op_count = static_cast<int>(Op::custom) + 1;
constexpr bool is_unary(Op op) {
  return static_cast<int>(op) < unary_ops;
}
constexpr bool is_binary(Op op) {
  return !is_unary(op) && static_cast<int>(op) < unary_ops + binary_ops;
}

/// The fixed numbers of a call. One plain struct for all ops: what a field means is said by the op's
/// function.
struct Attributes {
  Shape axes;     ///< axes, a permutation
  Shape sizes;    ///< a shape, starts, strides
  Shape extents;  ///< stops, kernel sizes, padding after
  double first = 0;
  double second = 0;
  std::int64_t number = 0;  ///< a count, a seed, an op
  DType dtype = DType::f32;
  bool keep = false;
  bool flag = false;
  friend bool operator==(const Attributes&, const Attributes&) = default;
};

struct Cost {
  double flops = 0;
  double bytes = 0;  ///< inputs read once, outputs written once
};

namespace detail {
struct Body;
struct VjpContext;
}  // namespace detail

inline constexpr int most_inputs = 6;
inline constexpr int most_outputs = 3;

/// One call on its way: inputs, numbers, and outputs that the row fills in.
struct Call {
  Op op;
  std::span<detail::Body* const> inputs;
  const Attributes& attributes;
  std::array<detail::Body*, most_outputs> outputs{};
  int output_count = 1;
};

/// Inputs for a test of a row: how they are drawn, and the numbers that go with them.
struct Case {
  struct Input {
    Shape shape;
    double low = -2;
    double high = 2;
    bool whole = false;  ///< i64, from low up to but without high
  };
  std::vector<Input> inputs;
  Attributes attributes{};
  bool smooth = true;  ///< finite differences make sense
};

struct OpRow {
  std::string_view name;
  /// Checks the inputs and fills dtype and shape of the outputs; throws an AdError that names op and shapes.
  void (*infer)(Call&) = nullptr;
  /// Computes the outputs, or for a view points them into the input.
  void (*run)(Call&) = nullptr;
  /// Gives the inputs' derivatives; absent: nothing passes.
  void (*vjp)(detail::VjpContext&) = nullptr;
  /// The op in terms of simpler rows, for graph mode and derivatives of derivatives.
  std::vector<Tensor> (*decompose)(std::span<const Tensor>, const Attributes&) = nullptr;
  Cost (*cost)(const Call&) = nullptr;
  std::vector<Case> (*cases)() = nullptr;
  std::uint8_t saves_inputs = 0;   ///< bit i: the derivative reads input i
  std::uint8_t saves_outputs = 0;  ///< bit k: the derivative reads output k
  std::uint8_t outputs = 1;
  bool view = false;
  bool kept_whole = false;  ///< in a graph too: its own kernel beats what fusion makes of its parts
};

/// The row of an op.
const OpRow& row_of(Op op);
inline std::string_view name_of(Op op) {
  return row_of(op).name;
}

}  // namespace tare::ad
