// The contract of a recording, in exact counts: what a statement costs, what costs nothing, what sweeps give.
#include "ad/scalar/recorder.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <vector>

#include "ad/scalar/functions.hpp"

namespace tare::ad {
namespace {

using R = Real<double>;

class Recording : public testing::Test {
 protected:
  Recorder<double> tape;
  Recorder<double>::Scope scope = tape.record();

  [[nodiscard]] std::size_t statements() const { return tape.stats().statements; }
  [[nodiscard]] std::size_t entries() const { return tape.stats().entries; }
};

TEST_F(Recording, makes_one_statement_of_one_assignment) {
  const R x = tape.input(2.0);
  const R y = tape.input(3.0);
  const R z = x * y + sin(x) / (1.0 + y * y);
  EXPECT_EQ(statements(), 1U);
  EXPECT_EQ(entries(), 5U);
  EXPECT_EQ(tape.stats().bytes, 60U);
  EXPECT_EQ(tape.stats().inputs, 2U);
  tape.backward(z);
  EXPECT_NEAR(tape.gradient(x), 3 + std::cos(2.0) / 10, 1e-15);
  EXPECT_NEAR(tape.gradient(y), 2 - std::sin(2.0) * 6 / 100, 1e-15);
}

TEST_F(Recording, gives_inputs_copies_and_shifts_for_nothing) {
  const R x = tape.input(2.0);
  const R copy = x;
  const R shifted = 3.0 + (copy - 1.0);
  EXPECT_EQ(entries(), 0U);
  const R y = shifted * shifted;
  tape.backward(y);
  EXPECT_EQ(y.value(), 16.0);
  EXPECT_EQ(tape.gradient(x), 8.0);
}

TEST_F(Recording, leaves_constants_out) {
  const R x = tape.input(2.0);
  std::vector<R> c(50, R(1.5));
  R sum = 0.0;
  for (const R& each : c) sum += each * each;
  EXPECT_EQ(entries(), 0U);
  const R y = sum * x * c[3];
  EXPECT_EQ(statements(), 1U);
  EXPECT_EQ(entries(), 1U);
  tape.backward(y);
  EXPECT_DOUBLE_EQ(tape.gradient(x), 50 * 2.25 * 1.5);
}

TEST_F(Recording, spends_no_entry_on_the_running_sum) {
  std::vector<R> x(100);
  tape.inputs(std::vector<double>(100, 2.0), x);
  R sum = 0.0;
  for (const R& each : x) sum += each * each;
  EXPECT_EQ(statements(), 100U);
  EXPECT_EQ(entries(), 200U);
  R down = 0.0;
  for (const R& each : x) down = down - 3.0 * each;
  EXPECT_EQ(entries(), 300U);
  R right = 0.0;
  for (const R& each : x) right = 3.0 * each + right;
  EXPECT_EQ(entries(), 400U);
  const R y = sum + 2.0 * down + right;
  tape.backward(y);
  for (const R& each : x) EXPECT_EQ(tape.gradient(each), 4.0 - 6.0 + 3.0);
}

TEST_F(Recording, tells_a_sum_from_a_copy_of_it_taken_on_the_way) {
  const R x = tape.input(3.0);
  R sum = x * 2.0;
  const R before = sum;
  sum += x * x;
  const R y = before * 10.0 + sum;
  tape.backward(y);
  EXPECT_EQ(tape.gradient(x), 20.0 + 2.0 + 6.0);
}

TEST_F(Recording, adds_a_sum_to_itself) {
  const R x = tape.input(3.0);
  R y = x * 1.0;
  y += y;
  y = y + y + y;
  y = y - y + y * y;
  tape.backward(y);
  EXPECT_EQ(y.value(), 324.0);
  EXPECT_EQ(tape.gradient(x), 2 * 6 * 6 * 3.0);
}

TEST_F(Recording, keeps_the_index_of_a_sum_that_only_constants_joined) {
  const R x = tape.input(3.0);
  const R c = 5.0;
  R y = x * 2.0;
  y += c;
  y = c + y;
  EXPECT_EQ(entries(), 1U);
  y *= y;
  tape.backward(y);
  EXPECT_EQ(tape.gradient(x), 2 * 16 * 2.0);
}

TEST_F(Recording, takes_inputs_between_statements) {
  const R x = tape.input(2.0);
  R y = x * x;
  const R late = tape.input(5.0);
  y = y * late;
  EXPECT_EQ(tape.stats().inputs, 2U);
  EXPECT_EQ(statements(), 2U);
  tape.backward(y);
  EXPECT_EQ(tape.gradient(x), 20.0);
  EXPECT_EQ(tape.gradient(late), 4.0);
}

TEST_F(Recording, chains_nothing_onto_an_input) {
  R x = tape.input(2.0);
  const R y = x + x * x;  // x is the newest value, and an input
  tape.backward(y);
  EXPECT_EQ(tape.gradient(x), 5.0);
}

TEST_F(Recording, gives_gradients_of_watched_values) {
  const R x = tape.input(2.0);
  R y = x + 1.0;
  tape.watch(y);
  const R z = x * y;
  tape.backward(z);
  EXPECT_EQ(tape.gradient(y), 2.0);
  EXPECT_EQ(tape.gradient(x), 5.0);
}

TEST_F(Recording, sweeps_again_when_retained) {
  const R x = tape.input(2.0);
  const R y = x * x;
  const R z = y * x;
  tape.backward(z, Retain::yes);
  EXPECT_EQ(tape.gradient(x), 12.0);
  tape.backward(y, Retain::yes);
  EXPECT_EQ(tape.gradient(x), 4.0);
  const R ys[] = {y, z, R(1.0)};
  const double seeds[] = {10.0, 1.0, 99.0};
  tape.backward(ys, seeds);
  EXPECT_EQ(tape.gradient(x), 52.0);
}

TEST_F(Recording, sweeps_several_adjoints_at_once) {
  std::vector<R> x(3);
  tape.inputs(std::vector<double>{1, 2, 3}, x);
  const R ys[] = {x[0] * x[1], exp(x[2]), x[0] + x[1] * x[2], R(4.0)};
  tape.backward_lanes<4>(ys);
  EXPECT_EQ(tape.gradient_lanes<4>(x[0]).lane, (std::array<double, 4>{2, 0, 1, 0}));
  EXPECT_EQ(tape.gradient_lanes<4>(x[1]).lane, (std::array<double, 4>{1, 0, 3, 0}));
  EXPECT_EQ(tape.gradient_lanes<4>(x[2]).lane, (std::array<double, 4>{0, std::exp(3.0), 2, 0}));
}

TEST_F(Recording, ignores_statements_after_the_result_and_unused_infinities) {
  const R x = tape.input(0.0);
  const R unused = sqrt(x);
  const R y = exp(x);
  const R after = sqrt(x) + unused;
  (void)after;
  tape.backward(y);
  EXPECT_EQ(tape.gradient(x), 1.0);
}

TEST(Recorder, pauses_and_resumes) {
  Recorder<double> tape;
  R x;
  R y;
  {
    const auto scope = tape.record();
    x = tape.input(2.0);
    y = x * x;
  }
  R passive = x * 1.0;
  EXPECT_FALSE(passive.active()) << "nothing is recorded outside the scope";
  {
    const auto scope = tape.resume();
    y = y * x;
  }
  tape.backward(y);
  EXPECT_EQ(tape.gradient(x), 12.0);
}

TEST(Recorder, records_the_same_again_and_again) {
  Recorder<double> tape;
  for (int round = 0; round < 1000; ++round) {
    const auto scope = tape.record();
    const R x = tape.input(2.0);
    R y = x;
    for (int i = 0; i < 10; ++i) y = y * x + 1.0;
    tape.backward(y);
    ASSERT_EQ(tape.stats().statements, 10U);
    ASSERT_EQ(tape.stats().bytes, 20 * 12U);
  }
}

TEST(Recorder, grows_linearly_to_a_million_statements) {
  Recorder<double> tape;
  for (const std::size_t n : {10U, 1000U, 1'000'000U}) {
    const auto scope = tape.record();
    const R x = tape.input(0.999);
    R y = 0.0;
    for (std::size_t i = 0; i < n; ++i) y = y * x + 1.0;
    tape.backward(y);
    EXPECT_EQ(tape.stats().statements, n);
    EXPECT_EQ(tape.stats().bytes, (2 * n - 1) * 12) << "the first step has a constant factor";
    const double q = 0.999;
    const double k = static_cast<double>(n) - 1;
    const double expected = (1 - (k + 1) * std::pow(q, k) + k * std::pow(q, k + 1)) / ((1 - q) * (1 - q));
    EXPECT_NEAR(tape.gradient(x) / expected, 1.0, 1e-8);
  }
}

}  // namespace
}  // namespace tare::ad
