#include "bench/compare/correction.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <stdexcept>

namespace tare {
namespace {

using Ps = std::vector<std::optional<double>>;

void expect_near(const Ps& found, const Ps& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    ASSERT_EQ(found[i].has_value(), expected[i].has_value()) << i;
    EXPECT_NEAR(found[i].value_or(-1), expected[i].value_or(-1), 1e-14) << i;
  }
}

// Expected values: p.adjust of R 4.2.2.
const Ps eight{0.01, 0.04, 0.03, 0.005, 0.2, 0.9, 0.0004, 0.04};

TEST(Correction, agrees_with_r) {
  expect_near(holm(eight), {0.06, 0.16, 0.15, 0.035, 0.4, 0.9, 0.0032, 0.16});
  expect_near(benjamini_hochberg(eight),
              {0.08 / 3, 0.16 / 3, 0.16 / 3, 0.02, 1.6 / 7, 0.9, 0.0032, 0.16 / 3});
}

TEST(Correction, skips_tests_without_p) {
  expect_near(holm(Ps{std::nullopt, 0.02, std::nullopt, 0.03}), {std::nullopt, 0.04, std::nullopt, 0.04});
  expect_near(benjamini_hochberg(Ps{0.04, std::nullopt, 0.01}), {0.04, std::nullopt, 0.02});
  EXPECT_TRUE(holm(Ps{}).empty());
}

TEST(Correction, never_exceeds_one) {
  expect_near(holm(Ps{0.7, 0.8}), {1, 1});
  expect_near(benjamini_hochberg(Ps{0.7, 1}), {1, 1});
}

TEST(Correction, keeps_the_order_and_lies_between_none_and_bonferroni) {
  EXPECT_TRUE(rc::check([] {
    const auto marks = *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 1001));
    Ps p;
    for (const int mark : marks) p.emplace_back(mark / 1000.0);
    const auto strict = holm(p), lenient = benjamini_hochberg(p);
    for (std::size_t i = 0; i < p.size(); ++i) {
      RC_ASSERT(*p[i] <= *lenient[i] && *lenient[i] <= *strict[i] + 1e-12);
      RC_ASSERT(*strict[i] <= static_cast<double>(p.size()) * *p[i] + 1e-12);
      for (std::size_t k = 0; k < i; ++k)
        if (*p[k] <= *p[i]) RC_ASSERT(*strict[k] <= *strict[i] && *lenient[k] <= *lenient[i]);
    }
  }));
}

TEST(Correction, refuses_what_is_no_probability) {
  EXPECT_THROW((void)holm(Ps{1.5}), std::invalid_argument);
  EXPECT_THROW((void)benjamini_hochberg(Ps{0.5, NAN}), std::invalid_argument);
}

}  // namespace
}  // namespace tare
