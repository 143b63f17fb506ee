// The hand-written adjoints are the reference for every engine, so they are held against differences of the
// same function in extended precision, at every size up to a few hundred inputs and along directions beyond.
#include <algorithm>
#include <complex>
#include <gtest/gtest.h>

#include "workloads/all.hpp"
#include "workloads/counted.hpp"

namespace tare::workloads {

template <>
struct Plain<std::complex<double>> {
  static double of(const std::complex<double>& x) { return x.real(); }
};

namespace {

template <class W>
long double exact_value(const W& w, const std::vector<long double>& x) {
  std::vector<long double> scratch(w.scratch());
  return w.template value<long double>(x.data(), scratch.data());
}

template <class W>
std::vector<double> adjoint(const W& w, const std::vector<double>& x, double* value = nullptr) {
  std::vector<double> g(w.inputs(), -7.0);  // whatever was there before must not matter
  std::vector<double> scratch(w.adjoint_scratch(), 1e9);
  const double y = w.gradient(x.data(), g.data(), scratch.data());
  if (value != nullptr) *value = y;
  return g;
}

/// Complex steps have no cancellation: exact to rounding.
template <class W>
double complex_step(const W& w, const std::vector<double>& x, const std::vector<double>& direction) {
  using Complex = std::complex<double>;
  std::vector<Complex> z;
  for (std::size_t i = 0; i < x.size(); ++i) z.emplace_back(x[i], 1e-100 * direction[i]);
  std::vector<Complex> scratch(w.scratch());
  return w.template value<Complex>(z.data(), scratch.data()).imag() / 1e-100;
}

template <class W>
class EveryWorkload : public testing::Test {};

template <class>
struct Types;
template <class... W>
struct Types<List<W...>> {
  using type = testing::Types<W...>;
};
TYPED_TEST_SUITE(EveryWorkload, Types<All>::type, );

TYPED_TEST(EveryWorkload, hand_written_adjoint_is_the_derivative_in_every_input) {
  const TypeParam w(TypeParam::sizes[0] > 50 ? 7 : TypeParam::sizes[0], 3);
  const auto x = w.point(11);
  const auto g = adjoint(w, x);
  const std::size_t step = std::max<std::size_t>(1, x.size() / 300);
  for (std::size_t i = 0; i < x.size(); i += step) {
    std::vector<double> direction(x.size(), 0.0);
    direction[i] = 1;
    const double want = complex_step(w, x, direction);
    EXPECT_NEAR(g[i], want, 1e-11 * std::max(1.0, std::abs(want))) << "input " << i;
  }
}

TYPED_TEST(EveryWorkload, adjoint_holds_along_a_direction_at_larger_sizes) {
  for (const std::size_t n : TypeParam::sizes) {
    if (n > 10'000) continue;
    const TypeParam w(n, 5);
    const auto x = w.point(12);
    const auto direction = Random(13).uniforms(x.size(), -1, 1);
    double value = 0;
    const auto g = adjoint(w, x, &value);
    double along = 0;
    double size = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      along += g[i] * direction[i];
      size += std::abs(g[i] * direction[i]);
    }
    EXPECT_NEAR(along, complex_step(w, x, direction), 1e-11 * size) << "n = " << n;
    const std::vector<long double> wide(x.begin(), x.end());
    EXPECT_NEAR(value, static_cast<double>(exact_value(w, wide)), 1e-10 * std::max(1.0, std::abs(value)));
  }
}

TYPED_TEST(EveryWorkload, stays_among_ordinary_numbers_at_every_size) {
  for (const std::size_t n : TypeParam::sizes) {
    const TypeParam w(n, 5);
    const auto x = w.point(12);
    double value = 0;
    const auto g = adjoint(w, x, &value);
    EXPECT_TRUE(std::isnormal(value)) << "n = " << n;
    const double largest = std::abs(
        *std::max_element(g.begin(), g.end(), [](double a, double b) { return std::abs(a) < std::abs(b); }));
    EXPECT_GT(largest, 1e-8);
    EXPECT_LT(largest, 1e15);
  }
}

TYPED_TEST(EveryWorkload, blocks_cover_the_inputs) {
  const TypeParam w(TypeParam::sizes[0], 3);
  std::size_t next = 0;
  for (const auto& block : w.blocks()) {
    EXPECT_EQ(block.begin, next);
    next += block.size;
  }
  EXPECT_EQ(next, w.inputs());
  EXPECT_EQ(w.point(1).size(), w.inputs());
}

TYPED_TEST(EveryWorkload, a_point_is_decided_by_its_seed) {
  const TypeParam w(TypeParam::sizes[0], 3);
  EXPECT_EQ(w.point(1), w.point(1));
  EXPECT_NE(w.point(1), w.point(2));
}

TEST(OperationsOfAWorkload, are_those_that_depend_on_an_input) {
  const Expression expression(1, 1);
  EXPECT_EQ(operations_of(expression, expression.point(1)), 3u);
  const Polynomial polynomial(100, 1);
  EXPECT_EQ(operations_of(polynomial, polynomial.point(1)), 200u);
  const Constants constants(10, 1);
  EXPECT_EQ(operations_of(constants, constants.point(1)), 20u);
  const Variables variables(10, 1);
  EXPECT_EQ(operations_of(variables, variables.point(1)), 230u);
}

TEST(OdeWorkload, approaches_the_product_that_solves_it) {
  const auto ode = Ode::with(4, 50);
  const std::vector<double> x{1.1, 0.9, 1.3, 0.7};
  std::vector<double> scratch(ode.scratch());
  double want = 1;
  for (std::size_t i = 0; i < x.size(); ++i) want *= 2 * x[i] / static_cast<double>(i + 1);
  EXPECT_NEAR(ode.value(x.data(), scratch.data()), want, 1e-12);
}

TEST(GmmWorkload, of_one_standard_component_is_the_normal_density) {
  // One component at the origin with unit covariance; γ = 1, m = 0 leaves −½d of the prior and its constant.
  const std::vector<double> point{0.3, -0.4};
  const Gmm with(2, 1, point, 1, 0);
  const Gmm without(2, 1, {0.0, 0.0}, 1, 0);
  const std::vector<double> x(with.inputs(), 0.0);
  std::vector<double> scratch(with.scratch());
  EXPECT_NEAR(with.value(x.data(), scratch.data()) - without.value(x.data(), scratch.data()), -0.125, 1e-14);
}

}  // namespace
}  // namespace tare::workloads
