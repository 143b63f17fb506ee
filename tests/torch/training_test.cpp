// An MLP and a CNN trained from the same weights on the same data, by us and by libtorch: the loss before
// every one of 50 steps agrees within 1e-5 of the first loss in f32, where rounding grows from step to step,
// and 1e-13 in f64.
#include <gtest/gtest.h>

#include "ad/nn/convolution.hpp"
#include "ad/nn/layers.hpp"
#include "ad/nn/optimiser.hpp"
#include "tests/torch/peer.hpp"

namespace tare::ad {
namespace {

constexpr int steps = 50;

struct Training {
  PeerModel model;
  PeerOptimiser optimiser;
  DType dtype;
};

struct Cnn {
  nn::Conv2d first, second;
  nn::Linear head;
  Cnn(Generator& generator, DType dtype)
      : first(3, 8, 3, generator, {.shape = {.padding = 1}, .dtype = dtype}),
        second(8, 16, 3, generator, {.shape = {.stride = 2, .padding = 1}, .dtype = dtype}),
        head(16 * 3 * 3, 5, generator, {.dtype = dtype}) {}
  Tensor operator()(const Tensor& x) const {
    const Tensor h = relu(second(max_pool2d(relu(first(x)))));
    return head(reshape(h, {x.size(0), -1}));
  }
  [[nodiscard]] nn::Parameters parameters() const {
    nn::Parameters all;
    nn::add_part(all, "first", first.parameters());
    nn::add_part(all, "second", second.parameters());
    nn::add_part(all, "head", head.parameters());
    return all;
  }
};

template <class Model, class Update>
std::vector<double> losses_of(const Model& model, Update update, const Tensor& x, const Tensor& targets) {
  std::vector<double> losses;
  for (int step = 0; step < steps; ++step) {
    update.zero_gradients();
    const Tensor loss = cross_entropy(model(x), targets);
    losses.push_back(loss.item());
    loss.backward();
    update.step();
  }
  return losses;
}

template <class Model>
void compare(const Training& t, const Model& model, const Tensor& x, const Tensor& targets) {
  const Deterministic scope;  // a product by another library rounds otherwise
  const auto parameters = model.parameters();
  // libtorch first: our training changes the weights.
  const auto want = train_with_libtorch(t.model, t.optimiser, parameters, x, targets, steps);
  const auto got = t.optimiser == PeerOptimiser::sgd
                       ? losses_of(model, nn::Sgd(parameters, {.rate = 0.05, .momentum = 0.9}), x, targets)
                       : losses_of(model, nn::Adam(parameters, {.rate = 1e-3}), x, targets);
  const double tolerance = t.dtype == DType::f64 ? 1e-12 : 1e-5;
  ASSERT_EQ(got.size(), want.size());
  for (std::size_t i = 0; i < want.size(); ++i)
    EXPECT_NEAR(got[i], want[i], tolerance * want.front()) << "step " << i;
  EXPECT_LT(want.back(), 0.9 * want.front()) << "there was something to learn";
}

class SameCurve : public testing::TestWithParam<Training> {};

TEST_P(SameCurve, AsLibtorch) {
  const auto t = GetParam();
  Generator generator(7);
  constexpr std::int64_t batch = 32, classes = 5;
  std::vector<std::int64_t> chosen(batch);
  for (std::size_t i = 0; i < chosen.size(); ++i) chosen[i] = static_cast<std::int64_t>(i * i % classes);
  const Tensor targets = Tensor::of(std::span<const std::int64_t>(chosen), {batch});
  if (t.model == PeerModel::mlp) {
    const nn::Mlp model({20, 64, 32, classes}, generator, relu, t.dtype);
    compare(t, model, Tensor::randn({batch, 20}, generator, t.dtype), targets);
  } else {
    const Cnn model(generator, t.dtype);
    compare(t, model, Tensor::randn({batch, 3, 12, 12}, generator, t.dtype), targets);
  }
}

std::vector<Training> all_trainings() {
  std::vector<Training> all;
  for (const auto model : {PeerModel::mlp, PeerModel::cnn})
    for (const auto optimiser : {PeerOptimiser::sgd, PeerOptimiser::adam})
      for (const auto dtype : {DType::f32, DType::f64}) all.push_back({model, optimiser, dtype});
  return all;
}

INSTANTIATE_TEST_SUITE_P(Models, SameCurve, testing::ValuesIn(all_trainings()), [](const auto& info) {
  return std::string(info.param.model == PeerModel::mlp ? "mlp" : "cnn") +
         (info.param.optimiser == PeerOptimiser::sgd ? "_sgd_" : "_adam_") +
         std::string(name_of(info.param.dtype));
});

}  // namespace
}  // namespace tare::ad
