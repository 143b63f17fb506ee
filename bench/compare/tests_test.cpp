#include "bench/compare/tests.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <numeric>
#include <stdexcept>

#include "bench/compare/ratio.hpp"

namespace tare {
namespace {

using Numbers = std::vector<double>;

const Numbers data{12.1, 10.4, 11.8, 15.2, 9.9, 10.7, 30.5, 11.1, 10.2, 12.9, 11.5, 10.8};
const Numbers other{11.2, 9.7, 10.1, 13.3, 9.1, 10.3, 12.2, 9.6};

/// Rounded to one digit, so that there are ties.
Numbers waves(int n, double centre, double pace) {
  Numbers values;
  for (int i = 0; i < n; ++i) values.push_back(std::round(10 * (centre + 3 * std::sin(pace * i * i))) / 10);
  return values;
}

Numbers moved(Numbers values, double by) {
  for (double& v : values) v += by;
  return values;
}

void expect(const std::optional<TestResult>& found, double statistic, double p, const char* method) {
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->statistic, statistic, 1e-10 * std::abs(statistic));
  EXPECT_NEAR(found->p, p, 1e-10 * p);
  EXPECT_EQ(found->method, method);
}

// Expected values: tools/reference_values.py.
TEST(Tests, of_means_agree_with_scipy) {
  const Numbers logs{0.021, -0.004, 0.013, 0.034, 0.008, -0.011, 0.087, 0.016, 0.002, 0.019};
  expect(one_sample_t(logs), 2.13865289762, 0.0611550727954, "t");
  expect(one_sample_t(logs, 0.01), 0.982624304312, 0.351468262658, "t");
  EXPECT_EQ(one_sample_t(logs)->degrees, 9);
  expect(welch_t(data, other), 1.40274829869, 0.184041149818, "Welch t");
  EXPECT_NEAR(*welch_t(data, other)->degrees, 13.0451276319, 1e-9);
  EXPECT_NEAR(welch_t(other, data)->statistic, -1.40274829869, 1e-10);
  const auto difference = interval(*welch_difference(data, other), 0.05);
  EXPECT_NEAR(difference.point, 2.40416666667, 1e-11);
  EXPECT_NEAR(*difference.low, -1.29718193647, 1e-9);
  EXPECT_NEAR(*difference.high, 6.10551526981, 1e-9);
}

TEST(Tests, of_means_do_not_depend_on_the_unit) {
  for (const double unit : {1e-90, 1e90}) {
    auto a = data, b = other;
    for (double& v : a) v *= unit;
    for (double& v : b) v *= unit;
    expect(welch_t(a, b), 1.40274829869, 0.184041149818, "Welch t");
  }
}

TEST(Tests, of_ranks_agree_with_scipy) {
  constexpr auto exact = "Mann-Whitney, exact", normal = "Mann-Whitney, normal";
  expect(mann_whitney(data, other), 68, 0.134936889736, exact);
  expect(mann_whitney(other, data), 28, 0.134936889736, exact);
  expect(mann_whitney(moved(data, 5), other), 96, 1.58767960626e-05, exact);
  Numbers forty(40);
  std::iota(forty.begin(), forty.end(), 0.0);
  expect(mann_whitney(Numbers{0.05, 3.2, 40.7}, forty), 45, 0.509196985658, exact);
  expect(mann_whitney(waves(25, 10, 1), waves(30, 10.9, 1.7)), 222.5, 0.0101260096563, normal);
  expect(mann_whitney(Numbers{1, 2, 2, 5}, Numbers{2, 3, 4}), 4, 0.58207965193, normal);
  expect(wilcoxon(moved(data, -11.27)), 33, 0.67724609375, "Wilcoxon, exact");
  expect(wilcoxon(moved(waves(25, 10, 1), -9)), 122, 0.275527775278, "Wilcoxon, normal");
  expect(wilcoxon(Numbers{0, 0, 1.5, -2.5, 3, 4, 5.5, 6, -7.5, 8, 9, 10}), 9, 0.0593361198809,
         "Wilcoxon, normal");
}

TEST(Tests, of_ranks_know_the_middle) {
  EXPECT_EQ(mann_whitney(Numbers{1, 4}, Numbers{2, 3})->p, 1);
  EXPECT_EQ(wilcoxon(Numbers{1, 2, -3})->p, 1);
}

TEST(Tests, by_permutation_count_every_way) {
  const auto five = std::span(data).first(5), four = std::span(other).first(4);
  expect(permutation_test(five, four), 0.805, 0.563492063492, "permutation, exact");
  expect(permutation_test(data, other, 1, 200'000), 2.40416666667, 0.276295943479, "permutation, exact");
}

TEST(Tests, by_permutation_draw_when_there_are_many_ways) {
  const auto found = permutation_test(data, other, 5);
  EXPECT_EQ(found->method, "permutation, random");
  EXPECT_NEAR(found->p, 0.276295943479, 0.01);
  EXPECT_EQ(found, permutation_test(data, other, 5));
  EXPECT_DOUBLE_EQ(permutation_test(moved(data, 100), other, 1, 999)->p, 0.001) << "the observed way counts";
}

TEST(CliffsDelta, agrees_with_its_definition) {
  const auto delta = cliffs_delta(data, other);
  EXPECT_NEAR(delta->point, 0.416666666667, 1e-11);
  EXPECT_NEAR(*delta->low, -0.146465134635, 1e-10);
  EXPECT_NEAR(*delta->high, 0.775837998383, 1e-10);
  EXPECT_NEAR(cliffs_delta(other, data)->point, -delta->point, 1e-14);
}

TEST(CliffsDelta, has_no_limits_at_the_end_of_its_range) {
  EXPECT_EQ(cliffs_delta(moved(data, 100), other)->point, 1);
  EXPECT_FALSE(cliffs_delta(moved(data, 100), other)->low);
  EXPECT_FALSE(cliffs_delta(Numbers{1}, Numbers{1, 2})->low);
}

TEST(Ratio, agrees_with_scipys_bootstrap) {
  const auto means = ratio_of_means(data, other, 1, 0.95, 40'000);
  EXPECT_NEAR(means->point, 1.22495126706, 1e-10);
  EXPECT_NEAR(*means->low, 1.0276, 0.01);
  EXPECT_NEAR(*means->high, 1.763, 0.02);
  const auto medians = ratio_of_medians(data, other, 1, 0.95, 40'000);
  EXPECT_NEAR(medians->point, 1.10784313725, 1e-10);
  EXPECT_NEAR(*medians->low, 0.924, 0.005);
  EXPECT_NEAR(*medians->high, 1.25, 0.005);
}

TEST(Ratio, is_undefined_unless_all_are_positive) {
  EXPECT_FALSE(ratio_of_means(data, Numbers{0, 1}, 1));
  EXPECT_FALSE(ratio_of_medians(Numbers{-1, 2, 3}, data, 1));
  EXPECT_FALSE(ratio_of_means(data, Numbers{}, 1));
}

TEST(Ratio, has_no_limits_without_spread) {
  EXPECT_EQ(ratio_of_means(Numbers{2}, Numbers{1, 3}, 1)->point, 1);
  EXPECT_FALSE(ratio_of_means(Numbers{2}, Numbers{1, 3}, 1)->low);
  EXPECT_FALSE(ratio_of_medians(Numbers{2, 2}, Numbers{1, 1}, 1)->low);
}

TEST(Tests, are_undefined_for_too_few_or_equal_values) {
  const Numbers none, one{1}, equal{1, 1, 1};
  EXPECT_FALSE(one_sample_t(none));
  EXPECT_FALSE(one_sample_t(one));
  EXPECT_FALSE(one_sample_t(equal));
  EXPECT_FALSE(welch_t(one, data));
  EXPECT_FALSE(welch_t(equal, equal));
  EXPECT_FALSE(mann_whitney(none, data));
  EXPECT_FALSE(mann_whitney(equal, equal));
  EXPECT_FALSE(wilcoxon(none));
  EXPECT_FALSE(wilcoxon(Numbers{0, 0}));
  EXPECT_FALSE(permutation_test(none, data));
  EXPECT_FALSE(permutation_test(equal, equal));
  EXPECT_FALSE(cliffs_delta(none, data));
}

TEST(Tests, refuse_what_is_not_finite) {
  const Numbers bad{1, NAN};
  EXPECT_THROW((void)one_sample_t(bad), std::invalid_argument);
  EXPECT_THROW((void)welch_t(data, bad), std::invalid_argument);
  EXPECT_THROW((void)mann_whitney(bad, data), std::invalid_argument);
  EXPECT_THROW((void)wilcoxon(bad), std::invalid_argument);
  EXPECT_THROW((void)permutation_test(data, bad), std::invalid_argument);
  EXPECT_THROW((void)cliffs_delta(data, bad), std::invalid_argument);
  EXPECT_THROW((void)ratio_of_means(data, bad, 1), std::invalid_argument);
  EXPECT_THROW((void)cliffs_delta(data, other, 1), std::invalid_argument);
  EXPECT_THROW((void)ratio_of_means(data, other, 1, 0.95, 1), std::invalid_argument);
}

}  // namespace
}  // namespace tare
