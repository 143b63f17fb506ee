#include <gtest/gtest.h>

#include "ad/tensor/ops.hpp"

namespace tare::ad {
namespace {

TEST(Print, AlignsTheNumbersOfAMatrix) {
  EXPECT_EQ(Tensor::of({1.0F, -2.5F, 10.0F, 0.125F}, {2, 2}).to_string(),
            "[[    1,  -2.5],\n"
            " [   10, 0.125]] f32 [2, 2]");
}

TEST(Print, SeparatesMatricesByAnEmptyLine) {
  EXPECT_EQ(reshape(Tensor::arange(4), {2, 2, 1}).to_string(),
            "[[[0],\n"
            "  [1]],\n"
            "\n"
            " [[2],\n"
            "  [3]]] i64 [2, 2, 1]");
}

TEST(Print, ShowsEveryType) {
  EXPECT_EQ(Tensor::of({true, false}, {2}).to_string(), "[ true, false] bool [2]");
  EXPECT_EQ(Tensor::full({1}, 200, DType::u8).to_string(), "[200] u8 [1]");
  EXPECT_EQ(Tensor::full({1}, -3, DType::i8).to_string(), "[-3] i8 [1]");
  EXPECT_EQ(Tensor::scalar(0.1, DType::f64).to_string(), "0.1 f64 []");
}

TEST(Print, ShowsWhatIsNotANumberAndWhatIsInfinite) {
  EXPECT_EQ((Tensor::of({0.0F, -1.0F}, {2}) / 0.0).to_string(), "[ nan, -inf] f32 [2]");
}

TEST(Print, ShowsEmptyAndUndefinedTensors) {
  EXPECT_EQ(Tensor::zeros({0, 3}).to_string(), "[] f32 [0, 3]");
  EXPECT_EQ(Tensor().to_string(), "undefined");
}

TEST(Print, SummarisesBeyondAThousandElements) {
  EXPECT_EQ(Tensor::arange(1001).to_string(), "[   0,    1,    2, …,  998,  999, 1000] i64 [1001]");
  const auto text = reshape(Tensor::arange(40000), {200, 200}).to_string();
  EXPECT_EQ(text,
            "[[    0,     1,     2, …,   197,   198,   199],\n"
            " [  200,   201,   202, …,   397,   398,   399],\n"
            " [  400,   401,   402, …,   597,   598,   599],\n"
            " …,\n"
            " [39400, 39401, 39402, …, 39597, 39598, 39599],\n"
            " [39600, 39601, 39602, …, 39797, 39798, 39799],\n"
            " [39800, 39801, 39802, …, 39997, 39998, 39999]] i64 [200, 200]");
}

TEST(Print, BreaksLongRows) {
  const auto text = Tensor::arange(100).to_string();
  std::size_t longest = 0, start = 0;
  for (std::size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n', start)) {
    longest = std::max(longest, end - start);
    start = end + 1;
  }
  EXPECT_GT(longest, 50U);
  EXPECT_LE(longest, 100U);
}

TEST(Print, FollowsTheStridesOfViews) {
  const Tensor x = transpose(reshape(Tensor::arange(4), {2, 2}));
  EXPECT_EQ(x.to_string(), "[[0, 2],\n [1, 3]] i64 [2, 2]");
}

}  // namespace
}  // namespace tare::ad
