#include "ad/scalar/eigen.hpp"

#include <Eigen/Dense>
#include <gtest/gtest.h>

#include "ad/scalar/derivatives.hpp"

namespace tare::ad {
namespace {

using R = Real<double>;
using MatrixR = Eigen::Matrix<R, Eigen::Dynamic, Eigen::Dynamic>;
using VectorR = Eigen::Matrix<R, Eigen::Dynamic, 1>;

Eigen::MatrixXd well_conditioned(int n) {
  Eigen::MatrixXd a(n, n);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) a(i, j) = std::sin(1.0 + i * n + j) + (i == j ? n : 0);
  }
  return a;
}
MatrixR inputs(Recorder<double>& tape, const Eigen::MatrixXd& values) {
  return values.unaryExpr([&](double v) { return tape.input(v); });
}

TEST(Eigen, gives_the_inverse_as_the_gradient_of_a_log_determinant) {
  const int n = 5;
  const Eigen::MatrixXd values = well_conditioned(n);
  Recorder<double> tape;
  const auto scope = tape.record();
  const MatrixR a = inputs(tape, values);
  const R y = log(a.partialPivLu().determinant());
  tape.backward(y);
  const Eigen::MatrixXd inverse = values.inverse();
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) EXPECT_NEAR(tape.gradient(a(i, j)), inverse(j, i), 1e-13);
  }
}

TEST(Eigen, differentiates_products_norms_and_mixed_matrices) {
  const int n = 4;
  const Eigen::MatrixXd weights = well_conditioned(n);
  Recorder<double> tape;
  const auto scope = tape.record();
  VectorR x(n);
  for (int i = 0; i < n; ++i) x(i) = tape.input(0.5 + i);
  const VectorR product = weights * x;
  const R y = product.squaredNorm() + 2.0 * x.sum();
  tape.backward(y);
  Eigen::VectorXd plain(n);
  for (int i = 0; i < n; ++i) plain(i) = 0.5 + i;
  const Eigen::VectorXd expected =
      2 * weights.transpose() * weights * plain + Eigen::VectorXd::Constant(n, 2.0);
  for (int i = 0; i < n; ++i) EXPECT_NEAR(tape.gradient(x(i)), expected(i), 1e-11);
}

TEST(Eigen, differentiates_a_cholesky_solve) {
  const int n = 3;
  Recorder<double> tape;
  const auto scope = tape.record();
  const R shift = tape.input(2.0);
  MatrixR a = MatrixR::Identity(n, n) * shift;
  const VectorR b = VectorR::Constant(n, R(4.0));
  const VectorR x = a.llt().solve(b);
  const R y = x.sum();
  tape.backward(y);
  EXPECT_NEAR(y.value(), 6.0, 1e-14);
  EXPECT_NEAR(tape.gradient(shift), -3.0, 1e-14);
}

TEST(Eigen, carries_dual_numbers) {
  using D = Dual<double>;
  Eigen::Matrix<D, 2, 2> a;
  a << D::variable(2.0), D(1.0), D(1.0), D(3.0);
  EXPECT_NEAR(a.determinant().tangent(), 3.0, 1e-15);
  EXPECT_NEAR((a * a).trace().tangent(), 4.0, 1e-15);
}

}  // namespace
}  // namespace tare::ad
