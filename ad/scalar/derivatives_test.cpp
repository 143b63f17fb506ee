#include "ad/scalar/derivatives.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <vector>

namespace tare::ad {
namespace {

/// Rosenbrock's valley in n dimensions: gradient and Hessian known in closed form.
const auto rosenbrock = [](auto x) {
  using T = std::remove_cvref_t<decltype(x[0])>;
  T sum = 0.0;
  for (std::size_t i = 0; i + 1 < x.size(); ++i) {
    const T step = x[i + 1] - x[i] * x[i];
    sum += 100.0 * step * step + (1.0 - x[i]) * (1.0 - x[i]);
  }
  return sum;
};
std::vector<double> rosenbrock_gradient(const std::vector<double>& x) {
  std::vector<double> g(x.size());
  for (std::size_t i = 0; i + 1 < x.size(); ++i) {
    g[i] += -400 * x[i] * (x[i + 1] - x[i] * x[i]) - 2 * (1 - x[i]);
    g[i + 1] += 200 * (x[i + 1] - x[i] * x[i]);
  }
  return g;
}
double rosenbrock_second(const std::vector<double>& x, std::size_t i, std::size_t j) {
  if (i > j) return rosenbrock_second(x, j, i);
  double h = 0;
  if (i == j) {
    if (i + 1 < x.size()) h += 1200 * x[i] * x[i] - 400 * x[i + 1] + 2;
    if (i > 0) h += 200;
  } else if (j == i + 1) {
    h = -400 * x[i];
  }
  return h;
}
std::vector<double> point(std::size_t n) {
  std::vector<double> x(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = 0.5 + 0.1 * std::sin(3.0 * static_cast<double>(i));
  return x;
}

TEST(Gradient, is_that_of_rosenbrock) {
  const auto x = point(17);
  const auto expected = rosenbrock_gradient(x);
  const auto got = gradient<double>(rosenbrock, x);
  for (std::size_t i = 0; i < x.size(); ++i)
    EXPECT_NEAR(got[i], expected[i], 1e-12 * (1 + std::abs(expected[i])));
}

TEST(Gradient, of_a_constant_function_is_zero) {
  EXPECT_EQ(gradient<double>([](auto) { return Real<double>(3.0); }, point(2)), (std::vector<double>{0, 0}));
}

TEST(Hessian, is_that_of_rosenbrock) {
  const auto x = point(11);
  const auto h = hessian<double>(rosenbrock, x);
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (std::size_t j = 0; j < x.size(); ++j) {
      EXPECT_NEAR(h(i, j), rosenbrock_second(x, i, j), 1e-11 * (1 + std::abs(h(i, j)))) << i << ',' << j;
    }
  }
}

TEST(Hessian, times_a_vector_equals_the_matrix_product) {
  const auto x = point(9);
  std::vector<double> v(x.size());
  for (std::size_t i = 0; i < v.size(); ++i) v[i] = std::cos(static_cast<double>(i));
  const auto product = hessian_vector<double>(rosenbrock, x, v);
  for (std::size_t i = 0; i < x.size(); ++i) {
    double expected = 0;
    for (std::size_t j = 0; j < x.size(); ++j) expected += rosenbrock_second(x, i, j) * v[j];
    EXPECT_NEAR(product[i], expected, 1e-11 * (1 + std::abs(expected)));
  }
}

TEST(Hessian, goes_through_every_kind_of_op) {
  const auto f = [](auto x) {
    using T = std::remove_cvref_t<decltype(x[0])>;
    const T y = pow(x[0], x[1]) + sigmoid(x[0] * x[1]) * tanh(x[1]) + log(1.0 + x[0] * x[0]) / x[1] +
                pow(x[0], 3) + hypot(x[0], x[1]) + softplus(x[1] - x[0]);
    return y;
  };
  const std::vector<double> x{1.3, 0.7};
  const auto h = hessian<double>(f, x);
  const double step = 1e-5;
  for (std::size_t j = 0; j < 2; ++j) {
    auto up = x;
    auto down = x;
    up[j] += step;
    down[j] -= step;
    const auto g_up = gradient<double>(f, up);
    const auto g_down = gradient<double>(f, down);
    for (std::size_t i = 0; i < 2; ++i) EXPECT_NEAR(h(i, j), (g_up[i] - g_down[i]) / (2 * step), 1e-7);
  }
  EXPECT_NEAR(h(0, 1), h(1, 0), 1e-13);
}

/// m outputs of n inputs with a full Jacobian known in closed form.
struct Waves {
  std::size_t m;
  template <class T>
  void operator()(std::span<const T> x, std::span<T> y) const {
    using std::sin;
    for (std::size_t i = 0; i < m; ++i) {
      T sum = 0.0;
      for (std::size_t j = 0; j < x.size(); ++j) sum += sin(x[j] * static_cast<double>(i + 1));
      y[i] = sum * x[0];
    }
  }
};

class Jacobian : public testing::TestWithParam<std::tuple<std::size_t, std::size_t, JacobianMode>> {};

TEST_P(Jacobian, is_exact_in_every_mode_and_shape) {
  const auto [n, m, mode] = GetParam();
  const auto x = point(n);
  const auto jac = jacobian<double>(Waves{m}, x, m, mode);
  ASSERT_EQ(jac.rows, m);
  ASSERT_EQ(jac.columns, n);
  for (std::size_t i = 0; i < m; ++i) {
    const auto k = static_cast<double>(i + 1);
    double sum = 0;
    for (const double v : x) sum += std::sin(k * v);
    for (std::size_t j = 0; j < n; ++j) {
      const double expected = k * std::cos(k * x[j]) * x[0] + (j == 0 ? sum : 0);
      EXPECT_NEAR(jac(i, j), expected, 1e-12 * (1 + std::abs(expected)));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, Jacobian,
    testing::Combine(testing::Values<std::size_t>(1, 3, 8, 19), testing::Values<std::size_t>(1, 5, 8, 17),
                     testing::Values(JacobianMode::automatic, JacobianMode::forward, JacobianMode::reverse)));

TEST(Dual, nests_for_higher_derivatives) {
  using D2 = Dual<Dual<double>>;
  const D2 x(Dual<double>::variable(0.8), {Dual<double>(1.0)});
  const D2 y = exp(x * x);
  const double e = std::exp(0.64);
  EXPECT_NEAR(y.tangent().value(), 1.6 * e, 1e-14);
  EXPECT_NEAR(y.tangent().tangent(), (2 + 4 * 0.64) * e, 1e-13);
}

TEST(Dual, keeps_zero_tangents_zero_at_singular_points) {
  using D = Dual<double, 2>;
  const D x = sqrt(D(0.0));
  EXPECT_EQ(x.tangent(0), 0.0);
  const D p = pow(D::variable(-2.0, 1), 3.0);
  EXPECT_EQ(p.tangent(0), 0.0);
  EXPECT_DOUBLE_EQ(p.tangent(1), 12.0);
}

TEST(Dual, behaves_as_a_number) {
  using D = Dual<double>;
  D x = 3;
  x += 1;
  x *= 2.0;
  x -= D(1);
  x /= 7;
  EXPECT_EQ(x.value(), 1.0);
  EXPECT_TRUE(x == 1.0 && x < 2 && 0.5 < x && x != 2.0 && isfinite(x) && floor(D(1.5)) == 1);
  const D terms[] = {D::variable(1.0), D(1.0)};
  EXPECT_NEAR(logsumexp(std::span<const D>(terms)).tangent(), 0.5, 1e-16);
}

}  // namespace
}  // namespace tare::ad
