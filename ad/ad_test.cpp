// The whole public surface in one program: scalar numbers, tensors and layers beside each other.
#include "ad/ad.hpp"

#include <array>
#include <cmath>
#include <gtest/gtest.h>

namespace tare::ad {
namespace {

TEST(Surface, ScalarsAndTensorsAgree) {
  const std::array x{0.5, -1.25};
  const auto f = [](auto v) {
    using std::exp, std::sin;
    return sin(v[0]) * v[1] + exp(v[0]);
  };
  EXPECT_TRUE(check_gradients(f, std::span<const double>(x)).agrees);
  const auto scalars = gradient<double>(f, std::span<const double>(x));

  Tensor a = Tensor::scalar(x[0], DType::f64), b = Tensor::scalar(x[1], DType::f64);
  a.requires_grad();
  b.requires_grad();
  const std::array leaves{a, b};
  const auto g = [](std::span<const Tensor> v) { return sin(v[0]) * v[1] + exp(v[0]); };
  EXPECT_TRUE(check_gradients(g, leaves).agrees);
  const auto tensors = gradient(g(leaves), leaves);
  for (std::size_t i = 0; i < 2; ++i) EXPECT_NEAR(tensors[i].item(), scalars[i], 1e-15);
}

TEST(Surface, AModelIsTrainedInAFewLines) {
  Generator generator(1);
  const nn::Mlp model({2, 8, 1}, generator, tanh);
  const Tensor x = Tensor::randn({64, 2}, generator), y = sum(x, {1}, true);
  nn::Adam optimiser(model.parameters(), {.rate = 0.02});
  const auto losses =
      nn::train([&](const nn::Batch& b) { return nn::update(mean(square(model(b.x) - b.y)), optimiser); },
                [&](int) { return nn::batches_of({x, y}, 16); }, {.epochs = 40});
  EXPECT_LT(losses.back(), 0.05 * losses.front());
}

}  // namespace
}  // namespace tare::ad
