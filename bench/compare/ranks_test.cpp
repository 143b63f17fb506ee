#include "bench/compare/ranks.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <numeric>
#include <rapidcheck.h>
#include <stdexcept>

#include "bench/analyse/random.hpp"
#include "bench/analyse/simulated.hpp"

namespace tare {
namespace {

using Numbers = std::vector<double>;

const Numbers logs{0.021, -0.004, 0.013, 0.034, 0.008, -0.011, 0.087, 0.016, 0.002, 0.019};
const Numbers data{12.1, 10.4, 11.8, 15.2, 9.9, 10.7, 30.5, 11.1, 10.2, 12.9, 11.5, 10.8};
const Numbers other{11.2, 9.7, 10.1, 13.3, 9.1, 10.3, 12.2, 9.6};

Numbers moved(Numbers values, double by) {
  for (double& v : values) v += by;
  return values;
}

Numbers negated(Numbers values) {
  for (double& v : values) v = -v;
  return values;
}

/// Whole numbers between −10 and 10, with many ties and a few zeros.
Numbers waves(int n, double pace, double centre) {
  Numbers values;
  for (int i = 1; i <= n; ++i) values.push_back(centre + std::round(10 * std::sin(pace * i * i)));
  return values;
}

Numbers mid_ranks(const Numbers& values) {
  Numbers ranks;
  for (const double v : values) {
    double below = 0, equal = 0;
    for (const double w : values) {
      below += w < v ? 1 : 0;
      equal += w == v ? 1 : 0;
    }
    ranks.push_back(below + (equal + 1) / 2);
  }
  return ranks;
}

/// Twice the smaller tail at `observed`, over all of the equally likely sums.
double two_sided(const Numbers& sums, double observed) {
  double below = 0, above = 0;
  for (const double sum : sums) {
    below += sum <= observed ? 1 : 0;
    above += sum >= observed ? 1 : 0;
  }
  return std::min(1.0, 2 * std::min(below, above) / static_cast<double>(sums.size()));
}

/// Over all sign patterns of the values that are not zero.
double signed_rank_p(const Numbers& values) {
  Numbers sizes;
  std::vector<bool> positive;
  for (const double v : values) {
    if (v == 0) continue;
    sizes.push_back(std::abs(v));
    positive.push_back(v > 0);
  }
  const auto ranks = mid_ranks(sizes);
  Numbers sums;
  double observed = 0;
  for (std::size_t i = 0; i < ranks.size(); ++i) observed += positive[i] ? ranks[i] : 0;
  for (std::size_t pattern = 0; pattern < std::size_t{1} << ranks.size(); ++pattern) {
    double sum = 0;
    for (std::size_t i = 0; i < ranks.size(); ++i) sum += ((pattern >> i) & 1) != 0 ? ranks[i] : 0;
    sums.push_back(sum);
  }
  return two_sided(sums, observed);
}

/// Over all choices of as many of the values as `after` has.
double rank_sum_p(const Numbers& before, const Numbers& after) {
  auto all = after;
  all.insert(all.end(), before.begin(), before.end());
  const auto ranks = mid_ranks(all);
  std::vector<bool> chosen(all.size(), false);
  std::fill_n(chosen.begin(), after.size(), true);
  Numbers sums;
  do {
    double sum = 0;
    for (std::size_t i = 0; i < ranks.size(); ++i) sum += chosen[i] ? ranks[i] : 0;
    sums.push_back(sum);
  } while (std::prev_permutation(chosen.begin(), chosen.end()));
  return two_sided(sums, sums.front());
}

/// The middle, and the hull of the places at which p_at(place) is above the level. The p only jumps at a
/// comparison, so between them one place each is enough.
struct Inverted {
  double centre = 0, low = 0, high = 0;
};
template <class PAt>
Inverted inverted(Numbers comparisons, double level, const PAt& p_at) {
  std::sort(comparisons.begin(), comparisons.end());
  const std::size_t n = comparisons.size();
  Inverted result{(comparisons[(n - 1) / 2] + comparisons[n / 2]) / 2, NAN, NAN};
  for (std::size_t i = 0; i + 1 < n; ++i) {
    if (p_at((comparisons[i] + comparisons[i + 1]) / 2) <= level) continue;
    if (std::isnan(result.low)) result.low = comparisons[i];
    result.high = comparisons[i + 1];
  }
  return result;
}

// Expected values: tools/reference_values.py.
TEST(SignedRanks, agree_with_scipy) {
  EXPECT_NEAR(signed_rank_shift(logs, 0.05).p, 0.02734375, 1e-14);
  EXPECT_NEAR(signed_rank_shift(moved(data, -11.27), 0.05).p, 0.67724609375, 1e-13);
}

TEST(SignedRanks, of_many_values_agree_with_scipys_approximation) {
  EXPECT_NEAR(signed_rank_shift(waves(150, 1, 0), 0.05).p, 0.672877068719, 1e-11) << "4 zeros";
  EXPECT_NEAR(signed_rank_shift(waves(150, 1, 1), 0.05).p, 0.0201329745433, 1e-12);
}

TEST(RankSums, agree_with_scipy) {
  EXPECT_NEAR(rank_sum_shift(other, data, 0.05).p, 0.134936889736, 1e-12);
  EXPECT_NEAR(rank_sum_shift(other, moved(data, 5), 0.05).p, 1.58767960626e-05, 1e-15);
  EXPECT_NEAR(rank_sum_shift(waves(40, 1, 0), waves(30, 1.7, 3), 0.05).p, 0.00387543119792, 1e-13);
}

TEST(SignedRanks, invert_their_test) {
  Numbers walsh;
  for (std::size_t i = 0; i < logs.size(); ++i)
    for (std::size_t j = i; j < logs.size(); ++j) walsh.push_back((logs[i] + logs[j]) / 2);
  for (const double level : {0.2, 0.05, 0.01, 0.002}) {
    const auto expected =
        inverted(walsh, level, [](double place) { return signed_rank_p(moved(logs, -place)); });
    const auto shift = signed_rank_shift(logs, level);
    EXPECT_NEAR(shift.centre, expected.centre, 1e-15);
    ASSERT_TRUE(shift.low && shift.high) << level;
    EXPECT_NEAR(*shift.low, expected.low, 1e-15) << level;
    EXPECT_NEAR(*shift.high, expected.high, 1e-15) << level;
  }
}

TEST(RankSums, invert_their_test) {
  const Numbers before(other.begin(), other.begin() + 6), after(data.begin(), data.begin() + 7);
  Numbers differences;
  for (const double a : after)
    for (const double b : before) differences.push_back(a - b);
  for (const double level : {0.2, 0.05, 0.01}) {
    const auto expected =
        inverted(differences, level, [&](double place) { return rank_sum_p(before, moved(after, -place)); });
    const auto shift = rank_sum_shift(before, after, level);
    EXPECT_NEAR(shift.centre, expected.centre, 1e-14);
    ASSERT_TRUE(shift.low && shift.high) << level;
    EXPECT_NEAR(*shift.low, expected.low, 1e-14) << level;
    EXPECT_NEAR(*shift.high, expected.high, 1e-14) << level;
  }
}

TEST(SignedRanks, of_ties_and_zeros_count_every_choice_of_signs) {
  for (const auto& values :
       {Numbers{1, 1, 1, 2, 2, -3, 4, 4}, Numbers{0, 0, 1, -1, 2, 2, 3, 5, 5}, Numbers{0, 7}, Numbers{-1, -1},
        Numbers{1, -1, 2, -2, 3, -3}, Numbers{0.5, 0.5, 0.5, -0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 1, 1}})
    EXPECT_NEAR(signed_rank_shift(values, 0.05).p, signed_rank_p(values), 1e-14);
}

TEST(RankSums, of_ties_count_every_choice) {
  const std::pair<Numbers, Numbers> cases[] = {{{1, 1, 2, 3}, {2, 2, 3, 3, 4}},
                                               {{1, 1, 1}, {1, 1, 2}},
                                               {{5}, {1, 2, 2, 5, 5, 7}},
                                               {{1, 2, 2, 5}, {2, 3, 4}},
                                               {{0, 0, 0, 0, 0, 0}, {1, 1, 1, 1, 1, 0}}};
  for (const auto& [before, after] : cases)
    EXPECT_NEAR(rank_sum_shift(before, after, 0.05).p, rank_sum_p(before, after), 1e-14);
}

TEST(SignedRanks, of_values_that_all_agree_are_as_sure_as_they_can_be) {
  for (const int n : {1, 5, 6, 40, 60, 100}) {
    const auto shift = signed_rank_shift(Numbers(static_cast<std::size_t>(n), 2.5), 0.05);
    EXPECT_EQ(shift.centre, 2.5);
    EXPECT_NEAR(shift.p / std::ldexp(2, -n), 1, 1e-12) << n;
    EXPECT_EQ(shift.low.has_value(), n >= 6);
  }
}

TEST(RankSums, of_separated_sides_are_as_sure_as_they_can_be) {
  const Numbers low(20, 1.0), high(20, 3.0);
  // Two of the C(40, 20) choices.
  EXPECT_NEAR(rank_sum_shift(low, high, 0.05).p / (2 / 137846528820.0), 1, 1e-10);
  EXPECT_NEAR(rank_sum_shift(high, low, 0.05).p / (2 / 137846528820.0), 1, 1e-10);
}

TEST(SignedRanks, have_no_interval_at_a_level_out_of_reach) {
  const Numbers five{1, 2, 3, 4, 5}, six{1, 2, 3, 4, 5, 6};
  EXPECT_FALSE(signed_rank_shift(five, 0.05).low) << "2 / 2⁵ = 0.0625";
  EXPECT_EQ(signed_rank_shift(six, 0.05).low, 1) << "2 / 2⁶ = 0.03125";
  EXPECT_EQ(signed_rank_shift(six, 0.05).high, 6);
  EXPECT_EQ(signed_rank_shift(six, 0.03125).low, 1) << "reached exactly";
  EXPECT_FALSE(signed_rank_shift(six, 0.0312).low);
  EXPECT_FALSE(signed_rank_shift(logs, 0).low);
}

TEST(RankSums, have_no_interval_at_a_level_out_of_reach) {
  const Numbers three{1, 2, 3}, four{5, 6, 7, 9};
  EXPECT_FALSE(rank_sum_shift(three, three, 0.05).low) << "2 / 20";
  EXPECT_FALSE(rank_sum_shift(three, four, 0.05).low) << "2 / 35";
  EXPECT_EQ(rank_sum_shift(three, four, 0.06).low, 2);
  EXPECT_EQ(rank_sum_shift(three, four, 0.06).high, 8);
  EXPECT_EQ(rank_sum_shift(four, four, 0.05).low, -4) << "2 / 70";
}

TEST(Ranks, of_many_values_have_nearly_the_exact_interval) {
  Random random(5);
  const auto hundred = simulated::normal_series(random, 100, 0.2);
  auto more = hundred;
  more.push_back(signed_rank_shift(hundred, 0.05).centre);
  const auto exact = signed_rank_shift(hundred, 0.05), normal = signed_rank_shift(more, 0.05);
  EXPECT_NEAR(*normal.low, *exact.low, 0.02);
  EXPECT_NEAR(*normal.high, *exact.high, 0.02);
  EXPECT_NEAR(normal.p / exact.p, 1, 0.1);
  const std::span all(hundred);
  const auto counted = rank_sum_shift(all.first(25), all.subspan(25, 25), 0.05);
  const auto nearly = rank_sum_shift(all.first(25), all.subspan(25, 26), 0.05);
  EXPECT_NEAR(*nearly.low, *counted.low, 0.1);
  EXPECT_NEAR(*nearly.high, *counted.high, 0.1);
  EXPECT_NEAR(nearly.p, counted.p, 0.1);
}

TEST(Ranks, of_nothing_but_zeros_see_no_shift) {
  for (const std::size_t n : {std::size_t{1}, std::size_t{8}, std::size_t{101}}) {
    const Numbers zeros(n, 0.0);
    EXPECT_EQ(signed_rank_shift(zeros, 0.05).p, 1) << n;
    EXPECT_EQ(signed_rank_shift(zeros, 0.05).centre, 0);
    EXPECT_NEAR(rank_sum_shift(zeros, zeros, 0.05).p, 1, 1e-12);
  }
  EXPECT_EQ(signed_rank_shift(Numbers(8, 0.0), 0.05).low, 0);
  EXPECT_EQ(signed_rank_shift(Numbers(8, 0.0), 0.05).high, 0);
}

TEST(Ranks, of_one_value_know_its_place_only) {
  EXPECT_EQ(signed_rank_shift(Numbers{3}, 0.05).centre, 3);
  EXPECT_EQ(signed_rank_shift(Numbers{3}, 0.05).p, 1);
  EXPECT_FALSE(signed_rank_shift(Numbers{3}, 0.05).low);
  EXPECT_EQ(rank_sum_shift(Numbers{1}, Numbers{3}, 0.05).centre, 2);
  EXPECT_EQ(rank_sum_shift(Numbers{1}, Numbers{3}, 0.05).p, 1);
}

TEST(Ranks, of_nothing_are_refused) {
  EXPECT_THROW((void)signed_rank_shift(Numbers{}, 0.05), std::invalid_argument);
  EXPECT_THROW((void)rank_sum_shift(Numbers{}, logs, 0.05), std::invalid_argument);
  EXPECT_THROW((void)rank_sum_shift(logs, Numbers{}, 0.05), std::invalid_argument);
}

/// Multiples of 1/64, so that sums are exact.
Numbers drawn_values(std::size_t least) {
  const auto whole =
      *rc::gen::suchThat(rc::gen::container<std::vector<int>>(rc::gen::inRange(-300, 300)),
                         [least](const auto& v) { return v.size() >= least && v.size() <= 130; });
  Numbers values;
  for (const int v : whole) values.push_back(v / 64.0);
  return values;
}

void assert_same(const Shift& found, const Shift& expected) {
  RC_ASSERT(found.centre == expected.centre);
  RC_ASSERT(found.low == expected.low);
  RC_ASSERT(found.high == expected.high);
  RC_ASSERT(std::abs(found.p - expected.p) < 1e-12);
}

Shift mirrored(const Shift& shift) {
  Shift result{-shift.centre, {}, {}, shift.p};
  if (shift.low) result.high = -*shift.low;
  if (shift.high) result.low = -*shift.high;
  return result;
}

Shift moved(Shift shift, double by) {
  shift.centre += by;
  if (shift.low) *shift.low += by;
  if (shift.high) *shift.high += by;
  return shift;
}

TEST(SignedRanks, follow_a_shift_and_a_change_of_sign) {
  EXPECT_TRUE(rc::check([] {
    const auto values = drawn_values(1);
    const double by = *rc::gen::inRange(-200, 200) / 64.0, level = *rc::gen::element(0.2, 0.05, 0.001);
    const auto shift = signed_rank_shift(values, level);
    assert_same(signed_rank_shift(negated(values), level), mirrored(shift));
    auto further = moved(shift, by);
    const auto found = signed_rank_shift(moved(values, by), level);
    further.p = found.p;  // of another question
    assert_same(found, further);
    RC_ASSERT(shift.p > 0 && shift.p <= 1);
  }));
}

TEST(RankSums, follow_a_shift_and_a_swap) {
  EXPECT_TRUE(rc::check([] {
    const auto before = drawn_values(1), after = drawn_values(1);
    const double by = *rc::gen::inRange(-200, 200) / 64.0, level = *rc::gen::element(0.2, 0.05, 0.001);
    const auto shift = rank_sum_shift(before, after, level);
    assert_same(rank_sum_shift(after, before, level), mirrored(shift));
    assert_same(rank_sum_shift(moved(before, by), moved(after, by), level), shift);
    auto further = moved(shift, by);
    const auto found = rank_sum_shift(before, moved(after, by), level);
    further.p = found.p;
    assert_same(found, further);
    RC_ASSERT(shift.p > 0 && shift.p <= 1);
  }));
}

TEST(SignedRanks, exclude_zero_exactly_when_p_is_at_most_the_level) {
  Random random(11);
  for (int i = 0; i < 300; ++i) {
    const auto values = simulated::normal_series(random, 6 + random.index(40), 0.4);
    const double level = 0.2 * random.uniform();
    const auto shift = signed_rank_shift(values, level);
    EXPECT_EQ(shift.p <= level, shift.low && (*shift.low > 0 || *shift.high < 0));
  }
}

}  // namespace
}  // namespace tare
