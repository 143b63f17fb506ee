#include "ad/nn/train.hpp"

#include <cmath>
#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "ad/nn/layers.hpp"
#include "ad/nn/optimiser.hpp"
#include "ad/nn/schedule.hpp"

namespace tare::ad::nn {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

Batch xor_data() {
  return {Tensor::of({0.0F, 0.0F, 0.0F, 1.0F, 1.0F, 0.0F, 1.0F, 1.0F}, {4, 2}),
          Tensor::of({std::int64_t{0}, std::int64_t{1}, std::int64_t{1}, std::int64_t{0}}, {4})};
}

std::vector<double> learn_xor(const Mlp& model, int epochs) {
  Adam optimiser(model.parameters(), {.rate = 0.05});
  return train([&](const Batch& b) { return update(cross_entropy(model(b.x), b.y), optimiser); },
               [](int) { return batches_of(xor_data(), 4); }, {.epochs = epochs});
}

TEST(Train, AnMlpLearnsXor) {
  Generator generator(1);
  const Mlp model({2, 8, 2}, generator);
  const auto losses = learn_xor(model, 200);
  EXPECT_GT(losses.front(), 0.5);
  EXPECT_LT(losses.back(), 0.01);
  EXPECT_EQ(argmax(model(xor_data().x), 1).to_vector(), (std::vector<double>{0, 1, 1, 0}));
}

TEST(Train, TheSameSeedLearnsTheSameBits) {
  Generator first(1), second(1);
  const Mlp a({2, 8, 2}, first), b({2, 8, 2}, second);
  EXPECT_EQ(learn_xor(a, 20), learn_xor(b, 20));
  EXPECT_EQ(a.layers[0].weight.to_vector(), b.layers[0].weight.to_vector());
}

TEST(Train, RegressionFindsTheLine) {
  Generator generator(2);
  const Tensor x = Tensor::randn({256, 3}, generator);
  const Tensor y = matmul(x, Tensor::of({1.0F, -2.0F, 0.5F}, {3, 1})) + 0.25;
  Linear model(3, 1, generator);
  Sgd optimiser(model.parameters(), {.rate = 0.05, .momentum = 0.9});
  Generator order(3);
  std::int64_t step = 0;
  std::vector<double> seen;
  const auto losses = train(
      [&](const Batch& b) {
        optimiser.set_rate(0.05 * warm_up(step, 10) * cosine(step, 20 * 8));
        ++step;
        return update(mean(square(model(b.x) - b.y)), optimiser);
      },
      [&](int) { return shuffled_batches({x, y}, 32, order); },
      {.epochs = 20, .progress = [&](const Progress& p) {
         EXPECT_EQ(p.epoch, static_cast<int>(seen.size()));
         EXPECT_EQ(p.epochs, 20);
         EXPECT_EQ(p.batches, 8);
         seen.push_back(p.loss);
         return true;
       }});
  EXPECT_EQ(losses, seen);
  EXPECT_LT(losses.back(), 1e-5);
  EXPECT_NEAR(model.bias.item(), 0.25, 1e-3);
}

TEST(Train, EndsWhenProgressSaysSo) {
  const auto losses =
      train([](const Batch&) { return Tensor::scalar(1); }, [](int) { return batches_of(xor_data(), 2); },
            {.epochs = 10, .progress = [](const Progress& p) { return p.epoch < 2; }});
  EXPECT_EQ(losses.size(), 3U);
}

TEST(Train, NamesTheBatchWhoseLossIsNotFinite) {
  int calls = 0;
  EXPECT_THAT(
      [&] {
        train([&](const Batch&) { return Tensor::scalar(++calls == 4 ? NAN : 1); },
              [](int) { return batches_of(xor_data(), 2); }, {.epochs = 3});
      },
      ThrowsMessage<AdError>(HasSubstr("batch 1 in epoch 1 is nan")));
}

TEST(Batches, CoverEverySampleOnce) {
  const Batch data{reshape(Tensor::arange(14, DType::f32), {7, 2}), Tensor::arange(7)};
  const auto plain = batches_of(data, 3);
  ASSERT_EQ(plain.size(), 3U);
  EXPECT_EQ(plain[2].x.shape(), (Shape{1, 2}));
  Generator generator(4);
  std::vector<double> seen;
  for (const auto& batch : shuffled_batches(data, 3, generator)) {
    const auto rows = batch.x.to_vector(), labels = batch.y.to_vector();
    for (std::size_t i = 0; i < labels.size(); ++i) {
      EXPECT_EQ(rows[2 * i], 2 * labels[i]);
      seen.push_back(labels[i]);
    }
  }
  EXPECT_NE(seen, (std::vector<double>{0, 1, 2, 3, 4, 5, 6}));
  std::ranges::sort(seen);
  EXPECT_EQ(seen, (std::vector<double>{0, 1, 2, 3, 4, 5, 6}));
  EXPECT_THAT([&] { batches_of({data.x, Tensor::arange(6)}, 3); }, ThrowsMessage<AdError>(HasSubstr("[6]")));
}

TEST(Schedules, AreTheirFormulas) {
  EXPECT_DOUBLE_EQ(step_decay(9, 10, 0.5), 1);
  EXPECT_DOUBLE_EQ(step_decay(25, 10, 0.5), 0.25);
  EXPECT_DOUBLE_EQ(cosine(0, 100), 1);
  EXPECT_NEAR(cosine(50, 100, 0.2), 0.6, 1e-15);
  EXPECT_DOUBLE_EQ(cosine(400, 100, 0.2), 0.2);
  EXPECT_DOUBLE_EQ(warm_up(0, 4), 0.25);
  EXPECT_DOUBLE_EQ(warm_up(7, 4), 1);
  EXPECT_THAT([] { cosine(1, 0); }, ThrowsMessage<AdError>(HasSubstr("cosine")));
}

TEST(Parameters, AreSavedAndLoaded) {
  const auto path = std::filesystem::path(testing::TempDir()) / ("tare_model_" + std::to_string(::getpid()));
  Generator generator(5);
  const Mlp model({2, 8, 2}, generator), other({2, 8, 2}, generator), smaller({2, 4, 2}, generator);
  save_parameters(path, model.parameters(), {{"task", "xor"}});
  EXPECT_NE(model(xor_data().x).to_vector(), other(xor_data().x).to_vector());
  EXPECT_EQ(load_parameters(path, other.parameters()).at("task"), "xor");
  EXPECT_EQ(model(xor_data().x).to_vector(), other(xor_data().x).to_vector());
  EXPECT_TRUE(other.layers[0].weight.needs_grad());
  const auto before = smaller.layers[1].bias.to_vector();
  EXPECT_THAT([&] { load_parameters(path, smaller.parameters()); },
              ThrowsMessage<AdError>(HasSubstr("'0.bias' is f32 [8], the model's is f32 [4]")));
  EXPECT_EQ(smaller.layers[1].bias.to_vector(), before);
  const Mlp deeper({2, 8, 2, 2}, generator), shallow({2, 2}, generator);
  EXPECT_THAT([&] { load_parameters(path, deeper.parameters()); },
              ThrowsMessage<AdError>(HasSubstr("has no parameter '2.bias'")));
  EXPECT_THAT([&] { copy_parameters(deeper.parameters(), model.parameters()); },
              ThrowsMessage<AdError>(HasSubstr("the model has no parameter '2.bias'")));
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace tare::ad::nn
