// Tensors as values: making, views, spans, changes in place.
#include "ad/tensor/tensor.hpp"

#include <cmath>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>
#include <numeric>

#include "ad/tensor/ops.hpp"

namespace tare::ad {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(Tensor, IsMadeFromValues) {
  const Tensor x = Tensor::of({1.0F, 2.0F, 3.0F, 4.0F, 5.0F, 6.0F}, {2, 3});
  EXPECT_EQ(x.dtype(), DType::f32);
  EXPECT_EQ(x.shape(), (Shape{2, 3}));
  EXPECT_EQ(x.size(-1), 3);
  EXPECT_EQ(x.count(), 6);
  EXPECT_TRUE(x.is_contiguous());
  EXPECT_THAT(x.to_vector(), ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_THAT(Tensor::full({2}, 7, DType::i64).to_vector(), ElementsAre(7, 7));
  EXPECT_THAT(Tensor::arange(3, DType::f64).to_vector(), ElementsAre(0, 1, 2));
  EXPECT_EQ(Tensor::scalar(2.5).item(), 2.5);
  EXPECT_EQ(Tensor::zeros({0, 3}).count(), 0);
}

TEST(Tensor, WholeTypesTakeTheNearestNumberTheyHold) {
  EXPECT_EQ(Tensor::full({}, 300, DType::u8).item(), 255);
  EXPECT_EQ(Tensor::full({}, -1, DType::u8).item(), 0);
  EXPECT_EQ(Tensor::full({}, std::numeric_limits<double>::quiet_NaN(), DType::i64).item(), 0);
  EXPECT_EQ(cast(Tensor::scalar(1e30), DType::i64).values<std::int64_t>()[0], INT64_MAX);
  EXPECT_EQ(cast(Tensor::scalar(-1e30), DType::i8).item(), -128);
}

TEST(Tensor, HandlesShareOneBody) {
  Tensor a = Tensor::zeros({2});
  Tensor b = a;
  b.fill_(3);
  EXPECT_THAT(a.to_vector(), ElementsAre(3, 3));
  const Tensor moved = std::move(b);
  EXPECT_EQ(moved.body(), a.body());
}

TEST(Tensor, SpansAreNotCopied) {
  std::vector<float> memory{1, 2, 3, 4};
  Tensor x = Tensor::view_of(std::span<float>(memory), {2, 2});
  EXPECT_EQ(x.values<float>().data(), memory.data());
  memory[3] = 9;
  EXPECT_EQ(x.to_vector()[3], 9);
  x.mutable_values<float>()[0] = 7;
  EXPECT_EQ(memory[0], 7);
  const Tensor made = Tensor::zeros({3}, DType::f64);
  EXPECT_EQ(made.values<double>().data(), made.values<double>().data());
}

TEST(Tensor, ConstantSpansStayConstant) {
  const std::vector<float> memory{1, 2};
  Tensor x = Tensor::view_of(std::span<const float>(memory), {2});
  EXPECT_THAT((x + 1.0).to_vector(), ElementsAre(2, 3));
  EXPECT_THAT([&] { x.fill_(0); }, ThrowsMessage<AdError>(HasSubstr("constant memory")));
  EXPECT_THAT([&] { slice(x, 0, 0, 1).mul_(2); }, ThrowsMessage<AdError>(HasSubstr("constant memory")));
  EXPECT_THAT([&] { (void)x.mutable_values<float>(); }, ThrowsMessage<AdError>(HasSubstr("constant memory")));
  EXPECT_EQ(memory[0], 1);
}

TEST(Tensor, ViewsShareTheirData) {
  Tensor x = reshape(Tensor::arange(12, DType::f32), {3, 4});
  const float* data = x.values<float>().data();
  EXPECT_EQ(reshape(x, {2, 6}).body()->values<float>(), data);
  EXPECT_EQ(transpose(x).body()->values<float>(), data);
  EXPECT_EQ(slice(x, 1, 1, 3).body()->values<float>(), data + 1);
  EXPECT_EQ(expand(reshape(x, {3, 1, 4}), {3, 5, 4}).body()->values<float>(), data);
  EXPECT_EQ(unsqueeze(x, 0).body()->values<float>(), data);
  EXPECT_EQ(x.detach().body()->values<float>(), data);
  EXPECT_NE(copy(x).body()->values<float>(), data);
  EXPECT_EQ(contiguous(x).body(), x.body());
  slice(transpose(x), 0, 2, 3).fill_(-1);
  EXPECT_THAT(x.to_vector(), ElementsAre(0, 1, -1, 3, 4, 5, -1, 7, 8, 9, -1, 11));
}

TEST(Tensor, ReshapeCopiesOnlyWhereStridesDoNotAllowAView) {
  const Tensor x = reshape(Tensor::arange(24), {2, 3, 4});
  const Tensor turned = permute(x, {1, 0, 2});
  EXPECT_EQ(reshape(turned, {3, 2, 2, 2}).body()->data, x.body()->data);
  const Tensor joined = reshape(turned, {6, 4});
  EXPECT_NE(joined.body()->data, x.body()->data);
  EXPECT_EQ(joined.to_vector(), turned.to_vector());
  EXPECT_EQ(reshape(x, {-1, 6}).shape(), (Shape{4, 6}));
}

TEST(Tensor, SlicesTakeEveryNth) {
  const Tensor x = Tensor::arange(10);
  EXPECT_THAT(slice(x, 0, 1, 8, 3).to_vector(), ElementsAre(1, 4, 7));
  EXPECT_THAT(slice(x, 0, -3, -1).to_vector(), ElementsAre(7, 8));
  EXPECT_THAT(slice(x, 0, 2, 100, INT64_MAX).to_vector(), ElementsAre(2));
  EXPECT_EQ(slice(x, 0, 4, 4).count(), 0);
  EXPECT_THAT([&] { slice(x, 0, 5, 2); },
              ThrowsMessage<AdError>(HasSubstr("slice: 5 to 2 of axis 0 of shape [10]")));
  EXPECT_THAT([&] { slice(x, 0, 0, 5, 0); }, ThrowsMessage<AdError>(HasSubstr("step 0")));
  EXPECT_THROW(slice(x, 0, INT64_MIN, INT64_MAX), AdError);
}

TEST(Tensor, ChangesInPlaceFollowTheView) {
  Tensor x = Tensor::zeros({2, 3}, DType::f64);
  transpose(x).copy_(reshape(Tensor::arange(6, DType::f64), {3, 2}));
  EXPECT_THAT(x.to_vector(), ElementsAre(0, 2, 4, 1, 3, 5));
  x.add_(Tensor::of({1.0, 2.0, 3.0}, {3}), 10);
  EXPECT_THAT(x.to_vector(), ElementsAre(10, 22, 34, 11, 23, 35));
  x.mul_(0.5);
  EXPECT_THAT(x.to_vector(), ElementsAre(5, 11, 17, 5.5, 11.5, 17.5));
  x.copy_(Tensor::scalar(3));
  EXPECT_THAT(x.to_vector(), ElementsAre(3, 3, 3, 3, 3, 3));
}

TEST(Tensor, CopiesBetweenOverlappingViews) {
  Tensor x = Tensor::arange(6);
  slice(x, 0, 1, 6).copy_(slice(x, 0, 0, 5));
  EXPECT_THAT(x.to_vector(), ElementsAre(0, 0, 1, 2, 3, 4));
  Tensor square = reshape(Tensor::arange(4), {2, 2});
  square.copy_(transpose(square));
  EXPECT_THAT(square.to_vector(), ElementsAre(0, 2, 1, 3));
}

/// Whether an op on what is moved in was computed in its memory.
bool reuses(Tensor x, const std::function<Tensor(Tensor)>& op) {
  const auto* memory = x.body()->data;
  return op(std::move(x)).body()->data == memory;
}

TEST(Tensor, TemporariesGiveTheirMemoryToTheResult) {
  const auto made = [](DType dtype = DType::f32) { return Tensor::full({2, 3}, 4, dtype); };
  const Tensor other = made(), row = Tensor::ones({3}), column = Tensor::ones({2, 1});
  EXPECT_TRUE(reuses(made(), [](Tensor x) { return sqrt(std::move(x)); }));
  EXPECT_TRUE(reuses(made(), [&](Tensor x) { return std::move(x) - other; }));
  EXPECT_TRUE(reuses(made(), [&](Tensor x) { return other - std::move(x); }));
  EXPECT_TRUE(reuses(made(), [](Tensor x) { return 1.0 - std::move(x) * 2.0; }));
  EXPECT_TRUE(reuses(made(), [&](Tensor x) { return row + std::move(x); }));
  EXPECT_TRUE(reuses(made(), [&](Tensor x) { return Tensor::ones({3}) / std::move(x); }));
  EXPECT_TRUE(reuses(made(), [&](Tensor x) { return std::move(x) * column; }));
  EXPECT_TRUE(reuses(made(DType::f64), [](Tensor x) { return -std::move(x); }));

  EXPECT_FALSE(reuses(made(), [](Tensor x) { return sqrt(x); })) << "x is still there";
  EXPECT_FALSE(reuses(made(DType::i64), [](Tensor x) { return sqrt(std::move(x)); })) << "another type";
  EXPECT_FALSE(reuses(made(), [](Tensor x) { return std::move(x) + Tensor::ones({2, 3}, DType::f64); }));
  EXPECT_FALSE(reuses(made(), [](Tensor x) { return std::move(x) + Tensor::ones({5, 2, 3}); })) << "larger";
  EXPECT_FALSE(reuses(made().requires_grad(), [](Tensor x) { return sqrt(std::move(x)); })) << "recorded";
}

TEST(Tensor, MemoryThatIsSeenElsewhereIsNotGivenAway) {
  const Tensor two = Tensor::full({2}, 2);
  Tensor x = Tensor::full({2}, 4);
  const Tensor same = x;
  EXPECT_THAT(sqrt(std::move(x)).to_vector(), ElementsAre(2, 2));
  EXPECT_THAT(same.to_vector(), ElementsAre(4, 4));

  x = Tensor::full({2}, 4);
  const Tensor view = reshape(x, {2, 1});
  EXPECT_THAT((std::move(x) / two).to_vector(), ElementsAre(2, 2));
  EXPECT_THAT(view.to_vector(), ElementsAre(4, 4));

  std::vector<float> memory{4, 4};
  EXPECT_THAT(sqrt(Tensor::view_of(std::span<float>(memory), {2})).to_vector(), ElementsAre(2, 2));
  EXPECT_THAT(memory, ElementsAre(4, 4)) << "the caller's";

  // w's derivative needs the 4s, whoever computed them.
  Tensor w = Tensor::full({2}, 3).requires_grad();
  const Tensor loss = sum((two * two) * w);
  loss.backward();
  EXPECT_THAT(w.grad().to_vector(), ElementsAre(4, 4));
  x = Tensor::full({2}, 4);
  const Tensor y = x * w;
  const Tensor root = sqrt(std::move(x));
  sum(y).backward();
  EXPECT_THAT(w.grad().to_vector(), ElementsAre(8, 8));

  x = Tensor::full({2}, 3);
  EXPECT_THAT((std::move(x) * x).to_vector(), ElementsAre(9, 9)) << "both factors";
}

TEST(Tensor, RandomNumbersDependOnTheSeedAlone) {
  Generator a(1), b(1), c(2);
  const auto first = Tensor::randn({100}, a).to_vector();
  EXPECT_EQ(first, Tensor::randn({100}, b).to_vector());
  EXPECT_NE(first, Tensor::randn({100}, c).to_vector());
  EXPECT_NE(first, Tensor::randn({100}, a).to_vector());
  const auto values = Tensor::rand({100000}, c).to_vector();
  EXPECT_GE(*std::ranges::min_element(values), 0);
  EXPECT_LT(*std::ranges::max_element(values), 1);
  EXPECT_NEAR(std::accumulate(values.begin(), values.end(), 0.0) / 1e5, 0.5, 0.005);
  const Tensor normal = Tensor::randn({100000}, c, DType::f64);
  EXPECT_NEAR(mean(normal).item(), 0, 0.015);
  EXPECT_NEAR(var(normal).item(), 1, 0.02);
}

TEST(Tensor, ErrorsNameTheOpAndWhatItGot) {
  const Tensor none, x = Tensor::zeros({2, 3}), whole = Tensor::arange(3);
  const auto says = [](auto f, const char* text) { EXPECT_THAT(f, ThrowsMessage<AdError>(HasSubstr(text))); };
  says([&] { (void)none.shape(); }, "shape: the tensor is undefined");
  says([&] { exp(none); }, "exp: input 0 is an undefined tensor");
  says([&] { add(x, none); }, "add: input 1 is an undefined tensor");
  says([&] { (void)x.item(); }, "item: a tensor of shape [2, 3] has 6 elements");
  says([&] { (void)x.values<double>(); }, "values: the tensor holds f32, not f64");
  says([&] { (void)transpose(x).values<float>(); }, "a view of shape [3, 2] is not contiguous");
  says([&] { (void)Tensor::of({1.0F}, {2}); }, "of: 1 values for shape [2]");
  says([&] { (void)Tensor::zeros({-1}); }, "full: shape [-1] has a negative size");
  says([&] { (void)Tensor::empty({std::int64_t{1} << 40, std::int64_t{1} << 40}); }, "too many elements");
  says([&] { add(x, Tensor::zeros({2})); }, "add: shapes [2, 3] and [2] do not broadcast");
  says([&] { matmul(x, x); }, "matmul: f32 [2, 3] times f32 [2, 3]: the inner sizes must agree");
  says([&] { sum(x, {2}); }, "sum: axis 2 of a tensor of shape [2, 3]");
  says([&] { reshape(x, {4}); }, "reshape: [2, 3] has 6 elements and does not fill [4]");
  says([&] { reshape(x, {-1, -1}); }, "one may be -1");
  says([&] { permute(x, {0, 0}); }, "permute: axis 0 is named twice");
  says([&] { expand(x, {2, 4}); }, "expand");
  says([&] { squeeze(x, 0); }, "squeeze: axis 0 of shape [2, 3] is not of size 1");
  says([&] { where(x, x, x); }, "where: the condition is f32 [2, 3], not bool");
  says([&] { softmax(whole); }, "softmax: i64 [3]: f32 or f64 is needed");
  says([&] { gather(x, 1, Tensor::full({2, 1}, 3, DType::i64)); }, "gather: index 3 is not below 3");
  says([&] { gather(x, 1, x); }, "gather: the index is f32 [2, 3], not i64");
  says([&] { scatter_add(x, 1, Tensor::full({2, 1}, -1, DType::i64), Tensor::ones({2, 1})); }, "index -1");
  says([&] { embedding(x, Tensor::full({2}, 2, DType::i64)); },
       "embedding: id 2 at position 0 is not below 2");
  says([&] { cross_entropy(x, Tensor::full({2}, 3, DType::i64)); },
       "target 3 of row 0 is not one of 3 classes");
  says([&] { cross_entropy(x, whole); }, "cross_entropy: logits f32 [2, 3] with targets i64 [3]");
  says([&] { amax(Tensor::zeros({0, 3}), {0}); }, "amax: no elements to choose from in shape [0, 3]");
  says([&] { logsumexp(Tensor::zeros({2, 0}), {1}); }, "logsumexp: no elements");
  says([&] { concat(std::vector{x, Tensor::zeros({2, 4, 1})}, 0); }, "concat: tensor 1 of shape [2, 4, 1]");
  says([&] { concat(std::vector<Tensor>{}, 0); }, "concat: no tensors");
  says([&] { pad(x, {0}, {0}); }, "pad: [0] and [0] for a tensor of shape [2, 3]");
  says([&] { pad(x, {INT64_MAX, 0}, {1, 0}); }, "pad");
  says([&] { split(x, 0, 0); }, "split: parts of size 0");
  says([&] { clamp(x, 1, 0); }, "clamp: the bounds 1 and 0");
  says([&] { attention(x, x, Tensor::zeros({3, 3})); }, "attention: queries f32 [2, 3]");
  says([&] { attention(x, Tensor::zeros({1, 3}), Tensor::zeros({1, 3}), true); },
       "no more queries than keys");
  says([&] { layer_norm(x, Tensor::zeros({2}), Tensor::zeros({3})); }, "layer_norm: weight or bias f32 [2]");
  says([&] { matmul_i8(x, x); }, "matmul_i8");
  says([&] { Tensor::zeros({2}).copy_(x); }, "copy_");
  says(
      [&] {
        Generator g(1);
        dropout(x, 1, g);
      },
      "dropout: probability 1 is not in [0, 1)");
  says([&] { var(Tensor::zeros({1})); }, "var: 1 elements with divisor n - 1");
  says([&] { Tensor(x).set_grad(Tensor::zeros({3})); }, "set_grad: a gradient of shape [3]");
  says([&] { Tensor(x).set_grad(Tensor::zeros({2, 3}, DType::f64)); }, "set_grad: a gradient of f64");
}

TEST(Tensor, ViewsLargerThanMemoryAreRefusedWhenComputedFrom) {
  const auto many = std::int64_t{1} << 40;
  const Tensor row = expand(Tensor::zeros({1}), {many}), column = expand(Tensor::zeros({1, 1}), {many, 1});
  EXPECT_THAT([&] { add(row, column); }, ThrowsMessage<AdError>(HasSubstr("too many elements")));
  EXPECT_THAT([&] { copy(expand(Tensor::zeros({}), {std::int64_t{1} << 58})); },
              ThrowsMessage<AdError>(HasSubstr("no memory")));
  EXPECT_THAT([&] { matmul(column, unsqueeze(row, 0)); },
              ThrowsMessage<AdError>(HasSubstr("too many elements")));
}

TEST(Tensor, EmptyTensorsGoThroughEveryKindOfOp) {
  const Tensor x = Tensor::zeros({0, 3}), y = Tensor::zeros({3, 0});
  EXPECT_EQ(exp(x).shape(), (Shape{0, 3}));
  EXPECT_EQ((x + Tensor::ones({3})).count(), 0);
  EXPECT_EQ(sum(x).item(), 0);
  EXPECT_EQ(prod(x).item(), 1);
  EXPECT_THAT(sum(x, {0}).to_vector(), ElementsAre(0, 0, 0));
  EXPECT_TRUE(std::isnan(mean(x).item()));
  EXPECT_THAT(matmul(y, x).to_vector(), ElementsAre(0, 0, 0, 0, 0, 0, 0, 0, 0));
  EXPECT_EQ(matmul(x, Tensor::ones({3, 2})).shape(), (Shape{0, 2}));
  EXPECT_EQ(softmax(x).shape(), (Shape{0, 3}));
  EXPECT_EQ(softmax(y).count(), 0);
  EXPECT_EQ(concat(std::vector{x, Tensor::ones({1, 3})}, 0).shape(), (Shape{1, 3}));
  EXPECT_EQ(embedding(Tensor::ones({4, 2}), Tensor::zeros({0}, DType::i64)).shape(), (Shape{0, 2}));
  EXPECT_EQ(cumsum(x, 0).count(), 0);
  EXPECT_EQ(argmax(x, 1).count(), 0);
  EXPECT_EQ(transpose(x).shape(), (Shape{3, 0}));
  EXPECT_EQ(attention(Tensor::zeros({0, 2}), Tensor::ones({3, 2}), Tensor::ones({3, 2})).shape(),
            (Shape{0, 2}));
}

TEST(NanMonitor, NamesTheOpAndItsInputs) {
  const NanMonitor watching;
  EXPECT_THAT([] { log(Tensor::full({2, 3}, -1)); },
              ThrowsMessage<AdError>(
                  HasSubstr("log: the result holds NaN or infinity though its inputs (f32 [2, 3])")));
  EXPECT_THAT([] { div(Tensor::ones({2}), Tensor::zeros({1})); },
              ThrowsMessage<AdError>(
                  HasSubstr("div: the result holds NaN or infinity though its inputs (f32 [2], f32 [1])")));
  // What was not finite before is not this op's doing.
  const Tensor infinite = Tensor::full({1}, std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan((infinite - infinite).item()));
}

TEST(NanMonitor, WatchesBackwardAsWell) {
  Tensor x = Tensor::zeros({2});
  x.requires_grad();
  const Tensor y = sum(sqrt(x));
  const NanMonitor watching;
  EXPECT_THAT([&] { y.backward(); }, ThrowsMessage<AdError>(HasSubstr("unary_grad")));
}

TEST(Attention, WithoutHeadsHasAnyNumberOfKeys) {
  constexpr std::int64_t many = std::int64_t{1} << 58;
  const Tensor q = Tensor::empty({0, 70, 1}), keys = Tensor::empty({0, many, 1});
  EXPECT_EQ(attention(q, keys, keys).shape(), (Shape{0, 70, 1}));
}

}  // namespace
}  // namespace tare::ad
