// Every op of the table and random programs: the tape, the one-lane interpreter, the eight-lane interpreter,
// native code of one lane and of four, with every pass on and off, must all give the same value and gradient.
#include <bit>
#include <cmath>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <string>
#include <vector>

#include "ad/scalar/derivatives.hpp"
#include "ad/scalar/functions.hpp"
#include "ad/scalar/program/compiled.hpp"
#include "ad/scalar/program/symbol.hpp"

namespace tare::ad {
namespace {

struct Answer {
  double value;
  std::vector<double> gradient;
};

template <class F>
Answer by_tape(const F& f, const std::vector<double>& x) {
  Recorder<double> recorder;
  Answer answer{0, std::vector<double>(x.size())};
  answer.value = gradient<double>([&](std::span<const Real<double>> in) { return Real<double>(f(in)); },
                                  std::span<const double>(x), answer.gradient, recorder);
  return answer;
}
Answer by_single(const Compiled& f, const std::vector<double>& x) {
  Answer answer{0, std::vector<double>(x.size())};
  answer.value = f.gradient(x, answer.gradient);
  EXPECT_EQ(std::isnan(f.value(x)), std::isnan(answer.value));
  return answer;
}
/// The last of 13 inputs: full groups and a tail, of four lanes and of eight.
Answer by_lanes(const Compiled& f, const std::vector<double>& x, Layout layout) {
  constexpr std::size_t count = 13;
  const std::size_t n = x.size();
  std::vector<double> many(count * n);
  std::vector<double> values(count);
  std::vector<double> gradients(count * n);
  const auto at = [&](std::size_t input, std::size_t i) {
    return layout == Layout::rows ? input * n + i : i * count + input;
  };
  for (std::size_t k = 0; k < count; ++k) {
    for (std::size_t i = 0; i < n; ++i) many[at(k, i)] = x[i];
  }
  f.gradients(many, values, gradients, layout);
  Answer answer{values[12], {}};
  for (std::size_t i = 0; i < n; ++i) {
    answer.gradient.push_back(gradients[at(12, i)]);
    EXPECT_EQ(std::bit_cast<std::uint64_t>(gradients[at(0, i)]),
              std::bit_cast<std::uint64_t>(gradients[at(12, i)]));
  }
  std::vector<double> again(count);
  f.values(many, again, layout);
  EXPECT_NEAR(again[12], values[12], 1e-12 * (1 + std::abs(values[12])));
  return answer;
}

bool close(double a, double b, double tolerance) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  if (std::isinf(a) || std::isinf(b)) return a == b;
  return std::abs(a - b) <= tolerance * (1 + std::abs(a));
}
std::string difference(const Answer& a, const Answer& b, double tolerance) {
  if (!close(a.value, b.value, tolerance)) {
    return "value " + std::to_string(a.value) + " and " + std::to_string(b.value);
  }
  for (std::size_t i = 0; i < a.gradient.size(); ++i) {
    if (!close(a.gradient[i], b.gradient[i], tolerance)) {
      return "derivative " + std::to_string(i) + ": " + std::to_string(a.gradient[i]) + " and " +
             std::to_string(b.gradient[i]);
    }
  }
  return "";
}

/// All ways to run it; empty if all agree with the tape.
template <class F>
std::string disagreement(const F& f, const std::vector<double>& at, const std::vector<double>& x,
                         double tolerance, const std::vector<CompileOptions>& ways) {
  const Program program = record_program(at, [&](std::span<const Symbol> in) { return Symbol(f(in)); });
  const Answer expected = by_tape(f, x);
  for (const CompileOptions& options : ways) {
    const Compiled compiled = compile(program, options);
    const std::string how = options.use_jit ? "native" : "interpreted";
    if (const auto text = difference(expected, by_single(compiled, x), tolerance); !text.empty()) {
      return how + ", one lane: " + text;
    }
    for (const Layout layout : {Layout::rows, Layout::columns}) {
      if (const auto text = difference(expected, by_lanes(compiled, x, layout), tolerance); !text.empty()) {
        return how + ", lanes: " + text;
      }
    }
  }
  return "";
}

const std::vector<CompileOptions> both{{.use_jit = true}, {.use_jit = false}};
std::vector<CompileOptions> all_ways() {
  std::vector<CompileOptions> ways;
  for (unsigned bits = 0; bits < 32; ++bits) {
    ways.push_back(
        {(bits & 1U) != 0, (bits & 2U) != 0, (bits & 4U) != 0, (bits & 8U) != 0, (bits & 16U) != 0});
  }
  return ways;
}

/// f recorded at one point of its domain and replayed at others.
template <class F>
void expect_agreement(const OpInfo& info, const F& f) {
  const auto within = [](Range range, double part) { return range.low + part * (range.high - range.low); };
  for (const double part : {0.03, 0.31, 0.5, 0.77, 0.96}) {
    const std::vector<double> at{within(info.first, 0.4), within(info.second, 0.6)};
    const std::vector<double> x{within(info.first, part), within(info.second, 1 - part)};
    EXPECT_EQ(disagreement(f, at, x, 2e-14, both), "") << info.name << " at " << x[0] << ", " << x[1];
  }
}

TEST(EveryOp, has_the_tapes_value_and_gradient_in_every_executor) {
#define EXPECT_OP(Op, name) expect_agreement(ops::Op::info, [](auto x) { return name(x[0]) * 1.5; });
  TARE_AD_UNARY_OPS(EXPECT_OP)
  EXPECT_OP(Neg, -)
#undef EXPECT_OP
#define EXPECT_OP(Op, name) expect_agreement(ops::Op::info, [](auto x) { return name(x[0], x[1]) * 1.5; });
  TARE_AD_BINARY_OPS(EXPECT_OP)
#undef EXPECT_OP
#define EXPECT_OP(Op, sign) expect_agreement(ops::Op::info, [](auto x) { return (x[0] sign x[1]) * 1.5; });
  TARE_AD_OPERATORS(EXPECT_OP)
#undef EXPECT_OP
  for (const int n : {-3, -1, 0, 1, 2, 3, 7}) {
    expect_agreement(ops::PowInt::info, [n](auto x) { return pow(x[0], n) * 1.5; });
  }
  expect_agreement(ops::LogSumExp::info, [](auto x) { return logsumexp(x) * 1.5; });
}

struct RandomStep {
  std::size_t code;
  std::size_t a;
  std::size_t b;
};

constexpr auto facts = op_table();

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
    CASE(Neg, -)
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
    case OpCode::PowInt:
      return pow(a, 3);
    default: {
      const T both[] = {a, b, a};
      return logsumexp(std::span<const T>(both));
    }
  }
}
/// Some results are used often, some never, some subexpressions occur twice.
template <class T>
T run(const std::vector<RandomStep>& steps, std::span<const T> inputs) {
  std::vector<T> values(inputs.begin(), inputs.end());
  T sum = 0.0;
  for (const RandomStep& step : steps) {
    const OpInfo& info = facts[step.code];
    const T a = squash(values[step.a % values.size()], info.first);
    const T b = squash(values[step.b % values.size()], info.arity == 2 ? info.second : info.first);
    values.push_back(apply(static_cast<OpCode>(step.code), a, b));
    if (step.a % 3 != 0) sum += values.back() * (step.b % 5 == 0 ? -1.0 : 0.5);
  }
  return sum;
}

// The same cases on every run; another RC_PARAMS in the environment looks further.
[[maybe_unused]] const int fixed_seed = setenv("RC_PARAMS", "seed=20170411", 0);

TEST(RandomPrograms, agree_in_every_executor_with_every_pass_on_and_off) {
  const std::vector<CompileOptions> ways = all_ways();
  EXPECT_TRUE(rc::check([&] {
    const auto raw = *rc::gen::container<std::vector<std::tuple<unsigned, unsigned, unsigned>>>(
        rc::gen::tuple(rc::gen::inRange(0U, static_cast<unsigned>(facts.size())), rc::gen::inRange(0U, 1000U),
                       rc::gen::inRange(0U, 1000U)));
    const auto x = *rc::gen::container<std::vector<double>>(
        4, rc::gen::map(rc::gen::inRange(-3000, 3000), [](int i) { return i / 1000.0; }));
    std::vector<RandomStep> steps;
    for (const auto& [code, a, b] : raw) steps.push_back({code, a, b});
    const auto f = [&](auto in) {
      using T = std::remove_const_t<typename decltype(in)::element_type>;
      return run<T>(steps, in);
    };
    const std::vector<double> at{0.1, -0.2, 0.3, 1.1};
    RC_ASSERT(disagreement(f, at, x, 1e-11, ways) == "");
  }));
}

/// More values alive than registers, in both directions.
TEST(RandomPrograms, agree_when_most_values_live_in_memory) {
  const auto f = [](auto x) {
    using T = std::remove_const_t<typename decltype(x)::element_type>;
    std::vector<T> v;
    for (int i = 0; i < 60; ++i) v.push_back(sin(x[i % 7] * (0.1 * i)) + x[(i * 3) % 7]);
    T y = 0.0;
    for (int i = 0; i < 60; ++i) {
      y = y * v[(i * 7) % 60] / (2.0 + v[(i * 11) % 60] * v[(i * 13) % 60]) + v[59 - i] * v[(i * 17) % 60];
      if (i % 9 == 0) y = max(y, T(v[i] * 0.5)) - exp(T(-1.0 * v[i]));
    }
    return y;
  };
  const std::vector<double> at{0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7};
  const std::vector<double> x{0.3, -0.2, 0.9, 0.4, -0.5, 0.1, 0.7};
  EXPECT_EQ(disagreement(f, at, x, 1e-12, all_ways()), "");
}

TEST(Poles, pass_nothing_back_where_nothing_depends_on_them) {
  const std::vector<double> at{0.5, 0.5};
  const std::vector<double> x{0.0, 0.25};
  const auto root = [](auto v) {
    const std::remove_cvref_t<decltype(v[0])> y = sqrt(v[0]);
    return max(y, v[1]) * 1.0;
  };
  EXPECT_EQ(disagreement(root, at, x, 1e-15, both), "");
  const auto logarithm = [](auto v) {
    const std::remove_cvref_t<decltype(v[0])> y = log(v[0]);
    return max(y, v[1]) * 1.0;
  };
  EXPECT_EQ(disagreement(logarithm, at, x, 1e-15, both), "");
  const auto quotient = [](auto v) {
    const std::remove_cvref_t<decltype(v[0])> y = v[1] / v[0];
    return min(y, v[1]) * 1.0;
  };
  EXPECT_EQ(disagreement(quotient, at, x, 1e-15, both), "");
}

TEST(Kinks, are_decided_at_every_replay) {
  const auto f = [](auto v) { return abs(v[0]) * 2.0 + max(v[0], v[1]) * 3.0 + min(v[0], v[1]) * 5.0; };
  for (const double a : {-1.0, 0.0, 2.0}) {
    for (const double b : {-2.0, 0.0, 3.0})
      EXPECT_EQ(disagreement(f, {1.0, 2.0}, {a, b}, 0, both), "") << a << b;
  }
}

}  // namespace
}  // namespace tare::ad
