#include "bench/compare/sequential.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <stdexcept>

#include "bench/analyse/distributions.hpp"

namespace tare {
namespace {

// The same cases on every run; another RC_PARAMS in the environment looks further.
[[maybe_unused]] const int fixed_seed = setenv("RC_PARAMS", "seed=20170411", 0);

using Numbers = std::vector<double>;

void expect_near(const Numbers& found, const Numbers& expected, double relative) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i)
    EXPECT_NEAR(found[i], expected[i], relative * expected[i]) << "look " << i + 1;
}

// Expected values: tools/reference_values.py, by Simpson's rule on 2001 points and without the symmetry.
TEST(NominalLevels, agree_with_another_integration) {
  expect_near(nominal_levels(Numbers{0.5, 1}, 0.05), {0.0125, 0.0435589598161}, 1e-9);
  expect_near(nominal_levels(Numbers{0.25, 0.5, 0.75, 1}, 0.05),
              {0.003125, 0.0104868054144, 0.0213998115741, 0.036441522212}, 1e-9);
  expect_near(nominal_levels(Numbers{0.1, 0.15, 0.6, 1}, 0.00025),
              {2.5e-06, 3.48420548406e-06, 8.4546143883e-05, 0.000177788635252}, 1e-9);
  expect_near(nominal_levels(Numbers{0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1}, 0.05),
              {0.0005, 0.00161982058208, 0.00316929481366, 0.00521333768395, 0.00778883076073,
               0.0109279478787, 0.0146614741888, 0.0190196322215, 0.024032382952, 0.0297295728265},
              1e-9);
}

// The boundaries of other designs are levels too: what they spend in the end is in the textbooks.
// Jennison and Turnbull 2000, tables 2.1 and 2.3: Pocock's constants and O'Brien and Fleming's, alpha = 0.05.
TEST(SequentialP, gives_published_designs_their_alpha) {
  const auto level = [](double z) { return 2 * (1 - normal_cdf(z)); };
  const auto spent = [&](int looks, double constant, bool falling) {
    Numbers fractions, levels;
    for (int k = 1; k <= looks; ++k) {
      fractions.push_back(static_cast<double>(k) / looks);
      levels.push_back(level(falling ? constant * std::sqrt(static_cast<double>(looks) / k) : constant));
    }
    return sequential_p(fractions, levels, levels.back());
  };
  EXPECT_NEAR(spent(2, 2.178, false), 0.05, 8e-5);
  EXPECT_NEAR(spent(5, 2.413, false), 0.05, 8e-5);
  EXPECT_NEAR(spent(10, 2.555, false), 0.05, 8e-5);
  EXPECT_NEAR(spent(20, 2.672, false), 0.05, 8e-5);
  EXPECT_NEAR(spent(2, 1.977, true), 0.05, 8e-5);
  EXPECT_NEAR(spent(5, 2.040, true), 0.05, 8e-5);
  EXPECT_NEAR(spent(10, 2.087, true), 0.05, 8e-5);
}

TEST(SpentAlpha, ends_at_alpha) {
  EXPECT_DOUBLE_EQ(spent_alpha(1, 0.05), 0.05);
  EXPECT_DOUBLE_EQ(spent_alpha(0.5, 0.04), 0.01);
}

TEST(NominalLevels, of_one_look_at_the_end_is_alpha) {
  EXPECT_NEAR(nominal_levels(Numbers{1}, 0.01).front(), 0.01, 1e-14);
  EXPECT_TRUE(nominal_levels(Numbers{}, 0.01).empty());
}

TEST(NominalLevels, spend_what_remains_at_a_final_look) {
  const Numbers fractions{0.2, 0.4};
  const auto levels = nominal_levels(fractions, 0.05, true);
  EXPECT_NEAR(levels.front(), spent_alpha(0.2, 0.05), 1e-14);
  EXPECT_NEAR(sequential_p(fractions, levels, levels.back()), 0.05, 1e-9);
}

TEST(NominalLevels, bear_looks_at_nearly_the_same_moment) {
  const Numbers fractions{0.1, 0.1, 0.10001, 0.3, 0.30005, 0.9999, 1};
  const auto levels = nominal_levels(fractions, 0.05);
  EXPECT_EQ(levels[1], 0) << "nothing to spend";
  EXPECT_GT(levels[6], 0.04) << "almost the look before";
  EXPECT_LT(levels[6], levels[5]);
  // The mass beyond 9 deviations at the second look, and the looks moved apart, are all that is lost.
  EXPECT_NEAR(sequential_p(fractions, levels, levels.back()), 0.05, 2e-7);
}

Numbers ascending_fractions() {
  auto marks = *rc::gen::suchThat(rc::gen::unique<std::vector<int>>(rc::gen::inRange(1, 1000)),
                                  [](const std::vector<int>& m) { return m.size() < 20; });
  std::sort(marks.begin(), marks.end());
  Numbers fractions;
  for (const int mark : marks) fractions.push_back(mark / 1000.0);
  fractions.push_back(1);
  return fractions;
}

TEST(NominalLevels, spend_exactly_what_is_allowed) {
  EXPECT_TRUE(rc::check([] {
    const auto fractions = ascending_fractions();
    const double alpha = *rc::gen::element(0.05, 0.01, 0.00025);
    const auto levels = nominal_levels(fractions, alpha);
    for (std::size_t k = 1; k <= fractions.size(); ++k) {
      const auto looks = std::span(fractions).first(k);
      const double spent = sequential_p(looks, std::span(levels).first(k), levels[k - 1]);
      RC_ASSERT(std::abs(spent / spent_alpha(looks.back(), alpha) - 1) < 1e-6);
    }
  }));
}

TEST(NominalLevels, of_looks_that_have_been_do_not_change) {
  EXPECT_TRUE(rc::check([] {
    const auto fractions = ascending_fractions();
    const auto levels = nominal_levels(fractions, 0.05);
    const auto some = static_cast<std::size_t>(*rc::gen::inRange(0, static_cast<int>(fractions.size())));
    const auto earlier = nominal_levels(std::span(fractions).first(some), 0.05);
    RC_ASSERT(std::equal(earlier.begin(), earlier.end(), levels.begin()));
  }));
}

TEST(SequentialP, is_at_most_alpha_exactly_when_the_level_was_met) {
  const Numbers fractions{0.3, 0.5, 1};
  const auto levels = nominal_levels(fractions, 0.05);
  EXPECT_LT(sequential_p(fractions, levels, 0.999 * levels[2]), 0.05);
  EXPECT_GT(sequential_p(fractions, levels, 1.001 * levels[2]), 0.05);
  const auto first_two = std::span(fractions).first(2);
  EXPECT_LT(sequential_p(first_two, std::span(levels).first(2), levels[1]), 0.0126);
  EXPECT_GT(sequential_p(first_two, std::span(levels).first(2), 0), spent_alpha(0.3, 0.05) * 0.999999);
  EXPECT_NEAR(sequential_p(fractions, levels, 1), 1, 1e-9);
}

TEST(SequentialP, of_a_single_look_is_the_nominal_one) {
  EXPECT_NEAR(sequential_p(Numbers{0.4}, Numbers{0.01}, 0.003), 0.003, 1e-12);
}

TEST(Sequential, refuses_what_makes_no_sense) {
  EXPECT_THROW((void)spent_alpha(0.5, 0), std::invalid_argument);
  EXPECT_THROW((void)spent_alpha(1.5, 0.05), std::invalid_argument);
  EXPECT_THROW((void)nominal_levels(Numbers{0.5, 0.4}, 0.05), std::invalid_argument);
  EXPECT_THROW((void)nominal_levels(Numbers{0}, 0.05), std::invalid_argument);
  EXPECT_THROW((void)sequential_p(Numbers{0.5}, Numbers{}, 0.05), std::invalid_argument);
  EXPECT_THROW((void)sequential_p(Numbers{}, Numbers{}, 0.05), std::invalid_argument);
  EXPECT_THROW((void)sequential_p(Numbers{0.5}, Numbers{0.1}, std::nan("")), std::invalid_argument);
}

}  // namespace
}  // namespace tare
