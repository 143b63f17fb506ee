#include "ad/scalar/sparse.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <vector>

namespace tare::ad {
namespace {

std::vector<double> point(std::size_t n) {
  std::vector<double> x(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = 0.5 + 0.3 * std::sin(2.0 * static_cast<double>(i));
  return x;
}

/// Each output depends on three neighbours.
struct Band {
  template <class T>
  void operator()(std::span<const T> x, std::span<T> y) const {
    using std::sin;
    for (std::size_t i = 0; i < y.size(); ++i) {
      const T left = i > 0 ? x[i - 1] : T(0.0);
      const T right = i + 1 < x.size() ? x[i + 1] : T(0.0);
      y[i] = sin(x[i]) * left + right * right;
    }
  }
};
/// Every output depends on x₀ and its own input: cheap by columns only.
struct Arrow {
  template <class T>
  void operator()(std::span<const T> x, std::span<T> y) const {
    for (std::size_t i = 0; i < y.size(); ++i) y[i] = x[0] * x[i] * x[i];
  }
};
/// One output depends on everything, the rest on one input each: cheap by rows only.
struct Comb {
  template <class T>
  void operator()(std::span<const T> x, std::span<T> y) const {
    T sum = 0.0;
    for (std::size_t i = 0; i < y.size(); ++i) {
      y[i] = x[i] * x[i];
      sum += y[i];
    }
    y[0] = sum;
  }
};

template <class F>
void expect_dense(F f, std::size_t n, std::size_t colours) {
  const auto x = point(n);
  const auto dense = jacobian<double>(f, x, n);
  for (const JacobianMode mode : {JacobianMode::automatic, JacobianMode::forward, JacobianMode::reverse}) {
    const auto sparse = sparse_jacobian(f, x, n, mode);
    if (mode == JacobianMode::automatic) {
      EXPECT_EQ(sparse.colours, colours);
    }
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) EXPECT_NEAR(sparse(i, j), dense(i, j), 1e-14) << i << ',' << j;
    }
  }
}

TEST(SparseJacobian, of_a_band_takes_three_directions) {
  expect_dense(Band{}, 40, 3);
}
TEST(SparseJacobian, of_an_arrow_takes_two_directions_by_columns) {
  expect_dense(Arrow{}, 25, 2);
}
TEST(SparseJacobian, of_a_comb_takes_two_directions_by_rows) {
  expect_dense(Comb{}, 25, 2);
}
TEST(SparseJacobian, takes_more_directions_than_one_sweep_carries) {
  expect_dense(
      []<class T>(std::span<const T> x, std::span<T> y) {
        for (std::size_t i = 0; i < y.size(); ++i) {
          T sum = 0.0;
          for (std::size_t k = 0; k < 11 && i + k < x.size(); ++k) sum += x[i + k] * x[i];
          y[i] = sum;
        }
      },
      30, 11);
}

const auto chain = [](auto x) {
  using std::exp;
  using T = std::remove_cvref_t<decltype(x[0])>;
  T sum = 0.0;
  for (std::size_t i = 0; i + 1 < x.size(); ++i) sum += exp(x[i]) * x[i + 1] + 3.0 * x[i];
  return sum;
};

TEST(SparseHessian, of_a_chain_is_a_band) {
  const auto x = point(30);
  const auto dense = hessian<double>(chain, x);
  const auto sparse = sparse_hessian(chain, x);
  EXPECT_LE(sparse.colours, 3U);
  EXPECT_EQ(sparse.values.size(), 29U + 2 * 29U) << "the last input enters linearly";
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (std::size_t j = 0; j < x.size(); ++j) EXPECT_NEAR(sparse(i, j), dense(i, j), 1e-13) << i << ',' << j;
  }
}

TEST(SparseHessian, of_a_linear_function_is_empty) {
  const auto h = sparse_hessian(
      [](auto x) {
        using T = std::remove_cvref_t<decltype(x[0])>;
        const T y = 3.0 * x[0] - x[1] / 2.0;
        return y;
      },
      point(2));
  // Multiplying by a constant couples nothing.
  EXPECT_EQ(h.values.size(), 0U);
  EXPECT_EQ(h(0, 1), 0.0);
}

TEST(Pattern, colours_no_two_columns_of_a_row_alike) {
  const Pattern pattern = jacobian_pattern(Band{}, point(20), 20);
  const auto colour = colour_columns(pattern);
  for (const auto& row : pattern.rows) {
    for (const auto a : row) {
      for (const auto b : row) {
        if (a != b) {
          EXPECT_NE(colour[a], colour[b]);
        }
      }
    }
  }
  EXPECT_EQ(pattern.entries(), 20U + 19U + 19U);
}

}  // namespace
}  // namespace tare::ad
