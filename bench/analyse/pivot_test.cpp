#include "bench/analyse/pivot.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

namespace tare {
namespace {

Metric metric(const std::string& name, double point, double half, Better better = Better::less) {
  Metric m;
  m.name = name;
  m.unit = name == "time" ? "ns" : "1";
  m.better = better;
  m.summary.time = Estimate{point, point - half, point + half, 0.95, "t"};
  return m;
}

BenchmarkResult result(const std::string& name, const std::string& engine, const std::string& n, double time,
                       double half = 0) {
  BenchmarkResult r;
  r.id = {name, {{"engine", engine}, {"n", n}}};
  r.metrics = {metric("time", time, half), metric("operations", 10, 0)};
  return r;
}

const std::vector<BenchmarkResult> some{result("gmm", "hand", "8", 100), result("gmm", "real", "8", 300),
                                        result("gmm", "stan", "8", 800), result("ode", "hand", "5", 10),
                                        result("ode", "real", "5", 20)};

TEST(Pivot, lays_values_out_in_order_of_appearance) {
  const auto table = pivot(some, {"engine", "time", "", "best"});
  ASSERT_TRUE(table.has_value());
  EXPECT_EQ(table->columns, (std::vector<std::string>{"hand", "real", "stan"}));
  ASSERT_EQ(table->rows.size(), 2u);
  EXPECT_EQ(table->rows[0].name, "gmm/n=8");
  EXPECT_EQ(table->rows[1].name, "ode/n=5");
  EXPECT_DOUBLE_EQ(table->rows[0].cells[2].ratio->point, 8);
  EXPECT_TRUE(table->rows[0].cells[0].best);
  EXPECT_FALSE(table->rows[0].cells[1].best);
  EXPECT_FALSE(table->rows[1].cells[2].value.has_value());
  EXPECT_NEAR(*table->means[1], std::sqrt(3.0 * 2.0), 1e-12);
  EXPECT_EQ(table->unit, "ns");
}

TEST(Pivot, divides_by_a_chosen_column_or_another_metric) {
  const auto table = pivot(some, {"engine", "time", "", "real"});
  ASSERT_TRUE(table.has_value());
  EXPECT_DOUBLE_EQ(table->rows[0].cells[0].ratio->point, 1.0 / 3);
  EXPECT_DOUBLE_EQ(table->rows[0].cells[1].ratio->point, 1);
  const auto per = pivot(some, {"engine", "time", "operations", "best"});
  ASSERT_TRUE(per.has_value());
  EXPECT_DOUBLE_EQ(per->rows[0].cells[1].value->point, 30);
}

TEST(Pivot, more_is_better_where_the_metric_says_so) {
  auto results = some;
  for (auto& r : results) r.metrics[0].better = Better::more;
  const auto table = pivot(results, {"engine", "time", "", "best"});
  EXPECT_TRUE(table->rows[0].cells[2].best);
}

TEST(Pivot, a_failed_benchmark_has_no_value_and_says_why) {
  auto results = some;
  results[0].outcome = Outcome::check_failed;
  results[0].message = "off by 3";
  const auto table = pivot(results, {"engine", "time", "", "best"});
  EXPECT_FALSE(table->rows[0].cells[0].value.has_value());
  EXPECT_EQ(table->rows[0].cells[0].why, "off by 3");
  EXPECT_TRUE(table->rows[0].cells[1].best);
}

TEST(Pivot, refuses_what_is_not_there) {
  EXPECT_FALSE(pivot(some, {"device", "time", "", "best"}).has_value());
  const auto wrong = pivot(some, {"engine", "time", "", "enzyme"});
  ASSERT_FALSE(wrong.has_value());
  EXPECT_NE(wrong.error().message.find("hand, real, stan"), std::string::npos);
}

TEST(RatioOf, combines_intervals_on_the_logarithmic_scale) {
  const Estimate a{200, 180, 200 * 200 / 180.0, 0.95, "t"};
  const Estimate b{100, 80, 100 * 100 / 80.0, 0.95, "t"};
  const auto ratio = ratio_of(a, b);
  ASSERT_TRUE(ratio && ratio->low && ratio->high);
  const double half = std::hypot(std::log(200 / 180.0), std::log(100 / 80.0));
  EXPECT_NEAR(ratio->point, 2, 1e-12);
  EXPECT_NEAR(std::log(*ratio->high / 2), half, 1e-12);
  EXPECT_NEAR(std::log(2 / *ratio->low), half, 1e-12);
}

TEST(RatioOf, is_undefined_at_zero_and_open_without_intervals) {
  const Estimate one{1, 1, 1, 0.95, ""};
  EXPECT_FALSE(ratio_of(one, {0, 0, 0, 0.95, ""}).has_value());
  EXPECT_FALSE(ratio_of({0, 0, 0, 0.95, ""}, one).has_value());
  const auto open = ratio_of({3, {}, {}, 0.95, ""}, one);
  EXPECT_DOUBLE_EQ(open->point, 3);
  EXPECT_FALSE(open->low.has_value());
}

Hypothesis claim(double at_most, bool each = true) {
  return {"c", "time", "", "", {"engine=real"}, {"engine=hand", "engine=stan"}, each, at_most};
}

TEST(Hypotheses, hold_fail_or_stay_open_by_the_interval) {
  const std::vector<BenchmarkResult> noisy{result("a", "real", "1", 100, 10),
                                           result("a", "hand", "1", 50, 0.001)};
  const auto standing = [&](double bound) { return test_hypotheses(noisy, {claim(bound)})[0].standing; };
  EXPECT_EQ(standing(3), Standing::holds);
  EXPECT_EQ(standing(2.1), Standing::undecided);
  EXPECT_EQ(standing(1.5), Standing::fails);
}

TEST(Hypotheses, each_names_the_worst_pair_and_the_mean_takes_all) {
  const auto each = test_hypotheses(some, {claim(2.5)})[0];
  EXPECT_EQ(each.standing, Standing::fails);
  EXPECT_EQ(each.worst, "gmm/engine=real/n=8");
  EXPECT_EQ(each.pairs, 2u);
  EXPECT_EQ(each.within, 1u);
  const auto mean = test_hypotheses(some, {claim(2.5, false)})[0];
  EXPECT_EQ(mean.standing, Standing::holds);
  EXPECT_NEAR(mean.observed->point, std::sqrt(6.0), 1e-12);
}

TEST(Hypotheses, the_best_of_several_counts) {
  auto results = some;
  results[2].metrics[0] = metric("time", 30, 0);  // stan beats hand
  EXPECT_NEAR(test_hypotheses(results, {claim(1)})[0].observed->point, 10, 1e-12);
}

TEST(Hypotheses, the_best_of_several_stands_for_the_side_in_question_too) {
  auto either = claim(1);
  either.of = {"engine=real", "engine=stan"};
  either.to = {"engine=hand"};
  auto results = some;
  results[2].metrics[0] = metric("time", 30, 0);
  const auto finding = test_hypotheses(results, {either})[0];
  EXPECT_EQ(finding.pairs, test_hypotheses(results, {claim(1)})[0].pairs);
  EXPECT_EQ(finding.within, 1u);
}

TEST(Hypotheses, divide_by_a_metric_of_the_same_benchmark) {
  auto batch = result("a", "real", "1", 300);
  batch.metrics[1] = metric("operations", 30, 0);
  auto one = result("a", "hand", "1", 20);
  one.metrics[1] = metric("operations", 1, 0);
  auto per = claim(0.7);
  per.per = "operations";
  const auto finding = test_hypotheses({batch, one}, {per})[0];
  EXPECT_NEAR(finding.observed->point, 0.5, 1e-12);
  EXPECT_EQ(finding.standing, Standing::holds);
}

TEST(Hypotheses, without_another_side_bound_the_figure_itself) {
  auto bound = claim(400);
  bound.to.clear();
  const auto finding = test_hypotheses(some, {bound})[0];
  EXPECT_EQ(finding.pairs, 2u);
  EXPECT_DOUBLE_EQ(finding.observed->point, 300);
  EXPECT_EQ(finding.standing, Standing::holds);
  const auto none = test_hypotheses({result("a", "real", "1", 0)}, {bound})[0];
  EXPECT_EQ(none.observed->point, 0);
  EXPECT_EQ(none.standing, Standing::holds);
}

TEST(Hypotheses, without_pairs_say_so) {
  auto other = claim(1);
  other.filter = "^nothing";
  EXPECT_EQ(test_hypotheses(some, {other})[0].standing, Standing::no_data);
}

TEST(Hypotheses, treat_two_zeros_as_equal_and_something_against_zero_as_endless) {
  const auto with = [](double real, double hand) {
    return test_hypotheses({result("a", "real", "1", real), result("a", "hand", "1", hand)},
                           {claim(0.99)})[0];
  };
  EXPECT_EQ(with(0, 0).standing, Standing::fails);
  EXPECT_EQ(with(0, 0).observed->point, 1);
  EXPECT_EQ(with(0, 5).standing, Standing::holds);
  EXPECT_EQ(with(5, 0).observed->point, std::numeric_limits<double>::infinity());
}

}  // namespace
}  // namespace tare
