// The active type as ordinary code meets it: arithmetic, constants, comparisons, containers, templates.
#include "ad/scalar/real.hpp"

#include <algorithm>
#include <complex>
#include <gtest/gtest.h>
#include <numeric>
#include <thread>
#include <type_traits>
#include <vector>

#include "ad/scalar/functions.hpp"
#include "ad/scalar/recorder.hpp"

namespace tare::ad {
namespace {

using R = Real<double>;

static_assert(std::is_trivially_copyable_v<R> && sizeof(R) == 16);

TEST(Real, is_a_plain_number_without_a_recorder) {
  R x = 2.0;
  R y = x * x + sin(x);
  EXPECT_FALSE(y.active());
  EXPECT_DOUBLE_EQ(y.value(), 4 + std::sin(2.0));
  y += 1;
  y /= 2.0f;
  EXPECT_DOUBLE_EQ(static_cast<double>(y), (5 + std::sin(2.0)) / 2);
  EXPECT_EQ(static_cast<int>(R(3.7)), 3);
}

TEST(Real, mixes_with_numbers_of_every_kind) {
  Recorder<double> tape;
  const auto scope = tape.record();
  const R x = tape.input(3.0);
  const R y = 2 * x + x / 4.0f - 1L + pow(x, 2) + pow(x, 0.5) + pow(2.0, x) + max(x, 1) + atan2(1.0, x);
  tape.backward(y);
  EXPECT_DOUBLE_EQ(y.value(), 6 + .75 - 1 + 9 + std::sqrt(3.0) + 8 + 3 + std::atan2(1.0, 3.0));
  EXPECT_DOUBLE_EQ(tape.gradient(x), 2 + .25 + 6 + .5 / std::sqrt(3.0) + 8 * std::log(2.0) + 1 - 1 / 10.0);
}

TEST(Real, compares_by_value) {
  const R a = 1.0;
  const R b = 2.0;
  EXPECT_TRUE(a < b && b > a && a <= b && b >= a && a != b && a == 1.0 && 1 == a && a + b == 3.0 &&
              a * b < 3);
  EXPECT_EQ(std::max(a, b).value(), 2.0);
  EXPECT_TRUE(isfinite(a) && !isnan(a + b) && isinf(b / 0.0) && signbit(-a));
}

TEST(Real, works_in_containers_and_algorithms) {
  Recorder<double> tape;
  const auto scope = tape.record();
  std::vector<R> x;
  for (int i = 5; i > 0; --i) x.push_back(tape.input(i));
  std::vector<R> sorted = x;
  std::sort(sorted.begin(), sorted.end());
  EXPECT_EQ(sorted.front().value(), 1.0);
  const R y = std::inner_product(sorted.begin(), sorted.end(), x.begin(), R(0.0));
  tape.backward(y);
  EXPECT_EQ(tape.gradient(x[0]), 2 * 1.0);
  EXPECT_EQ(tape.gradient(x[4]), 2 * 5.0);
}

TEST(Real, keeps_an_expression_in_auto_safely) {
  Recorder<double> tape;
  const auto scope = tape.record();
  const auto make = [&](const R& x) { return sin(x * 2.0) * (x + 1.0); };
  const R x = tape.input(0.7);
  const auto expression = make(x);
  const R y = expression + expression;
  tape.backward(y);
  EXPECT_DOUBLE_EQ(tape.gradient(x), 2 * (2 * std::cos(1.4) * 1.7 + std::sin(1.4)));
}

TEST(Real, steps_and_moves_in_place) {
  Recorder<double> tape;
  const auto scope = tape.record();
  const R x = tape.input(2.0);
  R y = x;
  ++y;
  y++;
  --y;
  y *= y;
  y -= x;
  y = -y;
  y = +y;
  tape.backward(y);
  EXPECT_EQ(y.value(), -7.0);
  EXPECT_EQ(tape.gradient(x), -5.0);
}

TEST(Real, has_constant_steps) {
  Recorder<double> tape;
  const auto scope = tape.record();
  const R x = tape.input(2.6);
  EXPECT_FALSE(floor(x).active());
  EXPECT_EQ(round(x * 2.0).value(), 5.0);
  const R y = straight_through_round(x) * 3.0 + stop_gradient(x) * x;
  tape.backward(y);
  EXPECT_DOUBLE_EQ(y.value(), 9.0 + 2.6 * 2.6);
  EXPECT_DOUBLE_EQ(tape.gradient(x), 3.0 + 2.6);
}

TEST(Real, works_in_single_precision) {
  Recorder<float> tape;
  const auto scope = tape.record();
  const Real<float> x = tape.input(2.0f);
  const Real<float> y = x * x * 0.5 + exp(x);
  tape.backward(y);
  EXPECT_FLOAT_EQ(tape.gradient(x), 2.0f + std::exp(2.0f));
  EXPECT_EQ(tape.stats().bytes, 3 * 8U);
}

template <class T>
T newton_root(T a) {
  using std::abs;
  T x = a;
  for (int i = 0; i < 60; ++i) {
    const T next = 0.5 * (x + a / x);
    if (abs(next - x) < 1e-15 * abs(x)) break;
    x = next;
  }
  return x;
}

TEST(Real, differentiates_a_loop_with_branches) {
  Recorder<double> tape;
  const auto scope = tape.record();
  const R a = tape.input(7.0);
  const R root = newton_root(a);
  tape.backward(root);
  EXPECT_NEAR(tape.gradient(a), 0.5 / std::sqrt(7.0), 1e-14);
}

TEST(Real, records_on_many_threads_at_once) {
  std::vector<double> results(8);
  std::vector<std::thread> threads;
  for (std::size_t k = 0; k < results.size(); ++k) {
    threads.emplace_back([k, &results] {
      Recorder<double> tape;
      for (int round = 0; round < 50; ++round) {
        const auto scope = tape.record();
        const R x = tape.input(1.0 + static_cast<double>(k));
        R y = 0.0;
        for (int i = 0; i < 200; ++i) y += x * static_cast<double>(i);
        tape.backward(y);
        results[k] = tape.gradient(x);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const double result : results) EXPECT_EQ(result, 199 * 200 / 2.0);
}

TEST(Functions, reduce_in_one_statement) {
  Recorder<double> tape;
  const auto scope = tape.record();
  std::vector<R> x(4);
  tape.inputs(std::vector<double>{1, 2, 3, 4}, x);
  x[3] = 4.0;  // a constant among them
  const R a = logsumexp(std::span<const R>(x));
  const R b = dot(std::span<const R>(x), std::vector<double>{5, 6, 7, 8});
  EXPECT_EQ(tape.stats().statements, 2U);
  EXPECT_EQ(tape.stats().entries, 6U);
  const double half[] = {0.25};
  const R c = custom(2 * b.value(), std::span(&b, 1), half);
  const R y = a + c;
  tape.backward(y);
  double total = 0;
  for (int i = 1; i <= 4; ++i) total += std::exp(i);
  EXPECT_NEAR(tape.gradient(x[1]), std::exp(2.0) / total + 0.25 * 6, 1e-15);
}

}  // namespace
}  // namespace tare::ad
