// Every row of the op table against its own value in extended precision: first derivatives in double and
// float, second derivatives through dual numbers, at random points of the row's domain.
#include "ad/ops/table.hpp"

#include <cmath>
#include <functional>
#include <gtest/gtest.h>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace tare::ad {
namespace {

using Wide = long double;

/// Five-point central difference; in extended precision good to about 1e-14.
Wide slope(const std::function<Wide(Wide)>& f, Wide x) {
  const Wide h = 1e-4L;
  return (8 * (f(x + h) - f(x - h)) - (f(x + 2 * h) - f(x - 2 * h))) / (12 * h);
}

/// One argument of one op, the other held fixed.
struct Case {
  std::string name;
  OpInfo info;
  Range range;
  Range other;
  std::function<Wide(Wide, Wide)> value;
  std::function<double(double, double)> partial;
  std::function<float(float, float)> float_partial;
};

template <class Op>
Case unary_case() {
  const Op op;
  const auto partial = [op](const auto& x) { return op.partial(x, evaluate(op, x)); };
  return {std::string(Op::info.name),
          Op::info,
          Op::info.first,
          {0, 0},
          [op](Wide x, Wide) { return op.value(x); },
          [partial](double x, double) { return partial(x); },
          [partial](float x, float) { return partial(x); }};
}
template <class Op, bool Left>
Case binary_case() {
  const Op op;
  const auto partial = [op]<class T>(const T& x, const T& other) {
    const T& a = Left ? x : other;
    const T& b = Left ? other : x;
    const T y = evaluate(op, a, b);
    return Left ? op.left(a, b, y) : op.right(a, b, y);
  };
  return {std::string(Op::info.name) + (Left ? "_left" : "_right"),
          Op::info,
          Left ? Op::info.first : Op::info.second,
          Left ? Op::info.second : Op::info.first,
          [op](Wide x, Wide other) { return Left ? op.value(x, other) : op.value(other, x); },
          [partial](double x, double other) { return partial(x, other); },
          [partial](float x, float other) { return partial(x, other); }};
}

template <class... Ops>
void add_unary(OpList<Ops...>, std::vector<Case>& cases) {
  (cases.push_back(unary_case<Ops>()), ...);
}
template <class... Ops>
void add_binary(OpList<Ops...>, std::vector<Case>& cases) {
  (cases.push_back(binary_case<Ops, true>()), ...);
  (cases.push_back(binary_case<Ops, false>()), ...);
}
std::vector<Case> all_cases() {
  std::vector<Case> cases;
  add_unary(UnaryOps{}, cases);
  add_binary(BinaryOps{}, cases);
  return cases;
}

class EveryOp : public testing::TestWithParam<Case> {
 protected:
  /// Random points; where the op has kinks, those near zero or near a tie are left out.
  template <class F>
  void at_points(F check) const {
    const Case& c = GetParam();
    std::mt19937_64 random(20240517);
    std::uniform_real_distribution<double> x(c.range.low, c.range.high);
    std::uniform_real_distribution<double> other(c.other.low, c.other.high);
    for (int i = 0; i < 200; ++i) {
      const double at = x(random);
      const double beside = c.other.low < c.other.high ? other(random) : 0.0;
      if (c.info.kinked && std::abs(at - beside) < 1e-2) continue;
      check(at, beside);
    }
  }
};

TEST_P(EveryOp, has_the_derivative_of_its_value) {
  const Case& c = GetParam();
  at_points([&](double x, double other) {
    const auto truth = static_cast<double>(slope([&](Wide at) { return c.value(at, other); }, x));
    EXPECT_NEAR(c.partial(x, other), truth, 2e-12 * (1 + std::abs(truth))) << "at " << x << ", " << other;
  });
}

TEST_P(EveryOp, has_it_in_float_too) {
  const Case& c = GetParam();
  at_points([&](double x, double other) {
    const auto fx = static_cast<float>(x);
    const auto fo = static_cast<float>(other);
    const double truth = c.partial(fx, fo);
    EXPECT_NEAR(c.float_partial(fx, fo), truth, 2e-5 * (1 + std::abs(truth))) << "at " << x << ", " << other;
  });
}

INSTANTIATE_TEST_SUITE_P(Table, EveryOp, testing::ValuesIn(all_cases()),
                         [](const auto& info) { return info.param.name; });

TEST(OpTable, names_every_code_once_and_in_order) {
  std::set<std::string_view> names;
  for (const OpInfo& info : op_table()) {
    EXPECT_TRUE(names.insert(info.name).second) << info.name;
    EXPECT_GT(info.flops, 0) << info.name;
    EXPECT_LT(info.first.low, info.first.high) << info.name;
  }
  EXPECT_EQ(name_of(code_of<ops::Sin>), "sin");
  EXPECT_EQ(name_of(code_of<ops::Atanh>), "atanh");
  EXPECT_EQ(name_of(code_of<ops::Add>), "add");
  EXPECT_EQ(name_of(code_of<ops::Max>), "max");
  EXPECT_EQ(name_of(code_of<ops::LogSumExp>), "logsumexp");
  EXPECT_EQ(name_of(OpCode::Input), "input");
  EXPECT_EQ(names.size(), 39U);
}

TEST(OpTable, stays_finite_where_the_plain_formula_overflows) {
  EXPECT_EQ(ops::Softplus{}.value(1000.0), 1000.0);
  EXPECT_EQ(ops::Softplus{}.value(-1000.0), 0.0);
  EXPECT_EQ(ops::Softplus{}.partial(1000.0, 1000.0), 1.0);
  EXPECT_EQ(ops::Sigmoid{}.value(-1000.0), 0.0);
  EXPECT_EQ(ops::Sigmoid{}.value(1000.0), 1.0);
  EXPECT_GT(ops::Sigmoid{}.value(-740.0), 0.0);
  const double x[] = {1000.0, 1000.0, -1000.0};
  EXPECT_DOUBLE_EQ(ops::LogSumExp{}.value(std::span<const double>(x)), 1000.0 + std::log(2.0));
  const double infinite[] = {INFINITY, 1.0};
  EXPECT_EQ(ops::LogSumExp{}.value(std::span<const double>(infinite)), INFINITY);
  EXPECT_EQ(ops::LogSumExp{}.value(std::span<const double>{}), -INFINITY);
  const double broken[] = {1.0, NAN, 2.0};
  EXPECT_TRUE(std::isnan(ops::LogSumExp{}.value(std::span<const double>(broken))));
}

TEST(OpTable, gives_edges_their_stated_derivative) {
  EXPECT_EQ(ops::Abs{}.partial(0.0, 0.0), 0.0);
  EXPECT_EQ(ops::Max{}.left(1.0, 1.0, 1.0), 1.0);
  EXPECT_EQ(ops::Max{}.right(1.0, 1.0, 1.0), 0.0);
  EXPECT_EQ(ops::Min{}.left(1.0, 1.0, 1.0), 1.0);
  EXPECT_EQ(ops::Hypot{}.left(0.0, 0.0, 0.0), 0.0);
  EXPECT_EQ(ops::Pow{}.left(0.0, 0.0, 1.0), 0.0);
  EXPECT_EQ(ops::Pow{}.left(0.0, 2.0, 0.0), 0.0);
  EXPECT_EQ(ops::Pow{}.right(0.0, 2.0, 0.0), 0.0);
  EXPECT_EQ(ops::PowInt{0}.partial(0.0, 1.0), 0.0);
  EXPECT_EQ(ops::PowInt{1}.partial(0.0, 0.0), 1.0);
  EXPECT_EQ(ops::PowInt{-2}.value(2.0), 0.25);
  EXPECT_EQ(ops::PowInt{-2}.partial(2.0, 0.25), -0.25);
  EXPECT_EQ(ops::PowInt{-2147483647 - 1}.value(1.0), 1.0);
}

TEST(OpTable, keeps_pow_exact_where_its_value_underflows) {
  // 1e-300^1.1 underflows; its derivative 1.1e-30 does not.
  const double y = ops::Pow{}.value(1e-300, 1.1);
  EXPECT_NEAR(ops::Pow{}.left(1e-300, 1.1, y) / 1.1e-30, 1.0, 1e-12);
}

}  // namespace
}  // namespace tare::ad
