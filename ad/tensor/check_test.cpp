#include "ad/tensor/check.hpp"

#include <array>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ad/tensor/autograd.hpp"
#include "ad/tensor/ops.hpp"

namespace tare::ad {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

/// y = x² whose derivative is said to be 2x·factor at one element.
Tensor square_that_lies(const Tensor& x, std::int64_t element, double factor) {
  const CustomOp op{"square", [](std::span<const Tensor> in) { return std::vector{square(in[0])}; },
                    [=](std::span<const Tensor> in, std::span<const Tensor>, std::span<const Tensor> g) {
                      Tensor slope = copy(in[0].detach() * 2);
                      slope.mutable_values<double>()[static_cast<std::size_t>(element)] *= factor;
                      return std::vector{slope * g[0]};
                    }};
  return apply_custom(op, std::array{x}).front();
}

TEST(CheckGradients, AcceptsWhatIsRight) {
  Generator generator(1);
  const std::array inputs{Tensor::randn({3, 4}, generator), Tensor::randn({4, 2}, generator)};
  const auto f = [](std::span<const Tensor> in) { return tanh(matmul(in[0], in[1])); };
  const auto report = check_gradients(f, inputs, {.second_order = true});
  EXPECT_TRUE(report.agrees);
  EXPECT_LT(report.error, 1e-8);
}

TEST(CheckGradients, NamesTheWorstElement) {
  Generator generator(1);
  const std::array inputs{Tensor::ones({2}), Tensor::rand({5}, generator) + 1.0};
  const auto f = [](std::span<const Tensor> in) {
    return sum(in[0]) + sum(square_that_lies(in[1], 3, 1.01));
  };
  const auto report = compare_gradients(f, inputs);
  EXPECT_FALSE(report.agrees);
  EXPECT_EQ(report.input, 1U);
  EXPECT_EQ(report.index, 3);
  EXPECT_NEAR(report.analytic / report.numeric, 1.01, 1e-8);
  EXPECT_THAT([&] { check_gradients(f, inputs); },
              ThrowsMessage<AdError>(HasSubstr("input 1 at element 3: backward gives")));
}

TEST(CheckGradients, SeesAMissingGradient) {
  const std::array inputs{Tensor::ones({2})};
  const auto f = [](std::span<const Tensor> in) { return sum(square(in[0].detach())); };
  const auto report = compare_gradients(f, inputs);
  EXPECT_FALSE(report.agrees);
  EXPECT_EQ(report.analytic, 0);
  EXPECT_NEAR(report.numeric, 2, 1e-8);
}

TEST(CheckGradients, SeesAWrongSecondDerivative) {
  // The first derivative of a custom op comes from values without history: its derivative is lost.
  const std::array inputs{Tensor::full({2}, 1.5, DType::f64)};
  const auto f = [](std::span<const Tensor> in) { return sum(square_that_lies(in[0], 0, 1)); };
  EXPECT_TRUE(compare_gradients(f, inputs).agrees);
  const auto report = compare_gradients(f, inputs, {.second_order = true});
  EXPECT_FALSE(report.agrees);
  EXPECT_EQ(report.order, 2);
}

TEST(CheckGradients, MovesLeavesInPlaceAndPutsThemBack) {
  Tensor weight = Tensor::full({3}, 2, DType::f64);
  weight.requires_grad();
  const std::array inputs{weight};
  // The function reaches the leaf by itself, as a layer does.
  const auto report = check_gradients([&](std::span<const Tensor>) { return sum(exp(weight)); }, inputs);
  EXPECT_TRUE(report.agrees);
  EXPECT_EQ(weight.to_vector(), (std::vector<double>{2, 2, 2}));
  EXPECT_FALSE(weight.grad().defined());
}

TEST(CheckGradients, LeavesTheCallersTensorWithoutGradientAsItWas) {
  const Tensor x = Tensor::ones({2}, DType::f64);
  check_gradients([](std::span<const Tensor> in) { return sum(sin(in[0])); }, std::array{x});
  EXPECT_FALSE(x.needs_grad());
}

TEST(CheckGradients, PassesWholeInputsOn) {
  const std::array inputs{Tensor::ones({4, 2}), Tensor::of({std::int64_t{3}, std::int64_t{0}}, {2})};
  EXPECT_TRUE(
      check_gradients([](std::span<const Tensor> in) { return square(embedding(in[0], in[1])); }, inputs)
          .agrees);
  EXPECT_THAT(
      [&] { check_gradients([](std::span<const Tensor> in) { return in[0]; }, std::array{inputs[1]}); },
      ThrowsMessage<AdError>(HasSubstr("nothing to check")));
}

TEST(CheckGradients, LooksAtAsManyElementsAsAsked) {
  const std::array inputs{Tensor::ones({100}, DType::f64)};
  int calls = 0;
  const auto f = [&](std::span<const Tensor> in) {
    ++calls;
    return sum(square(in[0]));
  };
  check_gradients(f, inputs, {.most_elements = 10});
  EXPECT_EQ(calls, 1 + 4 * 10);
}

}  // namespace
}  // namespace tare::ad
