#include "ad/nn/optimiser.hpp"

#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ad/nn/layers.hpp"
#include "ad/tensor/memory.hpp"

namespace tare::ad::nn {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

/// Values a and b, gradients that change from step to step.
struct Problem {
  Tensor p;
  explicit Problem(DType dtype, bool dense = true) {
    // Without density the optimiser goes by ops instead of the fused loop.
    p = dense ? Tensor::of({1.0, -2.0, 0.5}, {3})
              : slice(Tensor::of({1.0, 9.0, -2.0, 9.0, 0.5, 9.0}, {6}), 0, 0, 6, 2);
    if (dtype == DType::f32)
      p = dense ? cast(p, dtype) : slice(cast(expand(reshape(p, {3, 1}), {3, 2}), dtype), 1, 0, 1);
    p = p.detach();
    p.requires_grad();
  }
  [[nodiscard]] Parameters parameters() const { return {{"p", p}}; }
  void set_gradient(int step) {
    p.set_grad(reshape(cast(Tensor::of({0.1 * (step + 1), -0.3, step == 1 ? 0.0 : 2.0}, {3}), p.dtype()),
                       p.shape()));
  }
};

double gradient_at(int step, std::size_t i) {
  return i == 0 ? 0.1 * (step + 1) : i == 1 ? -0.3 : step == 1 ? 0.0 : 2.0;
}
const std::vector<double> start{1, -2, 0.5};

struct Kind {
  DType dtype;
  bool dense;
};
class EveryKind : public testing::TestWithParam<Kind> {
 protected:
  [[nodiscard]] Problem problem() const { return Problem(GetParam().dtype, GetParam().dense); }
};

TEST_P(EveryKind, SgdTakesTheStepsOfItsFormula) {
  for (const double momentum : {0.0, 0.9}) {
    for (const double decay : {0.0, 0.1}) {
      Problem problem = this->problem();
      Sgd optimiser(problem.parameters(), {.rate = 0.1, .momentum = momentum, .decay = decay});
      auto expected = start;
      std::vector<double> m(3, 0);
      for (int step = 0; step < 4; ++step) {
        problem.set_gradient(step);
        if (step == 2) optimiser.set_rate(0.05);
        optimiser.step();
        for (std::size_t i = 0; i < 3; ++i) {
          m[i] = momentum * m[i] + gradient_at(step, i) + decay * expected[i];
          expected[i] -= (step < 2 ? 0.1 : 0.05) * m[i];
          EXPECT_NEAR(problem.p.to_vector()[i], expected[i], 1e-6) << momentum << ' ' << decay << ' ' << step;
        }
      }
      EXPECT_EQ(optimiser.steps(), 4);
    }
  }
}

TEST_P(EveryKind, AdamTakesTheStepsOfItsFormula) {
  for (const double decay : {0.0, 0.1}) {
    for (const bool decoupled : {false, true}) {
      Problem problem = this->problem();
      Adam optimiser(problem.parameters(), {.rate = 0.1, .decay = decay, .decoupled = decoupled});
      auto expected = start;
      std::vector<double> m(3, 0), v(3, 0);
      for (int step = 0; step < 5; ++step) {
        problem.set_gradient(step);
        optimiser.step();
        for (std::size_t i = 0; i < 3; ++i) {
          const double g = gradient_at(step, i) + (decoupled ? 0 : decay * expected[i]);
          m[i] = 0.9 * m[i] + 0.1 * g;
          v[i] = 0.999 * v[i] + 0.001 * g * g;
          const double mean = m[i] / (1 - std::pow(0.9, step + 1)),
                       square = v[i] / (1 - std::pow(0.999, step + 1));
          if (decoupled) expected[i] *= 1 - 0.1 * decay;
          expected[i] -= 0.1 * mean / (std::sqrt(square) + 1e-8);
          EXPECT_NEAR(problem.p.to_vector()[i], expected[i], 2e-6)
              << decay << ' ' << decoupled << ' ' << step;
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, EveryKind,
                         testing::Values(Kind{DType::f32, true}, Kind{DType::f64, true},
                                         Kind{DType::f32, false}, Kind{DType::f64, false}),
                         [](const auto& info) {
                           return std::string(name_of(info.param.dtype)) +
                                  (info.param.dense ? "_fused" : "_in_ops");
                         });

TEST(Adam, FirstStepsAreThoseOfTheHand) {
  // g = 1: m̂ = v̂ = 1 at every step, so that each moves by rate/(1 + ε).
  Tensor p = Tensor::zeros({1}, DType::f64);
  p.requires_grad();
  Adam optimiser({{"p", p}}, {.rate = 0.01});
  for (int step = 1; step <= 3; ++step) {
    p.set_grad(Tensor::ones({1}, DType::f64));
    optimiser.step();
    EXPECT_NEAR(p.item(), -0.01 * step / (1 + 1e-8), 1e-12);
  }
}

TEST(Adam, WithDecoupledDecayIsAdamW) {
  Tensor p = Tensor::ones({1}, DType::f64);
  p.requires_grad();
  Adam optimiser = adamw({{"p", p}});
  p.set_grad(Tensor::zeros({1}, DType::f64));
  optimiser.step();
  EXPECT_NEAR(p.item(), 1 - 1e-3 * 0.01, 1e-15);
}

TEST(Optimisers, LoopsOfManyLanesAreThoseOfOne) {
  // 100 003 elements: several threads' parts, and a short pack at the end.
  Generator generator(1);
  const Tensor first = Tensor::randn({100003}, generator), slope = Tensor::randn({100003}, generator);
  Tensor p = copy(first);
  p.requires_grad();
  Adam optimiser({{"p", p}}, {.rate = 0.01, .decay = 0.1});
  p.set_grad(slope);
  optimiser.step();
  const auto before = first.values<float>(), g = slope.values<float>(), after = p.values<float>();
  for (std::size_t i = 0; i < before.size(); ++i) {
    const double d = static_cast<double>(g[i]) + 0.1 * static_cast<double>(before[i]);
    ASSERT_NEAR(after[i], before[i] - 0.01 * d / (std::abs(d) + 1e-8), 1e-6) << i;
  }
}

TEST(Optimisers, AskTheSystemForNothingInSteadyState) {
  if (!detail::keeps_memory) GTEST_SKIP() << "memory is not kept under AddressSanitizer";
  Generator generator(2);
  const Mlp model({8, 16, 4}, generator);
  const Tensor x = Tensor::randn({32, 8}, generator);
  Adam adam(model.parameters(), {});
  Sgd sgd(model.parameters(), {.momentum = 0.9});
  const auto step = [&] {
    const Tensor loss = mean(square(model(x)));
    adam.zero_gradients();
    loss.backward();
    (void)clip_gradients(model.parameters(), 1);
    adam.step();
    sgd.step();
  };
  for (int i = 0; i < 3; ++i) step();
  const auto before = memory_stats();
  for (int i = 0; i < 50; ++i) step();
  EXPECT_EQ(memory_stats().system_calls, before.system_calls);
  EXPECT_EQ(memory_stats().live_bytes, before.live_bytes);
}

/// What three steps make of two layers, and the most memory that one took.
template <class Kind, class Options>
std::pair<std::vector<double>, std::int64_t> trained(const Options& options, bool as_they_come) {
  Generator generator(5);
  const Mlp model({40, 60, 60, 10}, generator);
  Kind optimiser(model.parameters(), options);
  const Tensor x = Tensor::randn({8, 40}, generator);
  std::int64_t peak = 0;
  for (int i = 0; i < 3; ++i) {
    const auto before = memory_stats().live_bytes;
    reset_peak_memory();
    const Tensor loss = mean(square(model(x)));
    if (as_they_come) {
      optimiser.step_on(loss);
    } else {
      loss.backward();
      optimiser.step();
    }
    peak = std::max(peak, memory_stats().peak_bytes - before);
    optimiser.zero_gradients();
  }
  EXPECT_EQ(optimiser.steps(), 3);
  std::vector<double> all;
  for (const auto& [name, tensor] : model.parameters())
    for (const double v : tensor.to_vector()) all.push_back(v);
  return {all, peak};
}

TEST(Optimisers, StepOnALossAsAfterItsBackwardInLessMemory) {
  const auto compare = [](const auto& gathered, const auto& as_they_come) {
    EXPECT_EQ(gathered.first, as_they_come.first);
    // The gradients of two of the three weights are not there when the third's is.
    EXPECT_LT(as_they_come.second, gathered.second * 3 / 4);
  };
  const Sgd::Options sgd{.rate = 0.1, .momentum = 0.9};
  compare(trained<Sgd>(sgd, false), trained<Sgd>(sgd, true));
  const Adam::Options adam{.rate = 0.01};
  compare(trained<Adam>(adam, false), trained<Adam>(adam, true));
}

TEST(Optimisers, StateContinuesWhereItWas) {
  Problem whole(DType::f64), halves(DType::f64);
  Adam once(whole.parameters(), {}), before(halves.parameters(), {});
  for (int step = 0; step < 2; ++step) {
    whole.set_gradient(step);
    once.step();
    halves.set_gradient(step);
    before.step();
  }
  Adam after(halves.parameters(), {});
  copy_parameters(before.state(), after.state());
  for (int step = 2; step < 4; ++step) {
    whole.set_gradient(step);
    once.step();
    halves.set_gradient(step);
    after.step();
  }
  EXPECT_EQ(whole.p.to_vector(), halves.p.to_vector());
  EXPECT_EQ(after.steps(), 4);
}

TEST(Optimisers, LeaveParametersWithoutGradientAlone) {
  Problem problem(DType::f32);
  Sgd optimiser(problem.parameters(), {.decay = 0.5});
  optimiser.step();
  EXPECT_EQ(problem.p.to_vector(), start);
}

TEST(Optimisers, RefuseWhatMakesNoSense) {
  Problem problem(DType::f32);
  EXPECT_THAT([&] { Sgd({{"x", Tensor::ones({1})}}, {}); },
              ThrowsMessage<AdError>(HasSubstr("none of the parameters")));
  EXPECT_THAT([&] { Sgd(problem.parameters(), {.rate = -1}); },
              ThrowsMessage<AdError>(HasSubstr("rate of -1")));
  EXPECT_THAT([&] { Sgd(problem.parameters(), {.momentum = 1}); },
              ThrowsMessage<AdError>(HasSubstr("momentum of 1")));
  EXPECT_THAT([&] { Adam(problem.parameters(), {.beta2 = 1}); },
              ThrowsMessage<AdError>(HasSubstr("beta2 of 1")));
  EXPECT_THAT([&] { Sgd({{"y", problem.p * 2.0}}, {}); }, ThrowsMessage<AdError>(HasSubstr("'y'")));
}

TEST(ClipGradients, ScalesToTheNormOnlyWhatIsLonger) {
  Tensor a = Tensor::zeros({1}, DType::f64), b = Tensor::zeros({1}, DType::f64);
  a.set_grad(Tensor::full({1}, 3, DType::f64));
  b.set_grad(Tensor::full({1}, -4, DType::f64));
  EXPECT_DOUBLE_EQ(clip_gradients({{"a", a}, {"b", b}}, 10).item(), 5);
  EXPECT_EQ(a.grad().item(), 3);
  EXPECT_DOUBLE_EQ(clip_gradients({{"a", a}, {"b", b}}, 1).item(), 5);
  EXPECT_NEAR(a.grad().item(), 0.6, 1e-6);
  EXPECT_NEAR(b.grad().item(), -0.8, 1e-6);
  a.fill_(0);
  b.fill_(0);
}

}  // namespace
}  // namespace tare::ad::nn
