#include "ad/tensor/shape.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ad/support/error.hpp"

namespace tare::ad {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(Shape, CountsItsElements) {
  EXPECT_EQ(Shape{}.count(), 1);
  EXPECT_EQ((Shape{2, 3, 4}).count(), 24);
  EXPECT_EQ((Shape{2, 0, 4}).count(), 0);
  EXPECT_EQ(text_of({2, 3}), "[2, 3]");
  EXPECT_EQ(text_of({}), "[]");
}

TEST(Shape, HasAtMostEightAxes) {
  EXPECT_THAT([] { (void)Shape({1, 1, 1, 1, 1, 1, 1, 1, 1}); }, ThrowsMessage<AdError>(HasSubstr("9 axes")));
  Shape full{1, 2, 3, 4, 5, 6, 7, 8};
  EXPECT_THAT([&] { full.push(9); }, ThrowsMessage<AdError>(HasSubstr("[1, 2, 3, 4, 5, 6, 7, 8]")));
}

TEST(Shape, EqualityLooksAtUsedAxesOnly) {
  Shape a{1, 2, 3}, b{1, 2, 4};
  EXPECT_NE(a, b);
  a.rank = b.rank = 2;
  EXPECT_EQ(a, b);
}

TEST(Shape, ContiguousStridesAreRowMajor) {
  EXPECT_EQ(contiguous_strides({2, 3, 4}), (Strides{12, 4, 1}));
  EXPECT_EQ(contiguous_strides({}), Strides{});
}

TEST(Shape, SizesAreCheckedBeforeTheyAreMultiplied) {
  check_sizes("op", {1 << 20, 1 << 20});
  check_sizes("op", {0, 5});
  EXPECT_THAT([] { check_sizes("op", {2, -1}); },
              ThrowsMessage<AdError>(HasSubstr("op: shape [2, -1] has a negative")));
  const auto huge = std::int64_t{1} << 40;
  EXPECT_THAT([&] { check_sizes("op", {huge, huge}); },
              ThrowsMessage<AdError>(HasSubstr("too many elements")));
  // The zero does not hide what overflows before it is reached.
  EXPECT_THAT([&] { check_sizes("op", {huge, huge, 0}); },
              ThrowsMessage<AdError>(HasSubstr("too many elements")));
  EXPECT_THAT([&] { check_sizes("op", {0, huge, huge}); },
              ThrowsMessage<AdError>(HasSubstr("too many elements")));
}

TEST(Shape, BroadcastsFromTheLastAxis) {
  EXPECT_EQ(broadcast("op", {2, 3}, {3}), (Shape{2, 3}));
  EXPECT_EQ(broadcast("op", {2, 1}, {1, 3}), (Shape{2, 3}));
  EXPECT_EQ(broadcast("op", {}, {2, 3}), (Shape{2, 3}));
  EXPECT_EQ(broadcast("op", {1}, {0}), (Shape{0}));
  EXPECT_EQ(broadcast("op", {4, 1, 3}, {5, 1}), (Shape{4, 5, 3}));
  EXPECT_THAT(
      [] { broadcast("add", {2, 3}, {2, 4}); },
      ThrowsMessage<AdError>(HasSubstr("add: shapes [2, 3] and [2, 4] do not broadcast: sizes 3 and 4")));
  EXPECT_THAT([] { broadcast("add", {0}, {2}); }, ThrowsMessage<AdError>(HasSubstr("sizes 0 and 2")));
}

TEST(Shape, AxesMayBeNegative) {
  EXPECT_EQ(checked_axis("op", -1, {2, 3}), 1);
  EXPECT_EQ(checked_axis("op", 0, {2, 3}), 0);
  EXPECT_THAT([] { checked_axis("sum", 2, {2, 3}); },
              ThrowsMessage<AdError>(HasSubstr("sum: axis 2 of a tensor of shape [2, 3]: give -2 to 1")));
  EXPECT_THAT([] { checked_axis("sum", -3, {2, 3}); }, ThrowsMessage<AdError>(HasSubstr("axis -3")));
  EXPECT_THROW(checked_axis("sum", 0, {}), AdError);
  EXPECT_THROW(checked_axis("sum", INT64_MIN, {2}), AdError);
}

TEST(Shape, AxesAreSortedAndNamedOnce) {
  const std::array axes{std::int64_t{-1}, std::int64_t{0}};
  EXPECT_EQ(checked_axes("op", axes, {2, 3, 4}), (Shape{0, 2}));
  EXPECT_EQ(checked_axes("op", {}, {2, 3}), (Shape{0, 1}));
  const std::array twice{std::int64_t{1}, std::int64_t{-1}};
  EXPECT_THAT([&] { checked_axes("op", twice, {2, 3}); }, ThrowsMessage<AdError>(HasSubstr("named twice")));
}

}  // namespace
}  // namespace tare::ad
