#include "bench/measure/machine/noise.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <numeric>
#include <random>

namespace tare {
namespace {

TEST(Noise, is_the_scaled_median_deviation_over_the_median) {
  const std::vector<double> samples{100, 102, 98, 104, 96, 1000, 100};
  const MachineNoise floor = noise_floor(samples);
  EXPECT_EQ(floor.samples, 7U);
  EXPECT_DOUBLE_EQ(floor.median_ns, 100);
  EXPECT_DOUBLE_EQ(floor.relative, 1.4826 * 2 / 100);
  EXPECT_DOUBLE_EQ(noise_floor(std::vector<double>{1, 3}).median_ns, 2);
  EXPECT_DOUBLE_EQ(noise_floor(std::vector<double>{5, 5, 5}).relative, 0);
}

TEST(Noise, of_nothing_is_misuse) {
  EXPECT_THROW((void)noise_floor({}), std::invalid_argument);
  EXPECT_THROW((void)noise_floor(std::vector<double>{0, 0}), std::invalid_argument);
}

TEST(Noise, of_normal_samples_is_their_standard_deviation) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal(1000, 20);
  std::vector<double> samples(20000);
  for (double& sample : samples) sample = normal(random);
  EXPECT_NEAR(noise_floor(samples).relative, 0.02, 0.0006);
}

TEST(SmallestChange, has_the_large_sample_form_stated) {
  const double s = 1e-4;
  const int k = 100000;
  const double stated = 2.8016 * std::sqrt(M_PI) * s / std::sqrt(k * 20.0);
  EXPECT_NEAR(smallest_change(s, {.processes = k}) / stated, 1, 1e-4);
}

TEST(SmallestChange, is_the_formula_for_few_processes) {
  // Quantiles of Student's t with 9 degrees of freedom: 2.262157 and 0.883404.
  const double delta = (2.262157 + 0.883404) * std::sqrt((M_PI * 0.02 * 0.02 / 20 + 0.01 * 0.01) / 10);
  EXPECT_NEAR(smallest_change(0.02, {}, 0.01), std::expm1(delta), 1e-8);
  EXPECT_EQ(smallest_change(0), 0);
}

TEST(SmallestChange, shrinks_with_processes_and_samples_and_grows_with_noise) {
  EXPECT_LT(smallest_change(0.02, {.processes = 20}), smallest_change(0.02, {.processes = 10}));
  EXPECT_LT(smallest_change(0.02, {.samples_per_side = 40}), smallest_change(0.02, {.samples_per_side = 20}));
  EXPECT_GT(smallest_change(0.03), smallest_change(0.02));
  EXPECT_GT(smallest_change(0.02, {}, 0.01), smallest_change(0.02));
}

TEST(SmallestChange, is_found_as_often_as_promised_in_simulation) {
  const ComparisonSize size;
  const double s = 0.03;
  const double effect = std::log1p(smallest_change(s, size));
  constexpr double critical = 2.262157;  // of Student's t, 9 degrees of freedom, two-sided 5 %
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal(0, s);
  const auto median = [&] {
    std::vector<double> values(static_cast<std::size_t>(size.samples_per_side));
    for (double& value : values) value = normal(random);
    std::sort(values.begin(), values.end());
    return (values[values.size() / 2 - 1] + values[values.size() / 2]) / 2;
  };
  int found = 0;
  constexpr int experiments = 2000;
  for (int i = 0; i < experiments; ++i) {
    std::vector<double> ratios(static_cast<std::size_t>(size.processes));
    for (double& ratio : ratios) ratio = effect + median() - median();
    const double n = static_cast<double>(ratios.size());
    const double mean = std::accumulate(ratios.begin(), ratios.end(), 0.0) / n;
    double squares = 0;
    for (double ratio : ratios) squares += (ratio - mean) * (ratio - mean);
    if (std::abs(mean) / std::sqrt(squares / (n - 1) / n) > critical) ++found;
  }
  EXPECT_NEAR(found / static_cast<double>(experiments), size.power, 0.05);
}

TEST(SmallestChange, refuses_sizes_that_decide_nothing) {
  EXPECT_THROW((void)smallest_change(0.01, {.processes = 1}), std::invalid_argument);
  EXPECT_THROW((void)smallest_change(0.01, {.samples_per_side = 0}), std::invalid_argument);
  EXPECT_THROW((void)smallest_change(0.01, {.alpha = 0}), std::invalid_argument);
  EXPECT_THROW((void)smallest_change(-0.01), std::invalid_argument);
}

TEST(Spin, gives_positive_samples_and_ends) {
  const auto samples = spin_samples(std::chrono::milliseconds(5), std::chrono::microseconds(100));
  EXPECT_GE(samples.size(), 2U);
  for (double sample : samples) EXPECT_GT(sample, 0);
}

}  // namespace
}  // namespace tare
