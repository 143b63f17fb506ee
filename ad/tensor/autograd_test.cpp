// The record and its sweep: what is added, kept, freed, refused.
#include "ad/tensor/autograd.hpp"

#include <array>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <thread>

#include "ad/tensor/mode.hpp"
#include "ad/tensor/ops.hpp"

namespace tare::ad {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

Tensor leaf(std::initializer_list<double> values) {
  Tensor x = Tensor::of(values, {static_cast<std::int64_t>(values.size())});
  return x.requires_grad();
}

TEST(Backward, AddsToTheGradientsOfLeaves) {
  const Tensor x = leaf({1, 2});
  sum(square(x)).backward();
  EXPECT_THAT(x.grad().to_vector(), ElementsAre(2, 4));
  sum(x * 3.0).backward();
  EXPECT_THAT(x.grad().to_vector(), ElementsAre(5, 7));
  Tensor(x).zero_grad();
  EXPECT_FALSE(x.grad().defined());
}

TEST(Backward, OfANormOfOneNumberIsZero) {
  Generator generator(1);
  const Tensor x = Tensor::randn({7, 1}, generator).requires_grad(), w = Tensor::ones({1});
  layer_norm(x, w, w).backward(Tensor::randn({7, 1}, generator));
  EXPECT_THAT(x.grad().to_vector(), testing::Each(0));
}

TEST(Backward, SumsOverAllPaths) {
  const Tensor x = leaf({3});
  const Tensor a = x * 2.0, b = a + x, c = mul(a, b);  // 2x·3x
  c.backward();
  EXPECT_THAT(x.grad().to_vector(), ElementsAre(36));
}

TEST(Backward, GradientsHeldByTheCallerAreNotChangedLater) {
  const Tensor x = leaf({1, 1});
  sum(x).backward();
  const Tensor held = x.grad();
  sum(x).backward();
  EXPECT_THAT(x.grad().to_vector(), ElementsAre(2, 2));
  EXPECT_THAT(held.to_vector(), ElementsAre(1, 1));
}

TEST(Backward, ASeedWeighsTheElements) {
  const Tensor x = leaf({1, 2});
  square(x).backward(Tensor::of({1.0, 10.0}, {2}));
  EXPECT_THAT(x.grad().to_vector(), ElementsAre(2, 40));
  // Of another type, the seed is converted.
  Tensor y = Tensor::ones({2});
  y.requires_grad();
  exp(y * 0.0).backward(Tensor::ones({2}, DType::f64));
  EXPECT_THAT(y.grad().to_vector(), ElementsAre(0, 0));
  EXPECT_EQ(y.grad().dtype(), DType::f32);
}

TEST(Backward, OnlyWhatRequiresAGradientIsRecorded) {
  const Tensor x = leaf({2}), constant = Tensor::of({5.0}, {1});
  EXPECT_FALSE(exp(constant).needs_grad());
  EXPECT_TRUE(mul(x, constant).needs_grad());
  EXPECT_FALSE(less(x, constant).needs_grad());
  mul(x, constant).backward();
  EXPECT_FALSE(constant.grad().defined());
}

TEST(Backward, NeedsAReasonToStart) {
  const Tensor x = leaf({1, 2});
  const auto says = [](auto f, const char* text) { EXPECT_THAT(f, ThrowsMessage<AdError>(HasSubstr(text))); };
  says([&] { square(x).backward(); }, "a tensor of shape [2] needs a seed");
  says([&] { square(x).backward(Tensor::ones({3}, DType::f64)); },
       "a seed of shape [3] for a tensor of shape [2]");
  says([&] { Tensor::ones({1}).backward(); }, "does not depend on any");
  says([&] { argmax(x, 0).backward(); }, "a tensor of i64 has no gradient");
  says([&] { Tensor::arange(3).requires_grad(); }, "i64 has no gradient");
  says([&] { square(x).requires_grad(false); }, "only leaves");
  says([&] { gradient(sum(x), Tensor::ones({1})); }, "does not require one");
}

TEST(Backward, TwiceIsAnErrorUnlessRetained) {
  const Tensor x = leaf({2});
  const Tensor y = square(x);
  y.backward(true);
  y.backward();
  EXPECT_THAT(x.grad().to_vector(), ElementsAre(8));
  EXPECT_THAT(
      [&] { y.backward(); },
      ThrowsMessage<AdError>(HasSubstr("backward of square: what it kept was freed by an earlier backward")));
  EXPECT_THAT(x.grad().to_vector(), ElementsAre(8));
}

TEST(NoGrad, RecordsNothing) {
  const Tensor x = leaf({2});
  {
    const NoGrad quiet;
    EXPECT_FALSE(square(x).needs_grad());
  }
  EXPECT_TRUE(square(x).needs_grad());
}

TEST(NoGrad, IsThisThreadsOnly) {
  const Tensor x = leaf({2});
  const NoGrad quiet;
  bool recorded = false;
  std::thread([&] { recorded = square(x).needs_grad(); }).join();
  EXPECT_TRUE(recorded);
}

TEST(Detach, EndsTheHistory) {
  const Tensor x = leaf({3});
  const Tensor y = square(x);
  EXPECT_FALSE(y.detach().needs_grad());
  mul(y.detach(), x).backward();
  EXPECT_THAT(x.grad().to_vector(), ElementsAre(9));
}

TEST(Gradient, LeavesTheLeavesAlone) {
  const Tensor x = leaf({2}), w = leaf({5}), unused = leaf({1, 1});
  const std::array xs{x, unused};
  const auto found = gradient(mul(square(x), w), xs);
  EXPECT_THAT(found[0].to_vector(), ElementsAre(20));
  EXPECT_THAT(found[1].to_vector(), ElementsAre(0, 0));
  EXPECT_FALSE(x.grad().defined());
  EXPECT_FALSE(w.grad().defined());
}

TEST(Gradient, IsFoundOfValuesOnTheWay) {
  const Tensor x = leaf({2});
  const Tensor y = square(x), z = mul(y, x);
  const std::array xs{y, x};
  const auto found = gradient(z, xs);
  EXPECT_THAT(found[0].to_vector(), ElementsAre(2));
  EXPECT_THAT(found[1].to_vector(), ElementsAre(12));
}

TEST(Gradient, OfGradients) {
  const Tensor x = leaf({2});
  Tensor y = pow(x, 4.0);
  for (const double expected : {32.0, 48.0, 48.0, 24.0}) {
    y = gradient(y, x, {.differentiable = true});
    EXPECT_NEAR(y.item(), expected, 1e-9);
  }
}

TEST(Gradient, OfGradientsOnTheWay) {
  const Tensor x = leaf({0.5});
  // exp's derivative reads its own output: with respect to that output it must be seen.
  const Tensor y = exp(x);
  const Tensor slope = gradient(square(y), x, {.differentiable = true});  // 2y·y
  EXPECT_NEAR(gradient(slope, y).item(), 4 * std::exp(0.5), 1e-12);
}

TEST(Hooks, OnALeafSeeTheWholeGradientOnce) {
  Tensor x = leaf({1});
  int calls = 0;
  x.register_hook([&](const Tensor& g) {
    ++calls;
    EXPECT_EQ(g.item(), 5);
    return g * 10.0;
  });
  add(x * 2.0, x * 3.0).backward();
  EXPECT_EQ(calls, 1);
  EXPECT_THAT(x.grad().to_vector(), ElementsAre(50));
}

TEST(Hooks, ATakerGetsTheWholeGradientOfItsLeafAndMayChangeIt) {
  Tensor w = Tensor::of({2.0, 3.0}, {2}).requires_grad(), v = Tensor::of({5.0, 7.0}, {2}).requires_grad();
  std::vector<std::string> order;
  const auto take = [&](const char* name) {
    return [&order, name](Tensor& leaf, const Tensor& g) {
      order.emplace_back(name);
      EXPECT_FALSE(leaf.grad().defined());
      leaf.add_(g, -1);
    };
  };
  w.give_gradient_to(take("w"));
  v.give_gradient_to(take("v"));
  // w is read twice and changes only when both are past; v, read last, is complete first.
  sum(w * w * v).backward();
  EXPECT_EQ(order, (std::vector<std::string>{"v", "w"}));
  EXPECT_EQ(w.to_vector(), (std::vector<double>{2 - 20, 3 - 42}));
  EXPECT_EQ(v.to_vector(), (std::vector<double>{5 - 4, 7 - 9}));
  EXPECT_FALSE(w.grad().defined());
  w.give_gradient_to({});
  sum(w).backward();
  EXPECT_EQ(w.grad().to_vector(), (std::vector<double>{1, 1}));
  EXPECT_EQ(order.size(), 2U);
  EXPECT_THROW((w * v).give_gradient_to(take("a value")), AdError);
}

TEST(Hooks, OnAnInnerValueChangeWhatPasses) {
  const Tensor x = leaf({3});
  Tensor y = square(x);
  double seen = 0;
  y.register_hook([&](const Tensor& g) {
    seen = g.item();
    return Tensor();
  });
  y.register_hook([](const Tensor& g) { return neg(g); });
  (y * 2.0).backward();
  EXPECT_EQ(seen, 2);
  EXPECT_THAT(x.grad().to_vector(), ElementsAre(-12));
}

TEST(Hooks, MustGiveAGradientThatFits) {
  Tensor x = leaf({1, 2});
  x.register_hook([](const Tensor&) { return Tensor::zeros({3}, DType::f64); });
  EXPECT_THAT([&] { sum(x).backward(); }, ThrowsMessage<AdError>(HasSubstr("a hook gave f64 [3]")));
  Tensor y = square(leaf({1, 2}));
  y.register_hook([](const Tensor&) { return Tensor::zeros({2}); });
  EXPECT_THAT([&] { sum(y).backward(); }, ThrowsMessage<AdError>(HasSubstr("a hook gave f32 [2]")));
  EXPECT_THAT([&] { Tensor::ones({1}).register_hook([](const Tensor& g) { return g; }); },
              ThrowsMessage<AdError>(HasSubstr("no gradient")));
}

CustomOp cube() {
  return {"cube", [](std::span<const Tensor> in) { return std::vector{mul(square(in[0]), in[0])}; },
          [](std::span<const Tensor> in, std::span<const Tensor>, std::span<const Tensor> g) {
            return std::vector{mul(square(in[0]) * 3.0, g[0])};
          }};
}

TEST(CustomOp, IsDifferentiatedByItsOwnRule) {
  const Tensor x = leaf({2});
  const Tensor y = apply_custom(cube(), std::array{x}).front();
  EXPECT_EQ(y.item(), 8);
  y.backward();
  EXPECT_THAT(x.grad().to_vector(), ElementsAre(12));
}

TEST(CustomOp, MayHaveSeveralOutputsSomeOfThemWhole) {
  const CustomOp op{"split",
                    [](std::span<const Tensor> in) { return std::vector{argmax(in[0], 0), in[0] * 2.0}; },
                    [](std::span<const Tensor>, std::span<const Tensor>, std::span<const Tensor> g) {
                      return std::vector{g[1] * 2.0};
                    }};
  const Tensor x = leaf({1, 7});
  const auto outputs = apply_custom(op, std::array{x});
  EXPECT_EQ(outputs[0].item(), 1);
  sum(outputs[1]).backward();
  EXPECT_THAT(x.grad().to_vector(), ElementsAre(2, 2));
}

TEST(CustomOp, IsRefusedWhenItsRuleDoesNotFit) {
  CustomOp few = cube(), wrong = cube();
  few.backward = [](auto, auto, auto) { return std::vector<Tensor>{}; };
  wrong.backward = [](auto, auto, auto) { return std::vector{Tensor::zeros({7}, DType::f64)}; };
  const Tensor x = leaf({2});
  EXPECT_THAT([&] { apply_custom(few, std::array{x}).front().backward(); },
              ThrowsMessage<AdError>(HasSubstr("cube: its backward gave 0 gradients for 1 inputs")));
  EXPECT_THAT([&] { apply_custom(wrong, std::array{x}).front().backward(); },
              ThrowsMessage<AdError>(HasSubstr("a gradient of shape [7] for input 0 of shape [1]")));
}

TEST(InPlace, ChangingWhatBackwardNeedsIsAnError) {
  const Tensor x = leaf({2});
  Tensor c = Tensor::of({3.0}, {1});
  const Tensor y = mul(x, c);
  c.fill_(4);
  EXPECT_THAT([&] { y.backward(); },
              ThrowsMessage<AdError>(HasSubstr("backward of mul: input 1 (f64 [1]) was changed in place")));
}

TEST(InPlace, ChangingAnOutputThatBackwardNeedsIsAnError) {
  const Tensor x = leaf({2});
  const Tensor y = exp(x);
  y.detach().fill_(0);
  EXPECT_THAT([&] { y.backward(); },
              ThrowsMessage<AdError>(HasSubstr("backward of exp: output 0 (f64 [1]) was changed in place")));
}

TEST(InPlace, ChangingAViewIsSeenThroughTheBase) {
  const Tensor x = leaf({2});
  const Tensor c = Tensor::of({3.0, 4.0}, {2});
  const Tensor y = mul(x, c);
  slice(c, 0, 1, 2).fill_(0);
  EXPECT_THROW(sum(y).backward(), AdError);
}

TEST(InPlace, ChangingWhatBackwardDoesNotNeedIsFine) {
  const Tensor x = leaf({2});
  Tensor c = Tensor::of({3.0}, {1});
  const Tensor y = add(x, c);
  c.fill_(4);
  y.backward();
  EXPECT_THAT(x.grad().to_vector(), ElementsAre(1));
}

TEST(InPlace, IsRefusedOnWhatIsRecorded) {
  Tensor x = leaf({2});
  for (const auto& change : std::vector<std::function<void()>>{
           [&] { x.fill_(1); }, [&] { x.mul_(2); }, [&] { x.add_(Tensor::ones({1}, DType::f64)); },
           [&] { x.add_(Tensor::ones({1})); }, [&] { x.copy_(Tensor::ones({1})); },
           [&] { (void)x.mutable_values<double>(); }}) {
    EXPECT_THAT(change, ThrowsMessage<AdError>(HasSubstr("requires a gradient")));
  }
  EXPECT_EQ(x.item(), 2);
  Tensor y = square(x);
  const NoGrad quiet;
  EXPECT_THAT([&] { y.fill_(1); }, ThrowsMessage<AdError>(HasSubstr("recorded history")));
  x.fill_(5);
  EXPECT_EQ(x.item(), 5);
}

TEST(Backward, AnOpThatThrowsOnTheWayLeavesTheRecordUsable) {
  const Tensor x = leaf({2});
  bool fails = true;
  CustomOp sometimes = cube();
  const auto rule = sometimes.backward;
  sometimes.backward = [&](auto in, auto out, auto g) {
    if (fails) throw std::runtime_error("not today");
    return rule(in, out, g);
  };
  const Tensor y = square(apply_custom(sometimes, std::array{x}).front());
  EXPECT_THROW(y.backward(true), std::runtime_error);
  EXPECT_FALSE(x.grad().defined());
  fails = false;
  y.backward();
  EXPECT_THAT(x.grad().to_vector(), ElementsAre(6 * 32));
  EXPECT_TRUE(detail::mode.grad);
}

TEST(Backward, WithinBackwardIsAllowed) {
  Tensor x = leaf({2});
  const Tensor other = leaf({5});
  x.register_hook([&](const Tensor& g) {
    const ModeScope recording(&Mode::grad, true);
    square(other).backward();
    return g;
  });
  square(x).backward();
  EXPECT_THAT(x.grad().to_vector(), ElementsAre(4));
  EXPECT_THAT(other.grad().to_vector(), ElementsAre(10));
}

TEST(Record, OfAMillionOpsIsSweptAndFreedWithoutRecursion) {
  const Tensor x = leaf({1});
  {
    Tensor y = x;
    for (int i = 0; i < 1'000'000; ++i) y = neg(y);
    y.backward(true);
    EXPECT_THAT(x.grad().to_vector(), ElementsAre(1));
    // A second record that is never swept.
    Tensor z = x;
    for (int i = 0; i < 200'000; ++i) z = exp(z);
  }
  EXPECT_EQ(x.body()->refs.load(), 1);
}

TEST(Record, OfManyBranchesIsFreed) {
  const auto before = memory_stats().live_bytes;
  {
    const Tensor x = leaf({1, 2, 3});
    Tensor y = x;
    for (int i = 0; i < 40; ++i) y = add(y, y);  // 2⁴⁰ paths
    sum(y).backward();
    EXPECT_EQ(x.grad().to_vector()[0], std::exp2(40));
  }
  EXPECT_EQ(memory_stats().live_bytes, before);
}

TEST(Record, ValuesOfEndedThreadsAreStillThere) {
  const Tensor x = leaf({2});
  Tensor y;
  std::thread([&] { y = square(x); }).join();
  y.backward();
  EXPECT_THAT(x.grad().to_vector(), ElementsAre(4));
}

TEST(Record, DerivativesThatAreNoOpsAreToldToWhoTraces) {
  const Tensor x = leaf({1, 2, 3});
  const Tensor y = logsumexp(x, {0});
  std::vector<Event> events;
  {
    const TraceEvents tracing(events);
    add(y, y).backward();
  }
  std::vector<std::string> names;
  for (const auto& event : events) names.push_back(event.kernel);
  EXPECT_THAT(names, testing::Contains("logsumexp backward"));
  EXPECT_THAT(names, testing::Not(testing::Contains("add backward"))) << "the gradient is only passed on";
  for (const auto& event : events)
    if (event.kernel == "logsumexp backward") {
      EXPECT_EQ(event.op, Op::logsumexp);
      EXPECT_EQ(event.bytes, 8 + 3 * 8 + 3 * 8) << "a gradient comes, x was saved, its gradient goes";
      EXPECT_GE(event.duration_ns, 0);
    }
}

}  // namespace
}  // namespace tare::ad
