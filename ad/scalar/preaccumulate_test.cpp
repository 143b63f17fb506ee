#include "ad/scalar/preaccumulate.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <vector>

namespace tare::ad {
namespace {

using R = Real<double>;

/// Many statements between three inputs and two outputs.
void long_body(const R& a, const R& b, const R& c, R& y, R& z) {
  R t = a * b;
  for (int i = 0; i < 50; ++i) t = sin(t) + c * t;
  y = t * a;
  z = exp(-t) + b;
}

TEST(Preaccumulate, keeps_the_derivatives_and_shrinks_the_recording) {
  double plain[3];
  double short_[3];
  std::size_t entries[2];
  for (const bool shrink : {false, true}) {
    Recorder<double> tape;
    const auto scope = tape.record();
    const R a = tape.input(0.7);
    const R b = tape.input(1.2);
    const R c = tape.input(0.3);
    const R before = a * c;
    R y;
    R z;
    if (shrink) {
      R* const outputs[] = {&y, &z};
      EXPECT_TRUE(preaccumulate<double>([&] { long_body(a, b, before, y, z); }, outputs));
    } else {
      long_body(a, b, before, y, z);
    }
    const R result = y * z + before;
    entries[shrink] = tape.stats().entries;
    tape.backward(result);
    double* const into = shrink ? short_ : plain;
    into[0] = tape.gradient(a);
    into[1] = tape.gradient(b);
    into[2] = tape.gradient(c);
  }
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(short_[i], plain[i], 1e-13 * (1 + std::abs(plain[i])));
  EXPECT_EQ(entries[1], 2U + 3U + 3U + 3U) << "before, two rows of three, the result";
  EXPECT_GT(entries[0], 100U);
}

TEST(Preaccumulate, continues_a_sum_begun_outside) {
  Recorder<double> tape;
  const auto scope = tape.record();
  std::vector<R> x(20);
  tape.inputs(std::vector<double>(20, 0.5), x);
  R sum = x[0] * 2.0;
  EXPECT_TRUE(preaccumulate<double>(
      [&] {
        for (int round = 0; round < 3; ++round) {
          for (int i = 0; i < 4; ++i) sum += x[static_cast<std::size_t>(i)] * 3.0;
        }
      },
      sum));
  EXPECT_EQ(tape.stats().statements, 2U);
  tape.backward(sum);
  EXPECT_EQ(tape.gradient(x[0]), 11.0);
  EXPECT_EQ(tape.gradient(x[3]), 9.0);
  EXPECT_EQ(tape.gradient(x[4]), 0.0);
}

TEST(Preaccumulate, leaves_alone_what_would_grow) {
  Recorder<double> tape;
  const auto scope = tape.record();
  const R a = tape.input(2.0);
  R y;
  EXPECT_FALSE(preaccumulate<double>([&] { y = a * 3.0; }, y));
  tape.backward(y);
  EXPECT_EQ(tape.gradient(a), 3.0);
}

TEST(Preaccumulate, is_plain_code_without_a_recorder_or_active_values) {
  R y;
  EXPECT_FALSE(preaccumulate<double>([&] { y = R(2.0) * 3.0; }, y));
  EXPECT_EQ(y.value(), 6.0);
  Recorder<double> tape;
  const auto scope = tape.record();
  EXPECT_FALSE(preaccumulate<double>([&] { y = R(2.0) * 4.0; }, y));
  EXPECT_FALSE(y.active());
}

TEST(Preaccumulate, refuses_inputs_registered_inside) {
  Recorder<double> tape;
  const auto scope = tape.record();
  R y;
  EXPECT_THROW(preaccumulate<double>([&] { y = tape.input(1.0) * 2.0; }, y), AdError);
}

TEST(Preaccumulate, works_again_and_again_and_nested) {
  Recorder<double> tape;
  const auto scope = tape.record();
  const R x = tape.input(0.9);
  R y = x * x;
  double value = 0.81;
  double slope = 1.8;
  for (int i = 0; i < 30; ++i) {
    preaccumulate<double>(
        [&] {
          for (int k = 0; k < 5; ++k) {
            preaccumulate<double>(
                [&] {
                  y = sin(y);
                  y = y * x;
                  y = y + 0.5 * y;
                },
                y);
          }
        },
        y);
    for (int k = 0; k < 5; ++k) {
      slope = 1.5 * (std::cos(value) * slope * 0.9 + std::sin(value));
      value = 1.5 * std::sin(value) * 0.9;
    }
  }
  EXPECT_EQ(tape.stats().statements, 31U);
  tape.backward(y);
  EXPECT_NEAR(y.value(), value, 1e-13);
  EXPECT_NEAR(tape.gradient(x), slope, 1e-12 * std::abs(slope));
}

}  // namespace
}  // namespace tare::ad
