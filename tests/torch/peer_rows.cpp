// Each row of the op table in terms of libtorch's functions.
#include <torch/torch.h>

#include "tests/torch/peer.hpp"
#include "tests/torch/peer_tensors.hpp"

namespace tare::ad {
namespace {

using torch::indexing::Slice;
using Inputs = std::vector<torch::Tensor>;

std::vector<std::int64_t> list(const Shape& shape) {
  return {shape.list().begin(), shape.list().end()};
}

torch::Tensor attention_of(const Inputs& in, bool causal) {
  auto scores =
      torch::matmul(in[0], in[1].transpose(-2, -1)) / std::sqrt(static_cast<double>(in[0].size(-1)));
  if (causal) {
    const auto queries = in[0].size(-2), keys = in[1].size(-2);
    const auto hidden = torch::ones({queries, keys}, torch::kBool).triu(keys - queries + 1);
    scores = scores.masked_fill(hidden, -std::numeric_limits<double>::infinity());
  }
  return torch::matmul(torch::softmax(scores, -1), in[2]);
}

torch::Tensor sum_over(const torch::Tensor& x, const Attributes& a) {
  return a.axes.rank == 0 ? x.clone() : torch::sum(x, list(a.axes), a.keep);
}

/// One axis after the other: libtorch's prod takes one at a time.
torch::Tensor product_over(torch::Tensor x, const Attributes& a) {
  for (int i = a.axes.rank - 1; i >= 0; --i) x = torch::prod(x, a.axes[i], a.keep);
  return x;
}

torch::Tensor cumulated(const torch::Tensor& x, std::int64_t axis, bool reverse) {
  return reverse ? torch::cumsum(x.flip({axis}), axis).flip({axis}) : torch::cumsum(x, axis);
}

torch::Tensor padded(const torch::Tensor& x, const Attributes& a) {
  std::vector<std::int64_t> around;  // from the last axis to the first
  for (int i = a.sizes.rank - 1; i >= 0; --i) {
    around.push_back(a.sizes[i]);
    around.push_back(a.extents[i]);
  }
  return torch::constant_pad_nd(x, around, a.first);
}

/// Undefined: no counterpart.
torch::Tensor value_of(Op op, const Inputs& in, const Attributes& a) {
  switch (op) {
#define TARE_SAME(name) \
  case Op::name:        \
    return torch::name(in[0]);
    TARE_SAME(neg)
    TARE_SAME(square)
    TARE_SAME(exp)
    TARE_SAME(exp2)
    TARE_SAME(expm1)
    TARE_SAME(log)
    TARE_SAME(log1p)
    TARE_SAME(log2)
    TARE_SAME(log10)
    TARE_SAME(sqrt)
    TARE_SAME(abs)
    TARE_SAME(erf)
    TARE_SAME(erfc)
    TARE_SAME(softplus)
    TARE_SAME(sigmoid)
    TARE_SAME(sin)
    TARE_SAME(cos)
    TARE_SAME(tan)
    TARE_SAME(asin)
    TARE_SAME(acos)
    TARE_SAME(atan)
    TARE_SAME(sinh)
    TARE_SAME(cosh)
    TARE_SAME(tanh)
    TARE_SAME(asinh)
    TARE_SAME(acosh)
    TARE_SAME(atanh)
    TARE_SAME(relu)
    TARE_SAME(gelu)
    TARE_SAME(silu)
    TARE_SAME(reciprocal)
    TARE_SAME(rsqrt)
    TARE_SAME(sign)
    TARE_SAME(floor)
    TARE_SAME(logical_not)
#undef TARE_SAME
#define TARE_SAME(ours, theirs) \
  case Op::ours:                \
    return torch::theirs(in[0], in[1]);
    TARE_SAME(add, add)
    TARE_SAME(sub, sub)
    TARE_SAME(mul, mul)
    TARE_SAME(div, div)
    TARE_SAME(pow, pow)
    TARE_SAME(atan2, atan2)
    TARE_SAME(hypot, hypot)
    TARE_SAME(min, minimum)
    TARE_SAME(max, maximum)
    TARE_SAME(less, lt)
    TARE_SAME(less_equal, le)
    TARE_SAME(equal, eq)
    TARE_SAME(not_equal, ne)
    TARE_SAME(matmul, matmul)
    TARE_SAME(embedding, embedding)
#undef TARE_SAME
    case Op::cbrt:  // of positive numbers
      return torch::pow(in[0], 1.0 / 3);
    case Op::clamp:
      return torch::clamp(in[0], a.first, a.second);
    case Op::power:
      return torch::pow(in[0], a.first);
    case Op::powi:
      return torch::pow(in[0], static_cast<double>(a.number));
    case Op::cast:
      return in[0].to(torch_type(a.dtype));
    case Op::where:
      return torch::where(in[0], in[1], in[2]);
    case Op::reshape:
      return torch::reshape(in[0], list(a.sizes));
    case Op::permute:
      return in[0].permute(list(a.axes));
    case Op::slice:
      return torch::slice(in[0], a.axes[0], a.sizes[0], a.extents[0], a.number);
    case Op::put_slice: {
      const auto changed = in[0].clone();
      torch::slice(changed, a.axes[0], a.sizes[0], a.extents[0], a.number).copy_(in[1]);
      return changed;
    }
    case Op::expand:
      return in[0].expand(list(a.sizes));
    case Op::copy:
      return in[0].clone();
    case Op::pad:
      return padded(in[0], a);
    case Op::concat:
      return torch::cat(in, a.axes[0]);
    case Op::sum:
      return sum_over(in[0], a);
    case Op::mean:
      return a.axes.rank == 0 ? in[0].clone() : torch::mean(in[0], list(a.axes), a.keep);
    case Op::amax:
      return torch::amax(in[0], list(a.axes), a.keep);
    case Op::amin:
      return torch::amin(in[0], list(a.axes), a.keep);
    case Op::prod:
      return product_over(in[0], a);
    case Op::argmax:
      return torch::argmax(in[0], a.axes[0], a.keep);
    case Op::argmin:
      return torch::argmin(in[0], a.axes[0], a.keep);
    case Op::cumsum:
      return cumulated(in[0], a.axes[0], a.flag);
    case Op::logsumexp:
      return torch::logsumexp(in[0], -1, a.keep);
    case Op::softmax:
      return torch::softmax(in[0], -1);
    case Op::log_softmax:
      return torch::log_softmax(in[0], -1);
    case Op::cross_entropy:
      return torch::cross_entropy_loss(in[0], in[1]);
    case Op::layer_norm:
      return torch::layer_norm(in[0], {in[0].size(-1)}, in[1], in[2], a.first);
    case Op::rms_norm:
      return in[0] * torch::rsqrt(torch::mean(in[0] * in[0], -1, true) + a.first) * in[1];
    case Op::batch_norm:
      return torch::batch_norm(in[0], in[1], in[2], {}, {}, true, 0, a.first, false);
    case Op::add_matmul:
      return torch::addmm(in[0], in[1], in[2], 1, a.first);
    case Op::matmul_i8:
      return torch::matmul(in[0].to(torch::kInt64), in[1].to(torch::kInt64)).to(torch::kFloat32);
    case Op::linear:
      return torch::matmul(in[0], in[1]) + in[2];
    case Op::conv2d:
      return torch::conv2d(in[0], in[1], {}, a.sizes[0], a.extents[0], a.extents[1], a.extents[2]);
    case Op::max_pool2d:
      return torch::max_pool2d(in[0], a.sizes[0], a.sizes[1], a.sizes[2]);
    case Op::avg_pool2d:
      return torch::avg_pool2d(in[0], a.sizes[0], a.sizes[1], a.sizes[2]);
    case Op::gather:
      return torch::gather(in[0], a.axes[0], in[1]);
    case Op::scatter_add:
      return torch::scatter_add(in[0], a.axes[0], in[1], in[2]);
    case Op::attention:
      return attention_of(in, a.flag);
    default:
      return {};
  }
}

}  // namespace

bool libtorch_has(Op op) {
  switch (op) {
    // Made of nothing, or of libtorch's own random numbers.
    case Op::full:
    case Op::random_uniform:
    case Op::random_normal:
    case Op::arange:
    case Op::custom:
    // Parts of derivatives: compared as the gradients of the rows they belong to.
    case Op::unary_grad:
    case Op::prod_grad:
    case Op::softmax_grad:
    case Op::log_softmax_grad:
    case Op::cross_entropy_grad:
    case Op::layer_norm_grad:
    case Op::rms_norm_grad:
    case Op::batch_norm_grad:
    case Op::conv2d_grad_input:
    case Op::conv2d_grad_weight:
    case Op::max_pool2d_grad:
    case Op::avg_pool2d_grad:
    case Op::embedding_grad:
    case Op::attention_grad:
      return false;
    default:
      return true;
  }
}

PeerAnswer ask_libtorch(Op op, const std::vector<Tensor>& inputs, const Attributes& attributes,
                        const Tensor& seed) {
  Inputs in;
  for (const Tensor& input : inputs) {
    in.push_back(to_torch(input));
    if (seed.defined() && is_floating(input.dtype())) in.back().requires_grad_(true);
  }
  const torch::Tensor y = value_of(op, in, attributes);
  if (!y.defined()) throw AdError("ask_libtorch: no counterpart of " + std::string(name_of(op)));
  PeerAnswer answer{from_torch(y.detach()), {}};
  if (!seed.defined()) return answer;
  y.backward(to_torch(seed));
  for (const auto& input : in) {
    answer.gradients.emplace_back();
    if (!input.requires_grad()) continue;
    answer.gradients.back() = from_torch(input.grad().defined() ? input.grad() : torch::zeros_like(input));
  }
  return answer;
}

}  // namespace tare::ad
