#include "ad/scalar/checkpoint.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <map>
#include <vector>

namespace tare::ad {
namespace {

using R = Real<double>;

/// The fewest plain steps that reverse n steps with s snapshots, by exhaustion.
std::size_t fewest_advances(std::size_t n, std::size_t s) {
  static std::map<std::pair<std::size_t, std::size_t>, std::size_t> known;
  if (n <= 1) return 0;
  if (s == 0) return n * (n - 1) / 2;
  auto [at, fresh] = known.try_emplace({n, s}, 0);
  if (!fresh) return at->second;
  std::size_t best = n * (n - 1) / 2;
  for (std::size_t m = 1; m < n; ++m) {
    best = std::min(best, m + fewest_advances(n - m, s - 1) + fewest_advances(m, s));
  }
  return known[{n, s}] = best;
}

TEST(Checkpoint, repeats_the_fewest_steps_possible) {
  for (std::size_t s = 0; s <= 6; ++s) {
    for (std::size_t n = 0; n <= 60; ++n) {
      EXPECT_EQ(checkpoint_cost(n, s).advances, fewest_advances(n, s))
          << n << " steps, " << s << " snapshots";
    }
  }
}

TEST(Checkpoint, needs_few_snapshots_for_long_loops) {
  // Ten stored states reverse 8008 steps with each repeated at most six times.
  EXPECT_EQ(detail::reversible_steps(10, 6), 8008U);
  EXPECT_LT(checkpoint_cost(8008, 9).advances, 6 * 8008U);
  EXPECT_EQ(checkpoint_cost(8008, 9).state_copies, 11U);
}

/// A damped, driven pendulum: two states, two parameters.
const auto pendulum = [](auto state, auto parameters, std::size_t i) {
  using std::sin;
  using T = std::remove_cvref_t<decltype(state[0])>;
  const double dt = 0.01;
  const T velocity = state[1] + dt * (-parameters[0] * sin(state[0]) - parameters[1] * state[1] +
                                      0.001 * static_cast<double>(i % 7));
  state[0] = state[0] + dt * velocity;
  state[1] = velocity;
};

class CheckpointedLoop : public testing::TestWithParam<std::tuple<std::size_t, std::size_t>> {};

TEST_P(CheckpointedLoop, has_the_gradient_of_the_plain_loop) {
  const auto [steps, snapshots] = GetParam();
  double expected[4];
  double got[4];
  std::size_t entries = 0;
  for (const bool checkpointed : {false, true}) {
    Recorder<double> tape;
    const auto scope = tape.record();
    std::vector<R> state(2);
    std::vector<R> parameters(2);
    tape.inputs(std::vector<double>{1.0, 0.2}, state);
    tape.inputs(std::vector<double>{2.0, 0.1}, parameters);
    const std::vector<R> inputs = {state[0], state[1], parameters[0], parameters[1]};
    if (checkpointed) {
      state = checkpointed_loop<double>(state, parameters, steps, snapshots, pendulum);
      entries = tape.stats().entries;
    } else {
      for (std::size_t i = 0; i < steps; ++i) {
        pendulum(std::span<R>(state), std::span<const R>(parameters), i);
      }
    }
    const R y = state[0] * state[0] + 3.0 * state[1];
    tape.backward(y);
    tape.gradients(inputs, checkpointed ? std::span(got) : std::span(expected));
  }
  for (int i = 0; i < 4; ++i) EXPECT_NEAR(got[i], expected[i], 1e-12 * (1 + std::abs(expected[i])));
  EXPECT_EQ(entries, 2U) << "the loop itself leaves only its results on the tape";
}

INSTANTIATE_TEST_SUITE_P(Shapes, CheckpointedLoop,
                         testing::Combine(testing::Values<std::size_t>(0, 1, 2, 57, 400),
                                          testing::Values<std::size_t>(0, 1, 3, 20)));

TEST(External, gets_its_own_adjoint) {
  Recorder<double> tape;
  const auto scope = tape.record();
  std::vector<R> x(2);
  tape.inputs(std::vector<double>{3.0, 4.0}, x);
  const R scaled[] = {x[0] * 2.0, x[1] + 0.0};
  int calls = 0;
  const auto y = external_function<double>(
      scaled, 2,
      [](std::span<const double> in, std::span<double> out) {
        out[0] = in[0] * in[1];
        out[1] = in[0] + in[1];
      },
      [&calls](std::span<const double> in, std::span<const double>, std::span<const double> y_bar,
               std::span<double> x_bar) {
        ++calls;
        x_bar[0] += in[1] * y_bar[0] + y_bar[1];
        x_bar[1] += in[0] * y_bar[0] + y_bar[1];
      });
  const R z = y[0] * 10.0 + y[1] * x[0];
  tape.backward(z, Retain::yes);
  EXPECT_EQ(z.value(), 24 * 10 + 10 * 3.0);
  EXPECT_EQ(tape.gradient(x[0]), 10 * 2 * 4 + 2 * 3 + 10.0);
  EXPECT_EQ(tape.gradient(x[1]), 10 * 6 + 3.0);
  EXPECT_EQ(calls, 1);
  tape.backward(y[0], Retain::yes);
  EXPECT_EQ(tape.gradient(x[0]), 8.0);
  tape.backward(x[0] * 1.0);
  EXPECT_EQ(calls, 2) << "not asked when nothing depends on it";
  EXPECT_THROW(tape.backward_lanes<2>(std::span<const R>(y)), AdError);
}

TEST(External, is_a_plain_call_for_constants) {
  const R x[] = {R(2.0)};
  const auto y = external_function<double>(
      x, 1, [](std::span<const double> in, std::span<double> out) { out[0] = in[0] * 3; },
      [](auto, auto, auto, auto) { FAIL(); });
  EXPECT_EQ(y[0].value(), 6.0);
  EXPECT_FALSE(y[0].active());
}

}  // namespace
}  // namespace tare::ad
