#include "tests/torch/random_case.hpp"

#include <algorithm>
#include <array>
#include <numeric>

namespace tare::ad {

Shape RandomCases::shape(int least_rank, int most_rank, bool may_be_empty) {
  Shape made;
  const auto rank = between(least_rank, most_rank);
  for (std::int64_t i = 0; i < rank; ++i) made.push(once_in(8) ? between(10, 40) : between(1, 6));
  if (once_in(5))
    for (int i = 1; i < made.rank; ++i) made[i] = made[0] = std::min<std::int64_t>(made[0], 5);
  if (may_be_empty && rank > 0 && once_in(20)) made[static_cast<int>(between(0, rank - 1))] = 0;
  return made;
}

/// A shape that broadcasting stretches to `whole`: leading axes may be missing, others may be 1.
Shape RandomCases::stretched_to(const Shape& whole) {
  Shape made;
  const auto skipped = once_in(3) ? between(0, whole.rank) : 0;
  for (auto i = static_cast<int>(skipped); i < whole.rank; ++i) made.push(once_in(4) ? 1 : whole[i]);
  return made;
}

Shape RandomCases::some_axes(int rank) {
  Shape axes;
  for (int i = 0; i < rank; ++i)
    if (once_in(2)) axes.push(i);
  if (axes.rank == 0 && rank > 0) axes.push(between(0, rank - 1));
  return axes;
}

Case RandomCases::pointwise(Op op) {
  // The row's own ranges; logical_not has no cases.
  Case made;
  if (op != Op::logical_not) {
    made.inputs = row_of(op).cases().front().inputs;
    made.attributes = row_of(op).cases().front().attributes;
  } else {
    made.inputs = {{{}, 0, 2, true}};
  }
  const Shape whole = shape(0, 4, true);
  // One operand keeps the whole shape, so that the result is not smaller than meant.
  const auto kept = static_cast<std::size_t>(between(0, static_cast<std::int64_t>(made.inputs.size()) - 1));
  const bool arithmetic = op == Op::add || op == Op::sub || op == Op::mul || op == Op::min || op == Op::max;
  const bool whole_numbers = (arithmetic || (op >= Op::less && op <= Op::not_equal)) && once_in(4);
  for (std::size_t i = 0; i < made.inputs.size(); ++i) {
    made.inputs[i].shape = i == kept ? whole : stretched_to(whole);
    if (whole_numbers) made.inputs[i] = {made.inputs[i].shape, -4, 5, true};
  }
  if (op == Op::clamp) {
    made.attributes.first = -static_cast<double>(between(0, 20)) / 10 - 0.05;
    made.attributes.second = static_cast<double>(between(0, 20)) / 10 + 0.05;
  } else if (op == Op::power) {
    made.attributes.first = static_cast<double>(between(-30, 30)) / 10 + 0.05;
  } else if (op == Op::powi) {
    made.attributes.number = between(-4, 6);
  } else if (op == Op::cast) {
    constexpr std::array types{DType::f32, DType::f64, DType::i64};
    made.attributes.dtype = types[static_cast<std::size_t>(between(0, 2))];
  }
  return made;
}

Case RandomCases::rearranged(Op op) {
  Case made{{{shape(1, 4, true)}}};
  Shape& x = made.inputs[0].shape;
  Attributes& a = made.attributes;
  switch (op) {
    case Op::reshape:
      a.sizes = {x.count()};
      if (once_in(2)) {
        a.sizes = {};
        for (int i = x.rank - 1; i >= 0; --i) a.sizes.push(x[i]);
      }
      break;
    case Op::permute: {
      std::vector<std::int64_t> order(static_cast<std::size_t>(x.rank));
      std::iota(order.begin(), order.end(), 0);
      std::shuffle(order.begin(), order.end(), random_);
      a.axes = Shape(std::span<const std::int64_t>(order));
      break;
    }
    case Op::slice:
    case Op::put_slice: {
      const auto axis = between(0, x.rank - 1), size = x[static_cast<int>(axis)];
      a.axes = {axis};
      a.sizes = {between(0, size)};
      a.extents = {between(a.sizes[0], size)};
      a.number = between(1, 3);
      if (op == Op::slice) break;
      Shape part = x;
      part[static_cast<int>(axis)] = (a.extents[0] - a.sizes[0] + a.number - 1) / a.number;
      made.inputs.push_back({part});
      break;
    }
    case Op::expand:
      a.sizes = x;
      x = stretched_to(x);
      break;
    case Op::pad:
      a.first = 0.5;
      for (int i = 0; i < x.rank; ++i) {
        a.sizes.push(between(0, 3));
        a.extents.push(between(0, 3));
      }
      break;
    case Op::concat: {
      const auto axis = static_cast<int>(between(0, x.rank - 1));
      a.axes = {axis};
      const Shape first = x;
      for (auto more = between(0, 3); more > 0; --more) {
        made.inputs.push_back({first});
        made.inputs.back().shape[axis] = between(0, 5);
      }
      break;
    }
    default:
      break;
  }
  return made;
}

Case RandomCases::reduced(Op op) {
  const bool one_axis = op == Op::argmax || op == Op::argmin || op == Op::cumsum;
  const bool may_be_empty = op == Op::sum || op == Op::prod || op == Op::cumsum;
  Case made{{{shape(one_axis ? 1 : 0, 4, may_be_empty)}}};
  const Shape& x = made.inputs[0].shape;
  made.attributes.axes = one_axis ? Shape{between(0, x.rank - 1)} : some_axes(x.rank);
  if (op == Op::cumsum) {
    made.attributes.flag = once_in(2);
  } else {
    made.attributes.keep = once_in(2);
  }
  // Long products of numbers far from 1 leave the range of numbers.
  if (op == Op::prod) made.inputs[0] = {x, 0.5, 1.5};
  return made;
}

Case RandomCases::rows(Op op) {
  if (op == Op::cross_entropy) {
    const auto n = between(1, 20), classes = between(1, 50);
    return {{{{n, classes}, -6, 6}, {{n}, 0, static_cast<double>(classes), true}}};
  }
  if (op == Op::batch_norm) {
    Shape x = shape(2, 4, false);
    x[0] += 2;
    const Shape channels{x[1]};
    Case made{{{x}, {channels}, {channels}}};
    made.attributes.first = 1e-3;
    return made;
  }
  Shape x = shape(1, 4, false);
  // Of one number the gradient is zero, of which libtorch leaves its rounding errors times 1/√ε.
  if (op == Op::layer_norm) x[x.rank - 1] += 1;
  const Shape last{x[x.rank - 1]};
  if (op == Op::logsumexp || op == Op::softmax || op == Op::log_softmax) {
    Case made{{{x, -6, 6}}};
    made.attributes.keep = op == Op::logsumexp && once_in(2);
    return made;
  }
  Case made{{{x}, {last}}};
  if (op == Op::layer_norm) made.inputs.push_back({last});
  made.attributes.first = 1e-3;
  return made;
}

Case RandomCases::product(Op op) {
  const auto m = between(1, 33), n = between(1, 33), k = between(1, 40);
  switch (op) {
    case Op::add_matmul: {
      Case made{{{{m, n}}, {{m, k}}, {{k, n}}}};
      made.attributes.first = 0.7;
      return made;
    }
    case Op::matmul_i8:
      return {{{{m, k}, 0, 256, true}, {{k, n}, -128, 128, true}}};
    case Op::linear: {
      Shape x = shape(0, 2, true);
      x.push(k);
      return {{{x}, {{k, n}}, {{n}}}};
    }
    case Op::attention: {
      const bool causal = once_in(2);
      const auto keys = between(1, 70), queries = causal ? between(1, keys) : between(1, 70);
      const Shape heads = shape(0, 2, false);
      Shape q = heads, keys_shape = heads, values = heads;
      q.push(queries), keys_shape.push(keys), values.push(keys);
      q.push(k), keys_shape.push(k), values.push(n);
      Case made{{{q}, {keys_shape}, {values}}};
      made.attributes.flag = causal;
      return made;
    }
    default: {
      const Shape batch = shape(0, 2, false);
      Shape a = once_in(2) ? batch : stretched_to(batch), b = stretched_to(batch);
      a.push(m), b.push(k);
      a.push(once_in(20) ? 0 : k);
      b[b.rank - 1] = a[a.rank - 1];
      b.push(n);
      return {{{a}, {b}}};
    }
  }
}

Case RandomCases::image(Op op) {
  const auto n = between(1, 4);
  if (op != Op::conv2d) {
    const auto size = between(1, 4), padding = between(0, size / 2);
    Case made{{{{n, between(1, 5), between(4, 14), between(4, 14)}}}};
    made.attributes.sizes = {size, between(1, 3), padding};
    return made;
  }
  const auto groups = between(1, 3), in = groups * between(1, 5), out = groups * between(1, 9);
  const auto size = between(1, 3), dilation = between(1, 2);
  Case made{{{{n, in, between(5, 14), between(5, 14)}}, {{out, in / groups, size, between(1, 3)}}}};
  made.attributes.sizes = {between(1, 3)};
  made.attributes.extents = {between(0, 2), dilation, groups};
  return made;
}

Case RandomCases::indexed(Op op) {
  if (op == Op::embedding) {
    const auto count = between(1, 20);
    return {{{{count, between(1, 20)}}, {shape(0, 3, true), 0, static_cast<double>(count), true}}};
  }
  const Shape x = shape(1, 3, false);
  const auto axis = static_cast<int>(between(0, x.rank - 1));
  Shape index;
  for (int i = 0; i < x.rank; ++i) index.push(i == axis ? between(1, 9) : between(1, x[i]));
  Case made{{{x}, {index, 0, static_cast<double>(x[axis]), true}}};
  if (op == Op::scatter_add) made.inputs.push_back({index});
  made.attributes.axes = {axis};
  return made;
}

Case RandomCases::of(Op op) {
  switch (op) {
    case Op::reshape:
    case Op::permute:
    case Op::slice:
    case Op::put_slice:
    case Op::expand:
    case Op::copy:
    case Op::pad:
    case Op::concat:
      return rearranged(op);
    case Op::sum:
    case Op::mean:
    case Op::amax:
    case Op::amin:
    case Op::prod:
    case Op::argmax:
    case Op::argmin:
    case Op::cumsum:
      return reduced(op);
    case Op::logsumexp:
    case Op::softmax:
    case Op::log_softmax:
    case Op::cross_entropy:
    case Op::layer_norm:
    case Op::rms_norm:
    case Op::batch_norm:
      return rows(op);
    case Op::matmul:
    case Op::add_matmul:
    case Op::matmul_i8:
    case Op::linear:
    case Op::attention:
      return product(op);
    case Op::conv2d:
    case Op::max_pool2d:
    case Op::avg_pool2d:
      return image(op);
    case Op::gather:
    case Op::scatter_add:
    case Op::embedding:
      return indexed(op);
    default:
      return pointwise(op);
  }
}

}  // namespace tare::ad
