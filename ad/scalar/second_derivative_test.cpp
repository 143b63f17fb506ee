// Second derivatives of every row of the op table: the row's own derivative rule on dual numbers, against
// differences of that rule in extended precision.
#include <cmath>
#include <gtest/gtest.h>
#include <random>

#include "ad/ops/table.hpp"
#include "ad/scalar/difference.hpp"
#include "ad/scalar/dual.hpp"

namespace tare::ad {
namespace {

using D = Dual<double>;

/// partial(x, other) is a derivative rule, a template over the number type.
template <class Partial>
void expect_second(const OpInfo& info, Range range, Range other, Partial partial) {
  std::mt19937_64 random(77);
  std::uniform_real_distribution<double> draw(range.low, range.high);
  std::uniform_real_distribution<double> draw_other(other.low, std::nextafter(other.high, INFINITY));
  for (int i = 0; i < 200; ++i) {
    const double x = draw(random);
    const double y = draw_other(random);
    if (info.kinked && std::abs(x - y) < 1e-1) continue;
    const long double h = 1e-4L;
    const auto at = [&](long double shift) { return partial(x + shift, static_cast<long double>(y)); };
    const auto truth = static_cast<double>((8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h));
    EXPECT_NEAR(partial(D::variable(x), D(y)).tangent(), truth, 1e-11 * (1 + std::abs(truth)))
        << info.name << " at " << x << ", " << y;
  }
}

template <class Op>
void expect_unary() {
  const Op op;
  expect_second(Op::info, Op::info.first, {0, 0},
                [&](const auto& x, const auto&) { return op.partial(x, evaluate(op, x)); });
}
template <class Op>
void expect_binary() {
  const Op op;
  expect_second(Op::info, Op::info.first, Op::info.second,
                [&](const auto& a, const auto& b) { return op.left(a, b, evaluate(op, a, b)); });
  expect_second(Op::info, Op::info.second, Op::info.first,
                [&](const auto& b, const auto& a) { return op.right(a, b, evaluate(op, a, b)); });
}
template <class... Ops>
void expect_all_unary(OpList<Ops...>) {
  (expect_unary<Ops>(), ...);
}
template <class... Ops>
void expect_all_binary(OpList<Ops...>) {
  (expect_binary<Ops>(), ...);
}

TEST(SecondDerivative, of_every_unary_op_is_that_of_its_rule) {
  expect_all_unary(UnaryOps{});
}
TEST(SecondDerivative, of_every_binary_op_is_that_of_its_rule) {
  expect_all_binary(BinaryOps{});
}
TEST(SecondDerivative, of_softplus_is_right_where_its_rule_changes_sides) {
  EXPECT_DOUBLE_EQ(ops::Softplus{}.partial(D::variable(0.0), D(0.0)).tangent(), 0.25);
}

}  // namespace
}  // namespace tare::ad
