// The rules of dtype.hpp, for every pair of types.
#include <array>
#include <gtest/gtest.h>
#include <limits>

#include "ad/tensor/ops.hpp"

namespace tare::ad {
namespace {

constexpr std::array all{DType::boolean, DType::u8, DType::i8, DType::i64, DType::f32, DType::f64};

/// The table as it is promised, row by row: bool, u8, i8, i64, f32, f64.
constexpr std::array<std::array<DType, 6>, 6> promised{{
    {DType::boolean, DType::u8, DType::i8, DType::i64, DType::f32, DType::f64},
    {DType::u8, DType::u8, DType::i64, DType::i64, DType::f32, DType::f64},
    {DType::i8, DType::i64, DType::i8, DType::i64, DType::f32, DType::f64},
    {DType::i64, DType::i64, DType::i64, DType::i64, DType::f32, DType::f64},
    {DType::f32, DType::f32, DType::f32, DType::f32, DType::f32, DType::f64},
    {DType::f64, DType::f64, DType::f64, DType::f64, DType::f64, DType::f64},
}};

TEST(Promotion, EveryPairGivesTheTypeOfTheTable) {
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (std::size_t j = 0; j < all.size(); ++j) {
      const Tensor a = Tensor::ones({2}, all[i]), b = Tensor::ones({2}, all[j]);
      const DType expected = promised[i][j];
      const DType sum_type = expected == DType::boolean ? DType::i64 : expected;
      const auto what = std::string(name_of(all[i])) + " with " + std::string(name_of(all[j]));
      EXPECT_EQ(promote(all[i], all[j]), expected) << what;
      for (const auto& y : {add(a, b), sub(a, b), mul(a, b), min(a, b), max(a, b)})
        EXPECT_EQ(y.dtype(), sum_type) << what;
      EXPECT_EQ(add(a, b).to_vector(), (std::vector<double>{2, 2})) << what;
      EXPECT_EQ(div(a, b).dtype(), floating(expected)) << what;
      EXPECT_EQ(pow(a, b).dtype(), floating(expected)) << what;
      EXPECT_EQ(less(a, b).dtype(), DType::boolean) << what;
      EXPECT_EQ(where(Tensor::of({true, false}, {2}), a, b).dtype(), expected) << what;
      EXPECT_EQ(concat(std::array{a, b}, 0).dtype(), expected) << what;
      EXPECT_EQ(matmul(a, b).dtype(), sum_type) << what;
      EXPECT_EQ(matmul(a, b).item(), 2) << what;
    }
  }
}

TEST(Promotion, FunctionsOfWholeTypesGiveSinglePrecision) {
  for (const DType type : all) {
    const Tensor x = Tensor::ones({2}, type);
    EXPECT_EQ(exp(x).dtype(), floating(type));
    EXPECT_EQ(mean(x).dtype(), floating(type));
    EXPECT_EQ(sum(x).dtype(), is_floating(type) ? type : DType::i64);
    EXPECT_EQ(prod(x).dtype(), is_floating(type) ? type : DType::i64);
    EXPECT_EQ(cumsum(x, 0).dtype(), is_floating(type) ? type : DType::i64);
    EXPECT_EQ(amax(x).dtype(), type);
    EXPECT_EQ(argmax(x, 0).dtype(), DType::i64);
    EXPECT_EQ(logical_not(x).dtype(), DType::boolean);
  }
}

TEST(Promotion, NumbersTakeTheTensorsTypeWhereItHoldsThem) {
  const auto type = [](DType tensor, double number) { return (Tensor::ones({1}, tensor) + number).dtype(); };
  EXPECT_EQ(type(DType::f32, 0.1), DType::f32);
  EXPECT_EQ(type(DType::f32, 1e300), DType::f32);
  EXPECT_EQ(type(DType::f64, 0.1), DType::f64);
  EXPECT_EQ(type(DType::i64, 3), DType::i64);
  EXPECT_EQ(type(DType::i64, 0.5), DType::f32);
  EXPECT_EQ(type(DType::u8, 200), DType::u8);
  EXPECT_EQ(type(DType::u8, -1), DType::i64);
  EXPECT_EQ(type(DType::i8, 200), DType::i64);
  EXPECT_EQ(type(DType::boolean, 2), DType::i64);
  EXPECT_EQ((Tensor::ones({1}, DType::u8) * -2.0).item(), -2);
  EXPECT_EQ(type(DType::i64, 1e30), DType::f32);
}

TEST(Promotion, WholeNumbersWrapAround) {
  const Tensor high = Tensor::of({INT64_MAX}, {1}), one = Tensor::ones({1}, DType::i64);
  EXPECT_EQ((high + one).values<std::int64_t>()[0], INT64_MIN);
  EXPECT_EQ((Tensor::full({1}, 255, DType::u8) + Tensor::ones({1}, DType::u8)).item(), 0);
  const Tensor two = concat(std::array{high, one}, 0);
  EXPECT_EQ(cumsum(two, 0).values<std::int64_t>()[1], INT64_MIN);
  EXPECT_EQ(sum(two).values<std::int64_t>()[0], INT64_MIN);
  EXPECT_EQ(scatter_add(high, 0, Tensor::zeros({1}, DType::i64), one).values<std::int64_t>()[0], INT64_MIN);
}

TEST(Promotion, GradientsHaveTheirTensorsType) {
  Tensor narrow = Tensor::ones({2}), wide = Tensor::ones({2}, DType::f64);
  narrow.requires_grad();
  wide.requires_grad();
  sum(mul(narrow, wide)).backward();
  EXPECT_EQ(narrow.grad().dtype(), DType::f32);
  EXPECT_EQ(wide.grad().dtype(), DType::f64);
}

TEST(Casts, GoToTheNearestNumberThatFits) {
  const double nan = std::numeric_limits<double>::quiet_NaN(),
               infinity = std::numeric_limits<double>::infinity();
  std::vector<double> from, u8, i8;
  // As often as fills vector registers and leaves a rest.
  for (int i = 0; i < 5; ++i) {
    from.insert(from.end(), {nan, infinity, -infinity, 1e30, -1e30, 2.9, -2.9, 255.5, 127.5, -128.5, 0.0});
    u8.insert(u8.end(), {0, 255, 0, 255, 0, 2, 0, 255, 127, 0, 0});
    i8.insert(i8.end(), {0, 127, -128, 127, -128, 2, -2, 127, 127, -128, 0});
  }
  const auto count = static_cast<std::int64_t>(from.size());
  for (const auto type : {DType::f32, DType::f64}) {
    const Tensor x = cast(Tensor::of(std::span<const double>(from), {count}), type);
    EXPECT_EQ(cast(x, DType::u8).to_vector(), u8);
    EXPECT_EQ(cast(x, DType::i8).to_vector(), i8);
    // Not in a row.
    const Tensor column = slice(stack(std::array{x, x}, 1), 1, 1, 2);
    EXPECT_EQ(cast(column, DType::i8).to_vector(), i8);
  }
}

}  // namespace
}  // namespace tare::ad
