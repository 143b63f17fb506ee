// False alarms and power of t tests, by simulation with fixed seeds. location.hpp shows the table.
#include <cmath>
#include <gtest/gtest.h>
#include <ostream>

#include "bench/analyse/simulated.hpp"
#include "bench/compare/location.hpp"

namespace tare {
namespace {

#ifdef TARE_FEWER_REPLICATIONS
constexpr int replications = 1'000;
#else
constexpr int replications = 10'000;
#endif

enum class Law { normal, student3, mixture };

/// Spread 1, or 5 for one value in five of the mixture.
std::vector<double> draw(Law law, Random& random, std::size_t n, double centre) {
  std::vector<double> values;
  for (std::size_t i = 0; i < n; ++i) {
    const double spread = law == Law::mixture && random.uniform() < 0.2 ? 5 : 1;
    double x = spread * simulated::normal(random);
    if (law == Law::student3) {
      double squares = 0;
      for (int k = 0; k < 3; ++k) squares += std::pow(simulated::normal(random), 2);
      x /= std::sqrt(squares / 3);
    }
    values.push_back(centre + x);
  }
  return values;
}

struct Case {
  Law law;
  std::size_t n;
  double alarms;  ///< at 5 %, in per cent
  double power;   ///< at 0.025 %, in per cent
};

void PrintTo(const Case& c, std::ostream* out) {
  *out << "n = " << c.n << ", law " << static_cast<int>(c.law);
}

double found(const Case& c, double centre, double level) {
  Random random(c.n);
  int count = 0;
  for (int i = 0; i < replications; ++i)
    count += p_value(*mean_location(draw(c.law, random, c.n, centre))) < level ? 1 : 0;
  return count / static_cast<double>(replications);
}

/// What a simulation of this size may be off by chance, and the rounding of the table.
double chance(double p) {
  return 0.006 + 3 * std::sqrt(p * (1 - p) / replications);
}

class Means : public testing::TestWithParam<Case> {};

TEST_P(Means, alarm_and_find_as_the_header_says) {
  const auto& c = GetParam();
  EXPECT_NEAR(found(c, 0, 0.05), c.alarms / 100, chance(c.alarms / 100));
  const double wider = c.law == Law::normal ? 1 : c.law == Law::student3 ? 1.4 : 1.6;
  const double centre = wider * 6 / std::sqrt(static_cast<double>(c.n));
  EXPECT_NEAR(found(c, centre, 0.00025), c.power / 100, chance(c.power / 100));
}

constexpr Case cases[] = {
    {Law::normal, 10, 5.0, 58},
    {Law::student3, 20, 4.3, 76},
    {Law::mixture, 6, 2.9, 26},
    {Law::mixture, 40, 4.4, 56},
};

INSTANTIATE_TEST_SUITE_P(Simulated, Means, testing::ValuesIn(cases));

}  // namespace
}  // namespace tare
