#include "ad/nn/convolution.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ad/nn/gradients_of_test.hpp"
#include "ad/nn/layers.hpp"
#include "ad/nn/optimiser.hpp"
#include "ad/nn/train.hpp"

namespace tare::ad::nn {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(Conv2d, HasTheGradientsOfDifferences) {
  Generator generator(1);
  const Conv2d layer(2, 4, 3, generator,
                     {.shape = {.stride = 2, .padding = 1, .groups = 2}, .dtype = DType::f64});
  const Tensor x = Tensor::randn({2, 2, 5, 4}, generator, DType::f64);
  expect_gradients(layer, x, layer.parameters());
  EXPECT_EQ(layer(x).shape(), (Shape{2, 4, 3, 2}));
  EXPECT_EQ(layer.weight.shape(), (Shape{4, 1, 3, 3}));
}

TEST(Conv2d, RefusesGroupsThatDoNotDivide) {
  Generator generator(1);
  EXPECT_THAT([&] { Conv2d(3, 4, 3, generator, {.shape = {.groups = 2}}); },
              ThrowsMessage<AdError>(HasSubstr("3 to 4 channels")));
}

/// Bars across and bars down, told apart by a small convolutional network.
TEST(Conv2d, ASmallNetworkLearnsToTellBarsApart) {
  Generator generator(2);
  Tensor x = Tensor::randn({64, 1, 6, 6}, generator) * 0.1;
  Tensor y = Tensor::zeros({64}, DType::i64);
  const auto pixels = x.mutable_values<float>();
  const auto labels = y.mutable_values<std::int64_t>();
  for (std::size_t n = 0; n < 64; ++n) {
    labels[n] = static_cast<std::int64_t>(n % 2);
    const std::size_t line = n / 2 % 6;
    for (std::size_t i = 0; i < 6; ++i) pixels[n * 36 + (n % 2 == 0 ? line * 6 + i : i * 6 + line)] += 1;
  }
  const Conv2d convolution(1, 4, 3, generator, {.shape = {.padding = 1}});
  BatchNorm2d norm(4);
  const Linear head(4 * 3 * 3, 2, generator);
  Parameters parameters;
  add_part(parameters, "convolution", convolution.parameters());
  add_part(parameters, "norm", norm.parameters());
  add_part(parameters, "head", head.parameters());
  Adam optimiser(parameters, {.rate = 0.02});
  const auto model = [&](const Tensor& in) {
    const Tensor pooled = max_pool2d(relu(norm(convolution(in))));
    return head(reshape(pooled, {pooled.size(0), -1}));
  };
  const auto losses = train([&](const Batch& b) { return update(cross_entropy(model(b.x), b.y), optimiser); },
                            [&](int) { return batches_of({x, y}, 16); }, {.epochs = 20});
  EXPECT_LT(losses.back(), 0.05);
  norm.training = false;
  EXPECT_GE(mean(cast(equal(argmax(model(x), 1), y), DType::f64)).item(), 0.95);
}

}  // namespace
}  // namespace tare::ad::nn
