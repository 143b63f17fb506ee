#include "ad/nn/transformer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ad/nn/gradients_of_test.hpp"

namespace tare::ad::nn {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(MultiHeadAttention, HasTheGradientsOfDifferences) {
  Generator generator(1);
  const MultiHeadAttention layer(4, 2, generator, DType::f64);
  const Tensor x = Tensor::randn({2, 3, 4}, generator, DType::f64);
  expect_gradients([&](const Tensor& t) { return layer(t, true); }, x, layer.parameters());
  expect_gradients([&](const Tensor& t) { return layer(t, false); }, x, layer.parameters());
}

TEST(TransformerBlock, HasTheGradientsOfDifferences) {
  Generator generator(2);
  TransformerBlock block(4, 2, 6, generator, {.dtype = DType::f64});
  const Tensor x = Tensor::randn({1, 3, 4}, generator, DType::f64);
  expect_gradients([&](const Tensor& t) { return block(t); }, x, block.parameters());
  EXPECT_EQ(block.parameters().size(), 2U + 8U + 2U + 4U);
}

TEST(MultiHeadAttention, IsCausalWhenAsked) {
  Generator generator(3);
  const MultiHeadAttention layer(8, 4, generator, DType::f64);
  const Tensor x = Tensor::randn({1, 5, 8}, generator, DType::f64);
  Tensor changed = copy(x);
  slice(changed, 1, 4, 5).fill_(100);
  const auto before = slice(layer(x, true), 1, 0, 4).to_vector(),
             after = slice(layer(changed, true), 1, 0, 4).to_vector();
  EXPECT_EQ(before, after);
  EXPECT_NE(slice(layer(x, false), 1, 0, 4).to_vector(), slice(layer(changed, false), 1, 0, 4).to_vector());
}

TEST(KvCache, DecodingTokenByTokenIsAttentionOverAll) {
  Generator generator(4);
  TransformerBlock first(8, 2, 16, generator, {.dtype = DType::f64}),
      second(8, 2, 16, generator, {.dtype = DType::f64});
  const Tensor x = Tensor::randn({3, 10, 8}, generator, DType::f64);
  const NoGrad quiet;
  const auto expected = second(first(x)).to_vector();
  KvCache a = first.attention.make_cache(3, 12), b = second.attention.make_cache(3, 12);
  std::vector<Tensor> parts;
  // A prompt of four tokens at once, then one by one.
  for (std::int64_t at = 0, size = 4; at < 10; at += size, size = 1)
    parts.push_back(second(first(slice(x, 1, at, at + size), true, &a), true, &b));
  EXPECT_EQ(a.length, 10);
  const auto got = concat(parts, 1).to_vector();
  ASSERT_EQ(got.size(), expected.size());
  for (std::size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], expected[i], 1e-12) << i;
}

TEST(KvCache, AStepCopiesNothingOfTheCache) {
  Generator generator(4);
  const MultiHeadAttention layer(64, 4, generator);
  KvCache cache = layer.make_cache(1, 512);
  const NoGrad quiet;
  layer(Tensor::randn({1, 500, 64}, generator), true, &cache);
  const Tensor token = Tensor::randn({1, 1, 64}, generator);
  reset_peak_memory();
  const auto before = memory_stats().live_bytes;
  layer(token, true, &cache);
  // The cache's keys alone are 128 KiB; a step needs the scores of four heads and some rows of 64.
  EXPECT_LT(memory_stats().peak_bytes - before, 16 * 1024);
}

TEST(KvCache, RefusesMoreThanItHolds) {
  Generator generator(5);
  const MultiHeadAttention layer(4, 2, generator);
  KvCache cache = layer.make_cache(1, 3);
  const NoGrad quiet;
  layer(Tensor::zeros({1, 2, 4}), true, &cache);
  EXPECT_THAT([&] { layer(Tensor::zeros({1, 2, 4}), true, &cache); },
              ThrowsMessage<AdError>(HasSubstr("2 tokens after 2 do not fit the capacity of 3")));
  EXPECT_EQ(cache.length, 2);
}

TEST(KvCache, RefusesToLoseGradients) {
  Generator generator(6);
  const MultiHeadAttention layer(4, 2, generator);
  KvCache cache = layer.make_cache(1, 3);
  EXPECT_THAT([&] { layer(Tensor::zeros({1, 1, 4}), true, &cache); },
              ThrowsMessage<AdError>(HasSubstr("NoGrad")));
}

TEST(MultiHeadAttention, RefusesWhatDoesNotFit) {
  Generator generator(7);
  EXPECT_THAT([&] { MultiHeadAttention(6, 4, generator); }, ThrowsMessage<AdError>(HasSubstr("4 heads")));
  const MultiHeadAttention layer(4, 2, generator);
  EXPECT_THAT([&] { layer(Tensor::zeros({3, 4})); }, ThrowsMessage<AdError>(HasSubstr("[3, 4]")));
}

TEST(TransformerBlock, DropoutActsInTrainingOnly) {
  Generator generator(8);
  TransformerBlock block(4, 2, 6, generator, {.dropout = 0.5, .dropout_seed = 1});
  const Tensor x = Tensor::randn({1, 3, 4}, generator);
  EXPECT_NE(block(x).to_vector(), block(x).to_vector());
  block.dropout.training = false;
  EXPECT_EQ(block(x).to_vector(), block(x).to_vector());
}

}  // namespace
}  // namespace tare::ad::nn
