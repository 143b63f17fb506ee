#include "ad/scalar/check.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <string>

#include "ad/scalar/functions.hpp"
#include "ad/scalar/tape.hpp"

namespace tare::ad {
namespace {

constexpr Checks derivatives{false, false, true};

TEST(CheckGradients, agrees_with_an_honest_function) {
  const double x[] = {0.5, 1.5, -0.3};
  const auto check = check_gradients(
      [](auto v) {
        using T = std::remove_cvref_t<decltype(v[0])>;
        using std::exp;
        using std::sin;
        const T y = sin(v[0]) * exp(v[1]) + v[2] * v[2];
        return y;
      },
      x);
  EXPECT_TRUE(check.agrees);
  EXPECT_LT(check.worst_error, 1e-9);
}

TEST(CheckGradients, names_the_worst_input_of_a_dishonest_one) {
  const double x[] = {0.5, 1.5};
  const auto check = check_gradients(
      []<class T>(std::span<const T> v) {
        if constexpr (std::is_same_v<T, double>) {
          return v[0] + v[1] * v[1];
        } else {
          const T y = v[0] + stop_gradient(v[1]) * v[1];
          return y;
        }
      },
      x);
  EXPECT_FALSE(check.agrees);
  EXPECT_EQ(check.worst_input, 1U);
  EXPECT_DOUBLE_EQ(check.gradient, 1.5);
  EXPECT_NEAR(check.difference, 3.0, 1e-9);
}

TEST(CheckDerivatives, names_the_custom_op_that_lies) {
  Tape t;
  t.set_check_derivatives(true);
  const Slot x = t.var(0.5);
  const auto cube = [](double v) { return v * v * v; };
  EXPECT_NO_THROW(t.custom("cube", x, cube, [](double v) { return 3 * v * v; }));
  try {
    t.custom("wrong_cube", x, cube, [](double v) { return 2 * v * v; });
    FAIL();
  } catch (const DerivativeError& error) {
    EXPECT_NE(std::string(error.what()).find("wrong_cube: its derivative at 0.5 is given as 0.5"),
              std::string::npos)
        << error.what();
  }
  EXPECT_THROW(t.custom(
                   "wrong_in_second", x, x, [](double a, double b) { return a * b; },
                   [](double, double b) { return b; }, [](double, double b) { return b + 1; }),
               DerivativeError);
  t.set_check_derivatives(false);
  EXPECT_NO_THROW(t.custom("unchecked", x, cube, [](double) { return 0.0; }));
}

TEST(CheckDerivatives, names_it_among_active_values_too) {
  Recorder<double> tape({}, derivatives);
  const auto scope = tape.record();
  const Real<double> x = tape.input(2.0);
  const auto square = [](double v) { return v * v; };
  const Real<double> y = custom("square", x, square, [](double v) { return 2 * v; });
  EXPECT_THROW(custom("bad_square", x, square, [](double v) { return v; }), DerivativeError);
  EXPECT_THROW(custom("nan_square", x, square, [](double) { return NAN; }), DerivativeError);
  tape.backward(y);
  EXPECT_EQ(tape.gradient(x), 4.0);
}

}  // namespace
}  // namespace tare::ad
