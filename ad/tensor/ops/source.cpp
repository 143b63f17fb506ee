// Rows without inputs to compute from: constants, counts and random numbers. Random numbers are a hash of
// seed and position, so that they do not depend on threads and can be made again.
#include <bit>
#include <cmath>
#include <numbers>

#include "ad/tensor/ops/family.hpp"

namespace tare::ad {
namespace detail {
namespace {

void infer_sized(Call& call) {
  check_sizes(row_of(call.op).name, call.attributes.sizes);
  set_output(call, 0, call.attributes.dtype, call.attributes.sizes);
}

void run_full(Call& call) {
  Body& y = out(call);
  visit(y.dtype, [&](auto zero) {
    using T = decltype(zero);
    const auto value = converted<T>(call.attributes.first);
    parallel_for(y.count(), parallel_grain * 8, [&](std::int64_t begin, std::int64_t end) {
      std::fill(y.values<T>() + begin, y.values<T>() + end, value);
    });
  });
}

void run_arange(Call& call) {
  Body& y = out(call);
  visit(y.dtype, [&](auto zero) {
    using T = decltype(zero);
    for (std::int64_t i = 0; i < y.count(); ++i) y.values<T>()[i] = static_cast<T>(i);
  });
}

/// 64 well-mixed bits from two numbers.
std::uint64_t mixed(std::uint64_t a, std::uint64_t b) {
  std::uint64_t z = a + 0x9E3779B97F4A7C15U * (b + 1);
  z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
  z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
  return z ^ (z >> 31U);
}
double unit(std::uint64_t bits) {
  return static_cast<double>(bits >> 11U) * 0x1p-53;
}

// The seed is an i64 of one element: a captured graph draws another one at every call.
void infer_random(Call& call) {
  if (in(call, 0).dtype != DType::i64 || in(call, 0).count() != 1)
    refuse(row_of(call.op).name, "the seed is {}, not one i64", described(call.inputs[0]));
  if (!is_floating(call.attributes.dtype))
    refuse(row_of(call.op).name, "random numbers of {}: f32 or f64 is possible",
           name_of(call.attributes.dtype));
  infer_sized(call);
}
template <class F>
void fill_random(Call& call, F value) {
  Body& y = out(call);
  const auto seed = mixed(static_cast<std::uint64_t>(*in(call, 0).values<std::int64_t>()), 0);
  visit_floating(row_of(call.op).name, y.dtype, [&](auto zero) {
    using T = decltype(zero);
    parallel_for(y.count(), parallel_grain, [&](std::int64_t begin, std::int64_t end) {
      for (auto i = begin; i < end; ++i) y.values<T>()[i] = value(T{}, seed, static_cast<std::uint64_t>(i));
    });
  });
}
void run_uniform(Call& call) {
  fill_random(call, []<class T>(T, std::uint64_t seed, std::uint64_t i) {
    const auto bits = mixed(seed, i);
    // As many bits as the type holds: rounding up could give 1.
    return sizeof(T) == 4 ? static_cast<T>(static_cast<float>(bits >> 40U) * 0x1p-24F)
                          : static_cast<T>(unit(bits));
  });
}
void run_normal(Call& call) {
  fill_random(call, []<class T>(T, std::uint64_t seed, std::uint64_t i) {
    // Box and Muller's transform; two numbers share a pair of uniform ones.
    const auto pair = i / 2;
    const double radius = std::sqrt(-2 * std::log(1 - unit(mixed(seed, 2 * pair))));
    const double angle = 2 * std::numbers::pi * unit(mixed(seed, 2 * pair + 1));
    return static_cast<T>(radius * (i % 2 == 0 ? std::cos(angle) : std::sin(angle)));
  });
}

void add(Table& table, Op op, std::string_view name, void (*infer)(Call&), void (*run)(Call&)) {
  auto& r = row(table, op, name);
  r.infer = infer;
  r.run = run;
  r.cost = cost_per_output<0>;
}

Tensor random(Op op, const Shape& shape, Generator& generator, DType dtype) {
  Attributes a;
  a.sizes = shape;
  a.dtype = dtype;
  if (mode.tracer != nullptr) {
    const Tensor seed = mode.tracer->draw(generator);
    return apply(op, {&seed}, a);
  }
  const Tensor seed = Tensor::of({static_cast<std::int64_t>(generator.next())}, {});
  return apply(op, {&seed}, a);
}

}  // namespace

void add_source_rows(Table& table) {
  add(table, Op::full, "full", infer_sized, run_full);
  add(table, Op::arange, "arange", infer_sized, run_arange);
  add(table, Op::random_uniform, "random_uniform", infer_random, run_uniform);
  add(table, Op::random_normal, "random_normal", infer_random, run_normal);
}

}  // namespace detail

std::uint64_t Generator::next() {
  return detail::mixed(seed_, drawn_++);
}

Tensor Tensor::full(const Shape& shape, double value, DType dtype) {
  Attributes a;
  a.sizes = shape;
  a.dtype = dtype;
  a.first = value;
  return apply(Op::full, std::initializer_list<const Tensor*>{}, a);
}

Tensor Tensor::arange(std::int64_t count, DType dtype) {
  Attributes a;
  a.sizes = {count};
  a.dtype = dtype;
  return apply(Op::arange, std::initializer_list<const Tensor*>{}, a);
}

Tensor Tensor::rand(const Shape& shape, Generator& generator, DType dtype) {
  return detail::random(Op::random_uniform, shape, generator, dtype);
}

Tensor Tensor::randn(const Shape& shape, Generator& generator, DType dtype) {
  return detail::random(Op::random_normal, shape, generator, dtype);
}

Tensor dropout(const Tensor& x, double p, Generator& generator) {
  if (!(p >= 0 && p < 1)) throw AdError(fmt::format("dropout: probability {} is not in [0, 1)", p));
  if (p == 0) return x;
  const Tensor drawn = Tensor::rand(x.shape(), generator, x.dtype());
  const Tensor kept = less_equal(number_beside(p, drawn), drawn);
  return mul(where(kept, x, number_beside(0, x)), number_beside(1 / (1 - p), x));
}

}  // namespace tare::ad
