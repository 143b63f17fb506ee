// Random programs over the whole op table, evaluated as an explicit tape, as active values, as dual numbers
// and by finite differences: all must agree. Arguments are squashed into each op's domain so that every
// program is smooth.
#include <cmath>
#include <gtest/gtest.h>
#include <random>
#include <vector>

#include "ad/scalar/dual.hpp"
#include "ad/scalar/recorder.hpp"
#include "ad/scalar/tape.hpp"

namespace tare::ad {
namespace {

struct Step {
  OpCode code;
  std::size_t a;
  std::size_t b;
};
struct Program {
  std::size_t inputs;
  std::vector<Step> steps;
};

constexpr auto facts = op_table();

Program random_program(unsigned seed, std::size_t inputs, std::size_t length) {
  std::mt19937_64 random(seed);
  Program program{inputs, {}};
  std::uniform_int_distribution<std::size_t> code(0, facts.size() - 2);
  while (program.steps.size() < length) {
    const std::size_t c = code(random);
    if (facts[c].kinked) continue;
    std::uniform_int_distribution<std::size_t> argument(0, inputs + program.steps.size() - 1);
    program.steps.push_back({static_cast<OpCode>(c), argument(random), argument(random)});
  }
  return program;
}

/// Into the open interval (low, high), slowly enough that derivatives stay of order one.
template <class T>
T squash(const T& x, Range range) {
  using std::atan;
  const T y = (range.low + range.high) / 2 + (range.high - range.low) / 3.2 * atan(x);
  return y;
}

template <class T>
T apply(OpCode code, const T& a, const T& b) {
  switch (code) {
#define CASE(Op, name) \
  case OpCode::Op:     \
    return name(a);
    TARE_AD_UNARY_OPS(CASE)
#undef CASE
#define CASE(Op, name) \
  case OpCode::Op:     \
    return name(a, b);
    TARE_AD_BINARY_OPS(CASE)
#undef CASE
#define CASE(Op, sign) \
  case OpCode::Op:     \
    return a sign b;
    TARE_AD_OPERATORS(CASE)
#undef CASE
    case OpCode::Neg:
      return -a;
    case OpCode::PowInt:
      return pow(a, 3);
    default:
      return a;
  }
}

template <class T>
T run(const Program& program, std::span<const T> inputs) {
  std::vector<T> values(inputs.begin(), inputs.end());
  T sum = 0.0;
  for (const Step& step : program.steps) {
    const OpInfo& info = facts[static_cast<std::size_t>(step.code)];
    const T a = squash(values[step.a], info.first);
    const T b = squash(values[step.b], info.second);
    values.push_back(apply(step.code, a, b));
    sum += values.back();
  }
  return sum;
}

Slot apply(Tape& t, OpCode code, Slot a, Slot b) {
  switch (code) {
#define CASE(Op, name) \
  case OpCode::Op:     \
    return t.name(a);
    TARE_AD_UNARY_OPS(CASE)
#undef CASE
#define CASE(Op, name) \
  case OpCode::Op:     \
    return t.name(a, b);
    TARE_AD_BINARY_OPS(CASE)
#undef CASE
    case OpCode::Add:
      return t.add(a, b);
    case OpCode::Sub:
      return t.sub(a, b);
    case OpCode::Mul:
      return t.mul(a, b);
    case OpCode::Div:
      return t.div(a, b);
    case OpCode::Neg:
      return t.neg(a);
    case OpCode::PowInt:
      return t.powi(a, 3);
    default:
      return a;
  }
}
Slot squash(Tape& t, Slot x, Range range) {
  return t.add(t.constant((range.low + range.high) / 2),
               t.mul(t.constant((range.high - range.low) / 3.2), t.atan(x)));
}
Slot run(Tape& t, const Program& program, const std::vector<Slot>& inputs) {
  std::vector<Slot> values = inputs;
  Slot sum = t.constant(0.0);
  for (const Step& step : program.steps) {
    const OpInfo& info = facts[static_cast<std::size_t>(step.code)];
    values.push_back(
        apply(t, step.code, squash(t, values[step.a], info.first), squash(t, values[step.b], info.second)));
    sum = t.add(sum, values.back());
  }
  return sum;
}

class RandomProgram : public testing::TestWithParam<unsigned> {};

TEST_P(RandomProgram, has_one_gradient_however_it_is_computed) {
  constexpr std::size_t inputs = 5;
  const Program program = random_program(GetParam(), inputs, 60);
  std::mt19937_64 random(GetParam() + 1000);
  std::normal_distribution<double> normal;
  std::vector<double> x(inputs);
  for (double& each : x) each = normal(random);
  // One input is a constant everywhere: its absence must not disturb the others.
  const std::size_t fixed = GetParam() % inputs;

  Recorder<double> recorder;
  const auto scope = recorder.record();
  std::vector<Real<double>> active(inputs);
  recorder.inputs(x, active);
  active[fixed] = x[fixed];
  const Real<double> y = run<Real<double>>(program, active);
  recorder.backward(y);

  Tape tape;
  std::vector<Slot> slots;
  for (std::size_t i = 0; i < inputs; ++i) slots.push_back(i == fixed ? tape.constant(x[i]) : tape.var(x[i]));
  const Slot z = run(tape, program, slots);
  tape.backward(z);
  EXPECT_NEAR(tape.value(z), y.value(), 1e-13 * (1 + std::abs(y.value())));

  for (std::size_t i = 0; i < inputs; ++i) {
    if (i == fixed) continue;
    std::vector<Dual<double>> dual(x.begin(), x.end());
    dual[i] = Dual<double>::variable(x[i]);
    const Dual<double> forward = run<Dual<double>>(program, dual);
    const double scale = 1 + std::abs(forward.tangent());
    EXPECT_EQ(forward.value(), y.value());
    EXPECT_NEAR(recorder.gradient(active[i]), forward.tangent(), 1e-12 * scale);
    EXPECT_NEAR(tape.grad(slots[i]), forward.tangent(), 1e-12 * scale);

    const double h = 1e-4;
    const auto at = [&](double shift) {
      std::vector<Dual<double>> moved(x.begin(), x.end());
      moved[i] = x[i] + shift;
      return run<Dual<double>>(program, moved).value();
    };
    const double difference = (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h);
    EXPECT_NEAR(forward.tangent(), difference, 1e-7 * scale);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomProgram, testing::Range(0U, 40U));

}  // namespace
}  // namespace tare::ad
