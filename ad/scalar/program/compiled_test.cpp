// What a compiled program promises besides the right numbers: guards, errors, custom ops, several outputs,
// threads, and code that grows with the recording and no faster.
#include "ad/scalar/program/compiled.hpp"

#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <thread>
#include <vector>

#include "ad/scalar/derivatives.hpp"
#include "ad/scalar/program/executable.hpp"
#include "ad/scalar/program/symbol.hpp"

namespace tare::ad {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

using Symbols = std::span<const Symbol>;

class Both : public testing::TestWithParam<bool> {
 protected:
  [[nodiscard]] static CompileOptions options() { return {.use_jit = GetParam()}; }
};
INSTANTIATE_TEST_SUITE_P(Executors, Both, testing::Bool(),
                         [](const auto& info) { return info.param ? "native" : "interpreted"; });

/// x0 below x1: their product; else their quotient.
Symbol branching(Symbols x) {
  Symbol y = x[0] * 2.0;
  if (x[0] < x[1]) {
    y *= x[1];
  } else {
    y /= x[1];
  }
  if (y > 100.0) y = sqrt(y);
  return y;
}

TEST_P(Both, a_replay_on_the_recorded_branch_is_answered) {
  const Compiled f = compile(record_program(std::vector{1.0, 2.0}, branching), options());
  std::vector<double> g(2);
  EXPECT_EQ(f.gradient(std::vector{1.5, 3.0}, g), 9);
  EXPECT_THAT(g, ElementsAre(6, 3));
}

TEST_P(Both, a_replay_on_another_branch_names_the_comparison_and_its_values) {
  const Compiled f = compile(record_program(std::vector{1.0, 2.0}, branching), options());
  std::vector<double> g(2);
  EXPECT_THAT([&] { static_cast<void>(f.value(std::vector{5.0, 2.5})); },
              ThrowsMessage<ReplayError>(testing::AllOf(HasSubstr("comparison 0 of 2"), HasSubstr("5 < 2.5"),
                                                        HasSubstr("after 1 recorded operations"))));
  EXPECT_THAT(
      [&] { f.gradient(std::vector{10.0, 20.0}, g); },
      ThrowsMessage<ReplayError>(testing::AllOf(HasSubstr("comparison 1 of 2"), HasSubstr("400 > 100"))));
}

TEST_P(Both, a_batch_tells_which_inputs_went_another_way_and_answers_the_others) {
  const Compiled f = compile(record_program(std::vector{1.0, 2.0}, branching), options());
  constexpr std::size_t count = 11;
  std::vector<double> x;
  for (std::size_t k = 0; k < count; ++k) {
    x.push_back(1);
    x.push_back(2);
  }
  x[2 * 3] = 5;
  x[2 * 10] = 10;
  x[2 * 10 + 1] = 20;
  std::vector<double> y(count);
  std::vector<double> g(2 * count);
  std::vector<std::int32_t> diverged(count);
  f.gradients(x, y, g, Layout::rows, diverged);
  for (std::size_t k = 0; k < count; ++k) {
    EXPECT_EQ(diverged[k], k == 3 ? 0 : k == 10 ? 1 : as_recorded) << k;
    EXPECT_EQ(std::isnan(y[k]), diverged[k] != as_recorded) << k;
    EXPECT_EQ(std::isnan(g[2 * k]), diverged[k] != as_recorded) << k;
    EXPECT_TRUE(diverged[k] != as_recorded || y[k] == 4) << k;
  }
  EXPECT_THAT([&] { f.gradients(x, y, g); }, ThrowsMessage<ReplayError>(HasSubstr("5 < 2")));
}

TEST_P(Both, every_kind_of_comparison_is_checked) {
  const double infinity = INFINITY;
  struct Case {
    std::function<bool(const Symbol&)> ask;
    double recorded;
    double same;
    double other;
  };
  const Case cases[] = {
      {[](const Symbol& x) { return x < 1.0; }, 0, 0.5, 1},
      {[](const Symbol& x) { return x <= 1.0; }, 0, 1, 2},
      {[](const Symbol& x) { return x > 1.0; }, 2, 3, 1},
      {[](const Symbol& x) { return x >= 1.0; }, 2, 1, NAN},
      {[](const Symbol& x) { return x == 1.0; }, 1, 1, 2},
      {[](const Symbol& x) { return x != 1.0; }, 2, NAN, 1},
      {[](const Symbol& x) { return isnan(x); }, 2, 1, NAN},
      {[](const Symbol& x) { return isinf(x); }, 2, NAN, -infinity},
      {[](const Symbol& x) { return isfinite(x); }, 2, 1, infinity},
      {[](const Symbol& x) { return signbit(x); }, 2, 0.0, -0.0},
      {[](const Symbol& x) { return !(x < 1.0); }, 2, NAN, 0},
  };
  for (const Case& each : cases) {
    const Compiled f = compile(record_program(std::vector{each.recorded},
                                              [&](Symbols x) { return x[0] * (each.ask(x[0]) ? 2.0 : 3.0); }),
                               options());
    EXPECT_NO_THROW(static_cast<void>(f.value(std::vector{each.same}))) << &each - cases;
    EXPECT_THROW(static_cast<void>(f.value(std::vector{each.other})), ReplayError) << &each - cases;
  }
}

TEST_P(Both, steps_are_computed_again_and_pass_no_derivative) {
  const auto f = [](Symbols x) {
    return floor(x[0]) + 10 * ceil(x[0]) + 100 * round(x[0]) + 1000 * trunc(x[0]) + 0.5 * x[0];
  };
  const Compiled c = compile(record_program(std::vector{0.3}, f), options());
  std::vector<double> g(1);
  EXPECT_EQ(c.gradient(std::vector{-2.5}, g), -3 - 20 - 300 - 2000 - 1.25);
  EXPECT_EQ(g[0], 0.5);
}

TEST_P(Both, stop_gradient_and_straight_through_round_do_what_they_say) {
  const auto f = [](Symbols x) { return stop_gradient(x[0]) * x[0] + straight_through_round(x[1]) * 3.0; };
  const Compiled c = compile(record_program(std::vector{0.3, 0.4}, f), options());
  std::vector<double> g(2);
  EXPECT_EQ(c.gradient(std::vector{5.0, 1.6}, g), 31);
  EXPECT_THAT(g, ElementsAre(5, 3));
}

TEST_P(Both, custom_ops_are_called_at_every_replay) {
  const auto f = [](Symbols x) {
    const Symbol cube =
        custom("cube", x[0], [](double v) { return v * v * v; }, [](double v) { return 3 * v * v; });
    return custom(
        "weighted", cube, x[1], [](double a, double b) { return a * b + b; },
        [](double, double b) { return b; }, [](double a, double) { return a + 1; });
  };
  const Compiled c = compile(record_program(std::vector{1.0, 1.0}, f), options());
  std::vector<double> g(2);
  EXPECT_EQ(c.gradient(std::vector{2.0, 5.0}, g), 45);
  EXPECT_THAT(g, ElementsAre(60, 9));
  std::vector<double> x(2 * 9, 2.0);
  std::vector<double> y(9);
  std::vector<double> many(2 * 9);
  c.gradients(x, y, many);
  EXPECT_EQ(y[8], 18);
  EXPECT_EQ(many[16], 24);
}

TEST_P(Both, several_outputs_have_a_jacobian_by_rows_or_by_columns) {
  const auto more_outputs = [](Symbols x, std::span<Symbol> y) {
    y[0] = x[0] * x[1];
    y[1] = exp(x[0]);
    y[2] = 7.0;
  };
  const Compiled c = compile(record_program(std::vector{1.0, 1.0}, 3, more_outputs), options());
  std::vector<double> y(3);
  std::vector<double> j(6);
  c.jacobian(std::vector{0.0, 2.0}, y, j);
  EXPECT_THAT(y, ElementsAre(0, 1, 7));
  EXPECT_THAT(j, ElementsAre(2, 0, 1, 0, 0, 0));
  const auto more_inputs = [](Symbols x, std::span<Symbol> y) {
    y[0] = x[0] * x[1] * x[2];
    y[1] = x[2] - x[0];
  };
  const Compiled d = compile(record_program(std::vector{1.0, 1.0, 1.0}, 2, more_inputs), options());
  std::vector<double> z(2);
  d.jacobian(std::vector{2.0, 3.0, 5.0}, z, j);
  EXPECT_THAT(j, ElementsAre(15, 10, 6, -1, 0, 1));
  EXPECT_THROW(static_cast<void>(d.value(std::vector{2.0, 3.0, 5.0})), AdError);
}

TEST_P(Both, an_output_may_be_an_input_or_a_constant) {
  const Compiled input =
      compile(record_program(std::vector{1.0, 2.0}, [](Symbols x) { return x[1]; }), options());
  std::vector<double> g(2);
  EXPECT_EQ(input.gradient(std::vector{3.0, 4.0}, g), 4);
  EXPECT_THAT(g, ElementsAre(0, 1));
  const Compiled constant =
      compile(record_program(std::vector{1.0}, [](Symbols) { return Symbol(9); }), options());
  g.resize(1);
  EXPECT_EQ(constant.gradient(std::vector{3.0}, g), 9);
  EXPECT_EQ(g[0], 0);
}

TEST_P(Both, threads_share_a_batch_and_a_function) {
  CompileOptions with = options();
  with.threads = 3;
  const auto body = [](Symbols x) {
    Symbol y = x[0];
    for (int i = 0; i < 50; ++i) y = sin(y * x[1]) + x[i % 3];
    return y;
  };
  const Program program = record_program(std::vector{0.1, 0.2, 0.3}, body);
  const Compiled f = compile(program, with);
  constexpr std::size_t count = 1003;
  std::vector<double> x(3 * count);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = std::sin(static_cast<double>(i));
  std::vector<double> y(count);
  std::vector<double> g(3 * count);
  compile(program, options()).gradients(x, y, g);
  std::vector<std::jthread> callers;
  for (int t = 0; t < 3; ++t) {
    callers.emplace_back([&] {
      std::vector<double> own_y(count);
      std::vector<double> own_g(3 * count);
      std::vector<double> one(3);
      for (int repeat = 0; repeat < 3; ++repeat) {
        f.gradients(x, own_y, own_g);
        EXPECT_EQ(own_y, y);
        EXPECT_EQ(own_g, g);
        EXPECT_NEAR(f.gradient(std::span<const double>(x).first(3), one), y[0], 1e-12);
      }
    });
  }
}

TEST(Symbol, of_another_recording_is_refused) {
  Symbol kept;
  static_cast<void>(record_program(std::vector{1.0}, [&](Symbols x) { return kept = x[0] * 2.0; }));
  EXPECT_THROW(static_cast<void>(kept * 2.0), StaleError);
  EXPECT_THROW(static_cast<void>(record_program(std::vector{1.0}, [&](Symbols x) { return x[0] + kept; })),
               StaleError);
  EXPECT_THROW(static_cast<void>(record_program(std::vector{1.0}, [&](Symbols) { return kept; })),
               StaleError);
  const auto nested = [](Symbols x) {
    static_cast<void>(record_program(std::vector{1.0}, [](Symbols in) { return in[0]; }));
    return x[0];
  };
  EXPECT_THROW(static_cast<void>(record_program(std::vector{1.0}, nested)), AdError);
  EXPECT_EQ(record_program(std::vector{1.0}, [](Symbols x) { return x[0]; }).outputs.size(), 1);
}

TEST(Compiled, refuses_sizes_that_do_not_fit) {
  const Compiled f = compile(record_program(std::vector{1.0, 2.0}, [](Symbols x) { return x[0] * x[1]; }));
  std::vector<double> two(2);
  std::vector<double> three(3);
  std::vector<std::int32_t> wrong(5);
  EXPECT_THAT([&] { static_cast<void>(f.value(three)); },
              ThrowsMessage<AdError>(HasSubstr("expected 2 values, got 3")));
  EXPECT_THROW(f.gradient(two, three), AdError);
  EXPECT_THROW(f.gradient(two, two), AdError);
  EXPECT_THROW(f.gradients(three, two, three), AdError);
  std::vector<double> one(1);
  std::vector<double> g(2);
  EXPECT_THROW(f.gradients(two, one, g, Layout::rows, wrong), AdError);
  EXPECT_NO_THROW(f.gradients({}, {}, {}));
  const auto nothing = [](Symbols, std::span<Symbol>) {};
  EXPECT_THROW(static_cast<void>(compile(record_program(two, 0, nothing))), AdError);
}

Program long_program(std::size_t operations) {
  return record_program(std::vector{0.5, 0.25}, [&](Symbols x) {
    Symbol y = x[0];
    Symbol z = x[1];
    for (std::size_t i = 0; i < operations / 4; ++i) {
      y = y * x[1] + 0.1 * std::sin(static_cast<double>(i));
      z = z * y - x[0];
    }
    return y + z;
  });
}

TEST(CodeSize, grows_as_the_recording_does) {
  if (!detail::has_native()) GTEST_SKIP() << "no native code in this build";
  const CompileStats small = compile(long_program(4'000)).stats();
  const CompileStats large = compile(long_program(400'000)).stats();
  const auto per_operation = [](const CompileStats& s) {
    return static_cast<double>(s.code_bytes) / static_cast<double>(s.operations);
  };
  EXPECT_NEAR(per_operation(large) / per_operation(small), 1, 0.1);
  EXPECT_LT(per_operation(large), 60);
  EXPECT_NEAR(static_cast<double>(large.instructions) / static_cast<double>(small.instructions), 100, 1);
}

TEST(CodeSize, of_a_million_operations_is_compiled_and_right) {
  const Program program = long_program(1'000'000);
  EXPECT_GE(operations(program), 1'000'000U);
  const std::vector<double> x{0.3, 0.2};
  std::vector<double> native(2);
  std::vector<double> interpreted(2);
  const double value = compile(program).gradient(x, native);
  EXPECT_DOUBLE_EQ(compile(program, {.use_jit = false}).gradient(x, interpreted), value);
  EXPECT_DOUBLE_EQ(native[0], interpreted[0]);
  EXPECT_DOUBLE_EQ(native[1], interpreted[1]);
}

TEST(Passes, leave_less_to_do) {
  const Program program = record_program(std::vector{0.5}, [](Symbols x) {
    const Symbol twice = exp(x[0] * 2.0) + exp(x[0] * 2.0);
    static_cast<void>(sin(x[0]));
    return twice * 1.0 + 0.0;
  });
  const auto count = [&](CompileOptions options) { return compile(program, options).stats().instructions; };
  const CompileOptions none{true, false, false, false, false};
  EXPECT_LT(count({true, true, false, false, false}), count(none));
  EXPECT_LT(count({true, false, true, false, false}), count(none));
  EXPECT_LT(count({true, false, false, true, false}), count(none));
  EXPECT_LT(count({}), count({true, true, true, false, false}));
}

}  // namespace
}  // namespace tare::ad
