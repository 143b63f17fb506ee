#include "ad/nn/layers.hpp"

#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ad/nn/gradients_of_test.hpp"
#include "ad/nn/init.hpp"

namespace tare::ad::nn {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

constexpr Linear::Options wide{.dtype = DType::f64};

TEST(Linear, IsXTimesWeightPlusBias) {
  Generator generator(1);
  const Linear layer(3, 2, generator);
  const Tensor x = Tensor::randn({4, 3}, generator);
  const auto expected = (matmul(x, layer.weight) + layer.bias).to_vector();
  const auto got = layer(x).to_vector();
  for (std::size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], expected[i], 1e-6);
  EXPECT_EQ(layer.parameters().size(), 2U);
  EXPECT_EQ(learnt_count(layer.parameters()), 8);
  EXPECT_EQ(bytes_of(layer.parameters()), 32);
}

TEST(Linear, CanDoWithoutABias) {
  Generator generator(1);
  const Linear layer(3, 2, generator, {.bias = false});
  EXPECT_EQ(layer.parameters().size(), 1U);
  EXPECT_EQ(layer(Tensor::zeros({1, 3})).to_vector(), (std::vector<double>{0, 0}));
}

TEST(Layers, HaveTheGradientsOfDifferences) {
  Generator generator(2);
  const Tensor x = Tensor::randn({3, 4}, generator, DType::f64);
  const Linear linear_layer(4, 5, generator, wide);
  expect_gradients(linear_layer, x, linear_layer.parameters());
  LayerNorm layer(4, DType::f64);
  layer.weight = uniform({4}, 2, generator, DType::f64).requires_grad();
  expect_gradients(layer, x, layer.parameters());
  RmsNorm rms(4, DType::f64);
  rms.weight = uniform({4}, 2, generator, DType::f64).requires_grad();
  expect_gradients(rms, x, rms.parameters());
  const Mlp mlp({4, 6, 3, 2}, generator, tanh, DType::f64);
  expect_gradients(mlp, x, mlp.parameters());
}

TEST(Layers, BatchNormHasTheGradientsOfDifferencesInBothModes) {
  Generator generator(3);
  const Tensor x = Tensor::randn({3, 2, 2, 2}, generator, DType::f64);
  BatchNorm2d layer(2, DType::f64);
  expect_gradients([&](const Tensor& t) { return layer(t); }, x, layer.parameters());
  layer.training = false;
  expect_gradients([&](const Tensor& t) { return layer(t); }, x, layer.parameters());
}

TEST(Layers, EmbeddingHasTheGradientsOfDifferences) {
  Generator generator(4);
  const Embedding layer(5, 3, generator, DType::f64);
  const Tensor ids = Tensor::of({std::int64_t{1}, std::int64_t{4}, std::int64_t{1}}, {3});
  const auto f = [&](const Tensor&) { return square(layer(ids)); };
  expect_gradients(f, Tensor::zeros({1}, DType::f64), layer.parameters());
}

TEST(BatchNorm2d, NormalisesByTheBatchAndAveragesItsStatistics) {
  BatchNorm2d layer(1, DType::f64);
  const Tensor x = Tensor::of({1.0, 2.0, 3.0, 6.0}, {2, 1, 2, 1});  // mean 3, variance 3.5, unbiased 14/3
  const auto y = layer(x).to_vector();
  EXPECT_NEAR(y[3], 3 / std::sqrt(3.5 + 1e-5), 1e-12);
  EXPECT_NEAR(layer.running_mean.item(), 0.3, 1e-12);
  EXPECT_NEAR(layer.running_variance.item(), 0.9 + 0.1 * 14 / 3, 1e-12);
  layer.training = false;
  const auto z = layer(x).to_vector();
  EXPECT_NEAR(z[0], (1 - 0.3) / std::sqrt(0.9 + 0.1 * 14 / 3 + 1e-5), 1e-12);
  EXPECT_NEAR(layer.running_mean.item(), 0.3, 1e-12);
}

TEST(BatchNorm2d, LearnsWeightAndBiasButNotTheStatistics) {
  const auto parameters = BatchNorm2d(3).parameters();
  EXPECT_EQ(parameters.size(), 4U);
  EXPECT_EQ(learnt_count(parameters), 6);
}

TEST(BatchNorm2d, RefusesOtherChannels) {
  BatchNorm2d layer(3);
  layer.training = false;
  EXPECT_THAT([&] { layer(Tensor::zeros({2, 4, 1, 1})); }, ThrowsMessage<AdError>(HasSubstr("[2, 4, 1, 1]")));
}

TEST(Dropout, KeepsTheMeanInTrainingAndTheValuesOtherwise) {
  Dropout layer(0.25, 7);
  const Tensor x = Tensor::ones({100000}, DType::f64);
  const Tensor y = layer(x);
  // Values 0 and 4/3: the mean's deviation is √(1/3 / 10⁵) = 0.0018.
  EXPECT_NEAR(mean(y).item(), 1, 0.008);
  EXPECT_NEAR(mean(cast(equal(y, Tensor::scalar(0, DType::f64)), DType::f64)).item(), 0.25, 0.006);
  EXPECT_NE(layer(x).to_vector(), y.to_vector());
  EXPECT_EQ(Dropout(0.25, 7)(x).to_vector(), y.to_vector());
  layer.training = false;
  EXPECT_EQ(layer(x).to_vector(), x.to_vector());
}

TEST(Initialisers, FillTheirRange) {
  Generator generator(5);
  const auto values = uniform({10000}, kaiming_bound(24), generator, DType::f64).to_vector();
  const auto [low, high] = std::ranges::minmax(values);
  EXPECT_GE(low, -0.5);
  EXPECT_LT(high, 0.5);
  EXPECT_LT(low, -0.49);
  EXPECT_GT(high, 0.49);
  EXPECT_NEAR(var(normal({100000}, 3, generator, DType::f64)).item(), 9, 0.2);
  EXPECT_DOUBLE_EQ(xavier_bound(2, 4), 1);
  EXPECT_DOUBLE_EQ(default_bound(16), 0.25);
}

TEST(Initialisers, AreTheSameForTheSameSeed) {
  Generator first(9), second(9), other(10);
  const auto values = Linear(4, 4, first).weight.to_vector();
  EXPECT_EQ(values, Linear(4, 4, second).weight.to_vector());
  EXPECT_NE(values, Linear(4, 4, other).weight.to_vector());
}

TEST(Layers, RefuseSizesThatMakeNoSense) {
  Generator generator(1);
  EXPECT_THAT([&] { Linear(0, 3, generator); }, ThrowsMessage<AdError>(HasSubstr("Linear: a size of 0")));
  EXPECT_THAT([&] { Embedding(3, -1, generator); }, ThrowsMessage<AdError>(HasSubstr("size of -1")));
  EXPECT_THAT([&] { Mlp({3}, generator); }, ThrowsMessage<AdError>(HasSubstr("at least two")));
  EXPECT_THAT([&] { Linear(2, 3, generator)(Tensor::zeros({4, 5})); },
              ThrowsMessage<AdError>(HasSubstr("linear: x f32 [4, 5]")));
}

}  // namespace
}  // namespace tare::ad::nn
