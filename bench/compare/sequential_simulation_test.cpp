// False alarms of t tests with a look after every value, by simulation with fixed seeds. sequential.hpp shows
// the table.
#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <ostream>

#include "bench/analyse/simulated.hpp"
#include "bench/compare/sequential.hpp"

namespace tare {
namespace {

#ifdef TARE_FEWER_REPLICATIONS
constexpr int replications = 40'000;
#else
constexpr int replications = 200'000;
#endif

using Draw = double (*)(Random&);

double student3(Random& random) {
  double squares = 0;
  for (int i = 0; i < 3; ++i) {
    const double z = simulated::normal(random);
    squares += z * z;
  }
  return simulated::normal(random) / std::sqrt(squares / 3);
}

double log_normal_difference(Random& random) {
  return std::exp(simulated::normal(random)) - std::exp(simulated::normal(random));
}

struct Case {
  const char* name;
  Draw draw;
  std::size_t largest;
  std::size_t every;   ///< a look after so many values
  double expected[3];  ///< false alarms ÷ alpha, for each of `alphas`
};

constexpr double alphas[] = {0.05, 0.0025, 0.00025};

void PrintTo(const Case& c, std::ostream* out) {
  *out << c.name << ", " << c.largest << " values";
}

class Sequential : public testing::TestWithParam<Case> {};

/// |t| above which each look ends the measuring; infinite where there is no look.
std::vector<double> limits(const Case& c, double alpha) {
  std::vector<double> fractions;
  std::vector<std::size_t> looks;
  for (std::size_t n = 4; n <= c.largest; n += c.every) {
    looks.push_back(n);
    fractions.push_back(information_fraction(static_cast<double>(n - 1), static_cast<double>(c.largest - 1)));
  }
  const auto levels = nominal_levels(fractions, alpha);
  std::vector<double> result(c.largest + 1, INFINITY);
  for (std::size_t i = 0; i < looks.size(); ++i)
    result[looks[i]] = repeated_quantile(levels[i], static_cast<double>(looks[i] - 1));
  return result;
}

TEST_P(Sequential, false_alarms_stay_below_alpha) {
  const auto& c = GetParam();
  std::vector<std::vector<double>> boundaries;
  for (const double alpha : alphas) boundaries.push_back(limits(c, alpha));
  int alarms[3] = {};
  Random random(7 * c.largest + c.every);
  for (int i = 0; i < replications; ++i) {
    bool crossed[3] = {};
    double sum = 0, squares = 0;
    for (std::size_t n = 1; n <= c.largest; ++n) {
      const double x = c.draw(random);
      sum += x;
      squares += x * x;
      if (n < 4) continue;
      const auto count = static_cast<double>(n);
      const double variance = (squares - sum * sum / count) / (count - 1);
      const double t = std::abs(sum) / std::sqrt(count * variance);
      for (int k = 0; k < 3; ++k) crossed[k] = crossed[k] || t > boundaries[k][n];
    }
    for (int k = 0; k < 3; ++k) alarms[k] += crossed[k] ? 1 : 0;
  }
  for (int k = 0; k < 3; ++k) {
    const double share = alarms[k] / (alphas[k] * replications);
    const double error = std::sqrt(1 / (alphas[k] * replications));
    EXPECT_LT(share, 1 + 2.5 * error) << "alpha " << alphas[k];
    EXPECT_NEAR(share, c.expected[k], 0.02 + 3 * error * std::sqrt(c.expected[k])) << "alpha " << alphas[k];
  }
}

constexpr Case cases[] = {
    {"normal", simulated::normal, 8, 1, {0.96, 0.99, 1.01}},
    {"normal", simulated::normal, 12, 1, {0.96, 0.99, 0.96}},
    {"normal", simulated::normal, 20, 1, {0.97, 1.00, 1.05}},
    {"normal", simulated::normal, 40, 1, {0.95, 0.99, 1.01}},
    {"normal", simulated::normal, 40, 3, {0.96, 0.98, 0.98}},
    {"student3", student3, 12, 1, {0.71, 0.46, 0.38}},
    {"student3", student3, 40, 1, {0.75, 0.46, 0.30}},
    {"log_normal_difference", log_normal_difference, 12, 1, {0.50, 0.16, 0.10}},
    {"log_normal_difference", log_normal_difference, 40, 1, {0.60, 0.21, 0.08}},
};

INSTANTIATE_TEST_SUITE_P(Looks, Sequential, testing::ValuesIn(cases), [](const auto& test) {
  return std::string(test.param.name) + "_" + std::to_string(test.param.largest) + "_every_" +
         std::to_string(test.param.every);
});

TEST(SequentialP, is_uniform_when_nothing_differs) {
  const std::vector<double> fractions{0.13, 0.2, 0.41, 0.47, 0.8, 1};
  const auto levels = nominal_levels(fractions, 0.3);
  constexpr int walks = replications / 10;
  std::vector<double> found;
  Random random(29);
  for (int i = 0; i < walks; ++i) {
    double place = 0, before = 0;
    for (std::size_t k = 0; k < fractions.size(); ++k) {
      place += std::sqrt(fractions[k] - before) * simulated::normal(random);
      before = fractions[k];
      const double p = std::erfc(std::abs(place) / std::sqrt(2 * before));
      if (p > levels[k] && k + 1 < fractions.size()) continue;
      found.push_back(sequential_p(std::span(fractions).first(k + 1), std::span(levels).first(k + 1), p));
      break;
    }
  }
  for (const double x : {0.005, 0.02, 0.05, 0.15, 0.3, 0.6, 0.9}) {
    const auto below = std::count_if(found.begin(), found.end(), [&](double p) { return p <= x; });
    EXPECT_NEAR(static_cast<double>(below) / walks, x, 3 * std::sqrt(x * (1 - x) / walks)) << x;
  }
}

}  // namespace
}  // namespace tare
