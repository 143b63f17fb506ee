// Variants against the network they were made from, on small networks; what trained models reach is held by
// tests/suites/test_models.py.
#include "engines/models/models.hpp"

#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <set>

#include "ad/tensor/ops.hpp"
#include "engines/models/quantised.hpp"
#include "engines/models/shrink.hpp"
#include "engines/models/sparse.hpp"

namespace tare::models {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

const std::vector<std::int64_t> picture{1, 8, 8};
constexpr auto pictures =
    "convolution 1 4, relu, pool, convolution 4 6, relu, convolution 6 6, relu, pool, flatten, linear 24 12, "
    "relu, linear 12 3";

Network network_for(const char* structure, std::uint64_t seed = 1) {
  ad::Generator generator(seed);
  Network network = make_network(parse_structure(structure), generator);
  const ad::NoGrad quiet;
  for (auto& layer : network.layers)
    if (layer.bias.defined()) layer.bias.copy_(ad::Tensor::randn(layer.bias.shape(), generator) * 0.1);
  return network;
}

ad::Tensor inputs(std::int64_t count, const ad::Shape& shape = {1, 8, 8}) {
  ad::Generator generator(9);
  ad::Shape whole{count};
  for (int i = 0; i < shape.rank; ++i) whole.push(shape[i]);
  return ad::Tensor::rand(whole, generator);
}

/// ‖a − b‖ ÷ ‖b‖.
double distance(const ad::Tensor& a, const ad::Tensor& b) {
  return (ad::norm(a - b) / ad::norm(b)).item();
}

class Models : public testing::Test {
  ad::NoGrad quiet_;
};
using Structures = Models;
using Quantised = Models;
using Sparse = Models;
using Shrink = Models;
using Decoders = Models;

TEST_F(Structures, AreReadAsTheyAreWritten) {
  EXPECT_EQ(text_of(parse_structure(pictures)), pictures);
  EXPECT_EQ(network_for(pictures).structure(), parse_structure(pictures));
}

TEST_F(Structures, AreRefusedWithTheReason) {
  for (const auto* wrong :
       {"", "linear 3", "linear 3 4 5", "linear 0 4", "linear 3 x", "linear 3 99999999", "sigmoid", "relu 3"})
    EXPECT_THROW(parse_structure(wrong), ad::AdError) << wrong;
  const auto refusal = [](const char* text) { return [=] { steps_of(parse_structure(text), picture); }; };
  EXPECT_THAT(refusal("flatten, linear 63 10"),
              ThrowsMessage<ad::AdError>(HasSubstr("another number of inputs")));
  EXPECT_THAT(refusal("convolution 2 4"),
              ThrowsMessage<ad::AdError>(HasSubstr("another number of channels")));
  EXPECT_THAT(refusal("relu, linear 64 10"),
              ThrowsMessage<ad::AdError>(HasSubstr("nothing with weights before")));
  EXPECT_THAT(refusal("linear 64 10, pool"), ThrowsMessage<ad::AdError>(HasSubstr("a pool halves")));
  EXPECT_THAT(refusal("linear 64 10, relu"), ThrowsMessage<ad::AdError>(HasSubstr("does not end with")));
}

TEST_F(Structures, CountTheWork) {
  // 64 pixels × 9 × 4 products, then 16 × 36 × 6, 16 × 54 × 6, 24 × 12, 12 × 3; two operations each.
  const auto cost = cost_of(steps_of(parse_structure(pictures), picture), 4);
  EXPECT_EQ(cost.flops, 2 * (64 * 9 * 4 + 16 * 36 * 6 + 16 * 54 * 6 + 24 * 12 + 12 * 3));
}

TEST_F(Models, FilesHoldTheNetwork) {
  const Network network = network_for(pictures);
  const auto bytes = ad::safetensors_bytes(file_of(network));
  const Network read = network_of(ad::parse_safetensors(bytes, "memory"));
  EXPECT_EQ(read(inputs(3)).to_vector(), network(inputs(3)).to_vector());
}

TEST_F(Models, FilesThatDoNotFitAreRefused) {
  auto file = file_of(network_for("linear 4 2"));
  file.metadata["structure"] = "linear 4 3";
  EXPECT_THAT([&] { network_of(file); },
              ThrowsMessage<ad::AdError>(HasSubstr("'0.weight' is f32 [4, 2], not f32 [4, 3]")));
  file.tensors.erase("0.weight");
  EXPECT_THAT([&] { network_of(file); }, ThrowsMessage<ad::AdError>(HasSubstr("no tensor '0.weight'")));
  file.metadata.clear();
  EXPECT_THAT([&] { network_of(file); }, ThrowsMessage<ad::AdError>(HasSubstr("'structure' is not stated")));
}

TEST_F(Quantised, AnswersLikeTheNetwork) {
  const Network network = network_for(pictures);
  const ad::Tensor x = inputs(40);
  QuantisedNetwork quantised(quantise(network, picture, x), picture);
  EXPECT_LT(distance(quantised(x), network(x)), 0.05);
}

TEST_F(Quantised, TakesNegativeInputs) {
  const Network network = network_for("linear 6 16, relu, linear 16 4, linear 4 5");
  const ad::Tensor x = inputs(50, {6}) * 4.0 - 3.0;
  QuantisedNetwork quantised(quantise(network, {6}, x), {6});
  EXPECT_LT(distance(quantised(x), network(x)), 0.03);
}

TEST_F(Quantised, IsExactWhereBytesAre) {
  // Weights and inputs that are multiples of their scales: whole numbers up to 127, nothing to round.
  Network network = network_for("linear 3 2");
  network.layers[0].weight = ad::Tensor::of({127.0F, 1.0F, -3.0F, 127.0F, 5.0F, -2.0F}, {3, 2});
  network.layers[0].bias = ad::Tensor::of({0.5F, -1.0F}, {2});
  const ad::Tensor x = ad::Tensor::of({127.0F, 0.0F, 13.0F, 1.0F, 2.0F, 3.0F}, {2, 3});
  QuantisedNetwork quantised(quantise(network, {3}, x), {3});
  const auto got = quantised(x).to_vector(), wanted = network(x).to_vector();
  for (std::size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], wanted[i], 1e-3);
}

TEST_F(Quantised, AnswersTheSameInEveryBatchSize) {
  // One row goes to the library, four or more to the packed weights where the CPU has the instruction.
  const Network network = network_for("linear 64 40, relu, linear 40 20, relu, linear 20 7");
  const ad::Tensor x = inputs(37, {64});
  QuantisedNetwork quantised(quantise(network, {64}, x), {64});
  const auto all = quantised(x).to_vector();
  for (std::int64_t i = 0; i < 37; ++i) {
    const auto one = quantised(ad::contiguous(ad::slice(x, 0, i, i + 1))).to_vector();
    for (std::size_t j = 0; j < 7; ++j) EXPECT_EQ(one[j], all[static_cast<std::size_t>(i) * 7 + j]) << i;
  }
}

TEST_F(Quantised, FileIsNearlyFourTimesSmaller) {
  const Network network = network_for("linear 64 512, relu, linear 512 256, relu, linear 256 10");
  const auto whole = ad::safetensors_bytes(file_of(network)).size();
  const auto small = ad::safetensors_bytes(quantise(network, {64}, inputs(4, {64}))).size();
  EXPECT_GE(static_cast<double>(whole) / static_cast<double>(small), 3.8);
}

TEST_F(Quantised, RefusesWhatItCannotBelieve) {
  const auto file = quantise(network_for("linear 4 2"), {4}, inputs(5, {4}));
  auto endless = file;
  endless.tensors["0.scale"] = ad::Tensor::full({2}, INFINITY);
  EXPECT_THAT([&] { QuantisedNetwork(endless, {4}); }, ThrowsMessage<ad::AdError>(HasSubstr("not finite")));
  auto no_range = file;
  no_range.tensors["0.range"] = ad::Tensor::of({0.1F, 200.0F}, {2});
  EXPECT_THAT([&] { QuantisedNetwork(no_range, {4}); }, ThrowsMessage<ad::AdError>(HasSubstr("range")));
  EXPECT_THAT([&] { QuantisedNetwork(file, {4})(inputs(2, {5})); },
              ThrowsMessage<ad::AdError>(HasSubstr("do not fit")));
}

TEST_F(Sparse, AnswersLikeTheNetworkInEveryBatchSize) {
  Network network = network_for(pictures);
  apply_masks(network, magnitude_masks(network, 0.7));
  SparseNetwork sparse(sparse_file_of(network, picture), picture);
  for (const std::int64_t n : {1, 3, 16, 37})
    EXPECT_LT(distance(sparse(inputs(n)), network(inputs(n))), 1e-5) << n;
}

TEST_F(Sparse, StoresOnlyWhatIsLeftAndBridgesLongGaps) {
  Network network = network_for("linear 1000 2");
  auto weights = network.layers[0].weight.mutable_values<float>();
  std::ranges::fill(weights, 0.0F);
  weights[2 * 999] = 3;      // of the first output, the last input
  weights[2 * 999 + 1] = 4;  // of the second
  SparseNetwork sparse(sparse_file_of(network, {1000}), {1000});
  EXPECT_EQ(sparse.weights(), 2 + 2);
  EXPECT_EQ(sparse.flops(), 4);
  const ad::Tensor x = inputs(2, {1000});
  EXPECT_LT(distance(sparse(x), network(x)), 1e-6);
}

TEST_F(Sparse, RefusesWeightsBeyondItsMatrix) {
  auto file = sparse_file_of(network_for("linear 4 2"), {4});
  auto skips = file.tensors["0.skip"].mutable_values<std::uint8_t>();
  std::ranges::fill(skips, std::uint8_t{255});
  EXPECT_THAT([&] { SparseNetwork(file, {4}); },
              ThrowsMessage<ad::AdError>(HasSubstr("beyond its 2×4 matrix")));
}

TEST_F(Shrink, MasksTheShareThatMattersLeast) {
  Network network = network_for("linear 10 10, relu, linear 10 10");
  network.layers[2].weight.mul_(0.01);  // a layer of small weights is not emptied
  const auto masks = magnitude_masks(network, 0.8);
  double kept = 0;
  for (const auto& [name, mask] : masks) {
    kept += ad::sum(mask).item();
    EXPECT_GT(ad::sum(mask).item(), 8) << name;
  }
  EXPECT_EQ(kept, 40);
  // Those that stay are the largest of their layer.
  const auto weights = ad::abs(network.layers[0].weight);
  const auto& mask = masks.at("0.weight");
  EXPECT_LE(ad::amax(weights * (1.0 - mask)).item(), ad::amin(weights + (1.0 - mask) * 100.0).item());
}

TEST_F(Shrink, NarrowedAnswersAsBeforeWhenDeadUnitsGo) {
  for (const char* structure : {pictures, "linear 64 8, relu, linear 8 3"}) {
    Network network = network_for(structure);
    // Every second unit of each hidden layer has no weights out: nothing may change without them.
    for (std::size_t i = 1; i < network.layers.size(); ++i) {
      auto& layer = network.layers[i];
      if (!layer.spec.has_weights()) continue;
      const bool linear = layer.spec.kind == Kind::linear;
      const auto units = network.layers[i - 1].spec.kind == Kind::flatten ? 6 : layer.spec.in;
      auto weights = layer.weight.mutable_values<float>();
      const auto each = linear ? static_cast<std::int64_t>(weights.size()) / units : 9;
      for (std::int64_t at = 0; at < static_cast<std::int64_t>(weights.size()); ++at)
        if (at / each % units % 2 == 1) weights[static_cast<std::size_t>(at)] = 0;
    }
    const ad::Tensor x = structure == pictures ? inputs(5) : inputs(5, {64});
    const Network narrow = narrowed(network, 0.5);
    EXPECT_LT(distance(narrow(x), network(x)), 1e-5) << structure;
    EXPECT_LT(ad::nn::learnt_count(narrow.parameters()), ad::nn::learnt_count(network.parameters()) * 0.6);
  }
}

TEST_F(Shrink, LowRankIsExactWhenTheRankIs) {
  Network network = network_for("linear 20 30, relu, linear 30 3");
  ad::Generator generator(3);
  network.layers[0].weight =
      ad::matmul(ad::Tensor::randn({20, 4}, generator), ad::Tensor::randn({4, 30}, generator));
  const Network thin = low_rank(network, 4);
  EXPECT_EQ(text_of(thin.structure()), "linear 20 4, linear 4 30, relu, linear 30 3");
  const ad::Tensor x = inputs(7, {20});
  EXPECT_LT(distance(thin(x), network(x)), 1e-4);
}

TEST(Training, LearnsAndKeepsMasks) {
  workloads::Task task{"ramp", "", {4}, 2, {}, {}, ""};
  ad::Generator generator(4);
  const auto values = ad::Tensor::rand({64, 4}, generator).to_vector();
  for (std::size_t i = 0; i < 64; ++i) {
    for (std::size_t j = 0; j < 4; ++j) task.train.inputs.push_back(static_cast<float>(values[4 * i + j]));
    task.train.labels.push_back(values[4 * i] > values[4 * i + 1] ? 1 : 0);
  }
  Network network = network_for("linear 4 16, relu, linear 16 2");
  const auto examples = batch_of(task, task.train);
  const auto masks = magnitude_masks(network, 0.5);
  apply_masks(network, masks);
  const double before = wrong_labels(network(examples.x), examples).item();
  fit(network, examples, {.epochs = 40, .rate = 0.02, .batch = 16}, wrong_labels,
      [&] { apply_masks(network, masks); });
  EXPECT_LT(wrong_labels(network(examples.x), examples).item(), before / 3);
  const ad::NoGrad quiet;
  EXPECT_EQ(ad::sum(ad::abs(network.layers[0].weight * (1.0 - masks.at("0.weight")))).item(), 0);
  const Network student = network_for("linear 4 4, relu, linear 4 2", 5);
  const auto loss = unlike_teacher(network);
  const double unlike = loss(student(examples.x), examples).item();
  {
    const ad::ModeScope<bool> recorded(&ad::Mode::grad, true);
    fit(student, examples, {.epochs = 20, .rate = 0.02}, loss);
  }
  EXPECT_LT(loss(student(examples.x), examples).item(), unlike);
}

TEST_F(Decoders, WriteTheSameWithAndWithoutACache) {
  ad::Generator generator(6);
  Decoder decoder({.characters = 9, .context = 24, .width = 16, .heads = 2, .blocks = 2}, generator);
  const ad::Tensor prompt =
      ad::Tensor::of({std::int64_t{1}, std::int64_t{5}, std::int64_t{8}, std::int64_t{2}}, {2, 2});
  const auto with = write(decoder, prompt, 20, true).to_vector();
  EXPECT_EQ(with.size(), 40U);
  EXPECT_EQ(with, write(decoder, prompt, 20, false).to_vector());
  const std::vector<std::int64_t> text{1, 2, 3, 4, 5, 6, 7, 8, 0, 1, 2, 3, 4, 5,
                                       6, 7, 8, 0, 1, 2, 3, 4, 5, 6, 7, 8, 0, 1};
  EXPECT_EQ(guessed(decoder, text, true), guessed(decoder, text, false));
}

TEST_F(Decoders, CountTheWorkOfWriting) {
  const DecoderShape shape{};
  const double cached = flops_of_writing(shape, 1, 16, 128, true),
               again = flops_of_writing(shape, 1, 16, 128, false);
  // (16 + 127) tokens once, or 16 + 17 + … + 143 of them.
  EXPECT_NEAR(again / cached, 10176.0 / 143.0, 4);
  EXPECT_EQ(flops_of_writing(shape, 4, 16, 128, true), 4 * cached);
}

TEST(ModelTable, NamesAreToldApartAndStructuresFit) {
  std::set<std::string> names;
  for (const auto& model : all_models()) {
    EXPECT_TRUE(names.insert(model.name).second);
    EXPECT_NO_THROW(steps_of(parse_structure(model.structure), model.task().shape)) << model.name;
    if (!model.student.empty()) {
      EXPECT_NO_THROW(steps_of(parse_structure(model.student), model.task().shape)) << model.name;
    }
    std::set<std::filesystem::path> files;
    for (const auto& variant : all_variants()) EXPECT_TRUE(files.insert(model_file(model, variant)).second);
  }
  EXPECT_EQ(all_variants().front().name, "fp32");
  EXPECT_THAT([] { model_named("gpt"); }, ThrowsMessage<ad::AdError>(HasSubstr("no model 'gpt'")));
}

}  // namespace
}  // namespace tare::models
