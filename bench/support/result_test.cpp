#include "bench/support/result.hpp"

#include <gtest/gtest.h>

namespace tare {
namespace {

TEST(ResultType, holds_a_value_or_an_error) {
  const Result<int> good = 3;
  const Result<int> bad = fail("no such file");
  EXPECT_TRUE(good);
  EXPECT_EQ(*good, 3);
  EXPECT_EQ(good.value(), 3);
  EXPECT_FALSE(bad);
  EXPECT_EQ(bad.error().message, "no such file");
  EXPECT_EQ(bad.value_or(7), 7);
  EXPECT_THROW((void)bad.value(), std::runtime_error);
}

TEST(ResultType, chains_and_stops_at_the_first_error) {
  const auto half = [](int x) -> Result<int> {
    return x % 2 == 0 ? Result<int>(x / 2) : Result<int>(fail("odd"));
  };
  EXPECT_EQ(*Result<int>(8).and_then(half).and_then(half), 2);
  EXPECT_EQ(Result<int>(6).and_then(half).and_then(half).error().message, "odd");
  EXPECT_EQ(*Result<int>(6).transform([](int x) { return x + 0.5; }), 6.5);
}

}  // namespace
}  // namespace tare
