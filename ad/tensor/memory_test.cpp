// Memory by counts: what a loop asks of the system and of malloc, exact peaks, limits.
#include "ad/tensor/memory.hpp"

#include <atomic>
#include <cstdlib>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <new>
#include <thread>

#include "ad/support/counted_new_of_test.hpp"
#include "ad/tensor/ops.hpp"

namespace tare::ad {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

/// What is live while a test runs is its own.
class Memory : public testing::Test {
 protected:
  void SetUp() override { base_ = memory_stats().live_bytes; }
  [[nodiscard]] std::int64_t live() const { return memory_stats().live_bytes - base_; }
  template <class F>
  std::int64_t peak_of(F f) {
    reset_peak_memory();
    f();
    return memory_stats().peak_bytes - base_;
  }

 private:
  std::int64_t base_ = 0;
};

TEST_F(Memory, PeakOfAKnownProgramIsExact) {
  EXPECT_EQ(peak_of([] {
              const Tensor a = Tensor::ones({1000});  // 4000
              const Tensor b = add(a, a);             // 8000
              {
                const Tensor c = mul(b, b);
              }  // 12000, then 8000
              const Tensor d = Tensor::zeros({10}, DType::f64);  // 8080
            }),
            12000);
  EXPECT_EQ(live(), 0);
}

TEST_F(Memory, PeakOfBackwardIsExact) {
  Tensor x = Tensor::ones({1000});
  x.requires_grad();
  const Tensor seed = Tensor::ones({1000});
  // x, seed, and y = tanh(x), which its derivative reads; then the gradient of x.
  EXPECT_EQ(peak_of([&] { tanh(x).backward(seed); }), 4 * 4000);
  EXPECT_EQ(live(), 3 * 4000);
}

TEST_F(Memory, GradientsOfPointwiseOpsTakeTheGradientsOwnMemory) {
  Tensor x = Tensor::ones({1000});
  x.requires_grad();
  const Tensor seed = Tensor::ones({1000});
  const Tensor y = square(tanh(exp(x)));
  // x, seed, y, the two values that derivatives read, and one gradient that goes through all three.
  EXPECT_EQ(peak_of([&] { y.backward(seed); }), 6 * 4000);
  EXPECT_EQ(live(), 4 * 4000);
}

TEST_F(Memory, AGradientThatSomebodyElseHoldsIsNotChanged) {
  Tensor x = Tensor::full({10}, 2), seed = Tensor::full({10}, 3);
  x.requires_grad();
  Tensor seen;
  Tensor y = square(x);
  y.register_hook([&](const Tensor& g) {
    seen = g;
    return Tensor();
  });
  neg(y).backward(seed);
  EXPECT_EQ(seed.to_vector(), std::vector<double>(10, 3));
  EXPECT_EQ(seen.to_vector(), std::vector<double>(10, -3));
  EXPECT_EQ(x.grad().to_vector(), std::vector<double>(10, -12));
  // Both sides of a sum get the same gradient; one changes it first.
  x.zero_grad();
  add(square(x), exp(x * 0)).backward(seed);
  EXPECT_EQ(x.grad().to_vector(), std::vector<double>(10, 12));
}

TEST_F(Memory, AProductsInputIsFreedBeforeItsGradientIsMade) {
  Tensor x = Tensor::ones({100, 10}), w = Tensor::ones({10, 10}), b = Tensor::ones({10});
  for (auto* t : {&x, &w, &b}) t->requires_grad();
  const Tensor seed = Tensor::ones({100, 10});
  const auto step = [&](bool retain) {
    const auto before = live();
    const Tensor y = linear(x * 2, w, b);
    const auto peak = peak_of([&] { y.backward(seed, retain); }) - before;
    for (auto* t : {&x, &w, &b}) t->zero_grad();
    return peak;
  };
  // y, x * 2 or its gradient, the gradients of w and b.
  EXPECT_EQ(step(false), 2 * 4000 + 400 + 40 + 4);
  EXPECT_EQ(step(true), 3 * 4000 + 400 + 40 + 4) << "x * 2 stays for another sweep";
}

TEST_F(Memory, ValuesThatNoDerivativeReadsAreFreedAtOnce) {
  Tensor x = Tensor::ones({1000});
  x.requires_grad();
  Tensor y = x;
  for (int i = 0; i < 100; ++i) y = add(y, y);
  EXPECT_EQ(live(), 2 * 4000);
}

/// y ← y·wᵢ for n weights: backward reads every y and every weight and makes n gradients.
std::int64_t peak_of_chain(int n, bool retain) {
  std::vector<Tensor> weights;
  for (int i = 0; i < n; ++i) weights.push_back(Tensor::ones({1000}).requires_grad());
  Tensor y = Tensor::ones({1000});
  for (const Tensor& w : weights) y = mul(y, w);
  y.backward(Tensor::ones({1000}), retain);
  return memory_stats().peak_bytes;
}

TEST_F(Memory, BackwardFreesWhatItIsPast) {
  constexpr int n = 50;
  const auto kept = peak_of([] { peak_of_chain(n, true); }), freed = peak_of([] { peak_of_chain(n, false); });
  // n weights, n + 1 values; with the record kept, n gradients beside them.
  EXPECT_GE(kept, (3 * n + 1) * 4000);
  EXPECT_LE(freed, (2 * n + 6) * 4000);
  EXPECT_EQ(live(), 0);
}

Tensor model_loss(const Tensor& x, const Tensor& w, const Tensor& b, const Tensor& targets) {
  const Tensor hidden = gelu(linear(x, w, b));
  return cross_entropy(layer_norm(hidden, b, b), targets);
}

TEST_F(Memory, ASteadyLoopAsksNobodyForMemory) {
  if (!detail::keeps_memory) GTEST_SKIP() << "memory is not kept under AddressSanitizer";
  Generator generator(1);
  const Tensor x = Tensor::randn({64, 128}, generator);
  Tensor w = Tensor::randn({128, 128}, generator), b = Tensor::ones({128});
  const Tensor targets = Tensor::zeros({64}, DType::i64);
  w.requires_grad();
  b.requires_grad();
  const auto step = [&] {
    w.zero_grad();
    b.zero_grad();
    model_loss(x, w, b, targets).backward();
    const NoGrad quiet;
    w.add_(w.grad(), -0.01);
    b.add_(b.grad(), -0.01);
  };
  for (int i = 0; i < 5; ++i) step();
  const auto before = memory_stats();
  const long mallocs = allocations;
  for (int i = 0; i < 100; ++i) step();
  EXPECT_EQ(allocations - mallocs, 0);
  EXPECT_EQ(memory_stats().system_calls, before.system_calls);
  EXPECT_EQ(memory_stats().held_bytes, before.held_bytes);
  EXPECT_EQ(memory_stats().live_bytes, before.live_bytes);
}

TEST_F(Memory, LargeBlocksAreUsedAgain) {
  if (!detail::keeps_memory) GTEST_SKIP() << "memory is not kept under AddressSanitizer";
  {
    const Tensor warm = Tensor::zeros({1 << 20});
  }
  const auto before = memory_stats().system_calls;
  for (int i = 0; i < 10; ++i) const Tensor again = Tensor::zeros({1 << 20});
  EXPECT_EQ(memory_stats().system_calls, before);
  const auto held = memory_stats().held_bytes;
  release_cached_memory();
  EXPECT_LE(memory_stats().held_bytes, held - (std::int64_t{4} << 20));
}

TEST_F(Memory, MatricesShareRegionsOfHugePages) {
  if (!detail::keeps_memory) GTEST_SKIP() << "memory is not kept under AddressSanitizer";
  {
    const Tensor first = Tensor::full({512, 512}, 0);
  }
  release_cached_memory();
  const auto before = memory_stats();
  {
    std::vector<Tensor> weights;
    for (int i = 0; i < 24; ++i) weights.push_back(Tensor::full({512, 512}, i));
    EXPECT_LE(memory_stats().system_calls - before.system_calls, 1)
        << "the region is there; its first block's memory is not";
    // 64 bytes in front of each: a power of two fills its class.
    EXPECT_EQ(memory_stats().held_bytes - before.held_bytes, 24 * ((1 << 20) + 64));
    for (int i = 0; i < 24; ++i)
      EXPECT_EQ(weights[static_cast<std::size_t>(i)].to_vector().back(), i)
          << "no block reaches into another";
  }
  release_cached_memory();
  EXPECT_EQ(memory_stats().held_bytes, before.held_bytes);
  std::vector<Tensor> again;
  for (int i = 0; i < 24; ++i) again.push_back(Tensor::full({512, 512}, -i));
  for (int i = 0; i < 24; ++i) EXPECT_EQ(again[static_cast<std::size_t>(i)].to_vector().front(), -i);
  EXPECT_EQ(memory_stats().held_bytes - before.held_bytes, 24 * ((1 << 20) + 64)) << "in their old places";
}

TEST_F(Memory, BlocksOfEndedThreadsAreUsedAgain) {
  if (!detail::keeps_memory) GTEST_SKIP() << "memory is not kept under AddressSanitizer";
  const auto work = [] { (void)add(Tensor::ones({100}), Tensor::ones({100})); };
  for (int i = 0; i < 3; ++i) std::thread(work).join();
  const auto before = memory_stats().system_calls;
  for (int i = 0; i < 20; ++i) std::thread(work).join();
  EXPECT_EQ(memory_stats().system_calls, before);
}

TEST_F(Memory, DataIsAligned) {
  for (const std::int64_t size : {1, 3, 100, 5000, 300000}) {
    const Tensor x = Tensor::zeros({size});
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(x.body()->data) % 64, 0U) << size;
  }
}

TEST_F(Memory, BeyondTheLimitIsAnErrorThatNamesTheOp) {
  const Tensor x = Tensor::ones({1000});
  set_memory_limit(memory_stats().live_bytes + 5000);
  const Tensor y = add(x, x);
  EXPECT_THAT([&] { add(x, x); }, ThrowsMessage<AdError>(testing::AllOf(HasSubstr("add: 4000 bytes more"),
                                                                        HasSubstr("set_memory_limit"))));
  set_memory_limit(0);
  EXPECT_EQ(add(x, x).count(), 1000);
  EXPECT_EQ(live(), 8000);
  EXPECT_THAT([] { set_memory_limit(-1); }, ThrowsMessage<AdError>(HasSubstr("-1 bytes")));
}

TEST_F(Memory, AFailureInBackwardFreesItsGradients) {
  Tensor x = Tensor::ones({1000});
  x.requires_grad();
  {
    Tensor y = x;
    for (int i = 0; i < 5; ++i) y = mul(y, y);
    // Enough for the seed and one of the two gradients that meet in the last y.
    set_memory_limit(memory_stats().live_bytes + 9000);
    EXPECT_THROW(y.backward(Tensor::ones({1000})), AdError);
    set_memory_limit(0);
  }
  x.zero_grad();
  EXPECT_EQ(live(), 4000);
}

TEST_F(Memory, WhatTheSystemDoesNotHaveIsAnError) {
  EXPECT_THAT([] { (void)Tensor::empty({std::int64_t{1} << 58}); },
              ThrowsMessage<AdError>(HasSubstr("no memory for")));
  EXPECT_EQ(live(), 0);
}

}  // namespace
}  // namespace tare::ad
