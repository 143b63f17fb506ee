// False alarms and power of the locations, by simulation with fixed seeds. location.hpp shows the table.
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

struct Sample {
  std::vector<double> values;
  std::vector<double> known;
  std::vector<double> estimated;
};

/// Spread 1, or 5 for one value in five of the mixture: that is their standard error, once known and once
/// estimated from 10 values each.
Sample draw(Law law, Random& random, std::size_t n, double centre) {
  Sample sample;
  for (std::size_t i = 0; i < n; ++i) {
    const double spread = law == Law::mixture && random.uniform() < 0.2 ? 5 : 1;
    double x = spread * simulated::normal(random);
    if (law == Law::student3) {
      double squares = 0;
      for (int k = 0; k < 3; ++k) squares += std::pow(simulated::normal(random), 2);
      x /= std::sqrt(squares / 3);
    }
    double squares = 0;
    for (int k = 0; k < 9; ++k) squares += std::pow(simulated::normal(random), 2);
    sample.values.push_back(centre + x);
    sample.known.push_back(spread);
    sample.estimated.push_back(spread * std::sqrt(squares / 9));
  }
  return sample;
}

using Method = std::optional<Location> (*)(const Sample&);

struct Case {
  const char* name;
  Method method;
  Law law;
  std::size_t n;
  double alarms;  ///< at 5 %, in per cent
  double power;   ///< at 0.025 %, in per cent
};

void PrintTo(const Case& c, std::ostream* out) {
  *out << c.name << ", n = " << c.n << ", law " << static_cast<int>(c.law);
}

double found(const Case& c, double centre, double level) {
  Random random(c.n);
  int count = 0;
  for (int i = 0; i < replications; ++i)
    count += p_value(*c.method(draw(c.law, random, c.n, centre))) < level ? 1 : 0;
  return count / static_cast<double>(replications);
}

/// What a simulation of this size may be off by chance, and the rounding of the table.
double chance(double p) {
  return 0.006 + 3 * std::sqrt(p * (1 - p) / replications);
}

class Locations : public testing::TestWithParam<Case> {};

TEST_P(Locations, alarm_and_find_as_the_header_says) {
  const auto& c = GetParam();
  EXPECT_NEAR(found(c, 0, 0.05), c.alarms / 100, chance(c.alarms / 100));
  const double wider = c.law == Law::normal ? 1 : c.law == Law::student3 ? 1.4 : 1.6;
  const double centre = wider * 6 / std::sqrt(static_cast<double>(c.n));
  EXPECT_NEAR(found(c, centre, 0.00025), c.power / 100, chance(c.power / 100));
}

std::optional<Location> plain(const Sample& s) {
  return mean_location(s.values);
}
std::optional<Location> trimmed(const Sample& s) {
  return trimmed_location(s.values, 0.1);
}
std::optional<Location> more_trimmed(const Sample& s) {
  return trimmed_location(s.values, 0.2);
}
std::optional<Location> known(const Sample& s) {
  return weighted_location(s.values, s.known);
}
std::optional<Location> estimated(const Sample& s) {
  return weighted_location(s.values, s.estimated);
}

constexpr Case cases[] = {
    {"mean", plain, Law::normal, 10, 5.0, 58},
    {"mean", plain, Law::student3, 20, 4.3, 76},
    {"mean", plain, Law::mixture, 6, 2.9, 26},
    {"mean", plain, Law::mixture, 40, 4.4, 56},
    {"trimmed", trimmed, Law::normal, 10, 5.5, 39},
    {"trimmed", trimmed, Law::student3, 40, 4.9, 97},
    {"trimmed", trimmed, Law::mixture, 20, 4.0, 83},
    {"more_trimmed", more_trimmed, Law::normal, 6, 6.6, 4},
    {"known", known, Law::mixture, 6, 5.0, 49},
    {"known", known, Law::mixture, 20, 4.9, 99},
    {"estimated", estimated, Law::normal, 20, 7.3, 89},
    {"estimated", estimated, Law::mixture, 10, 6.7, 86},
};

INSTANTIATE_TEST_SUITE_P(Simulated, Locations, testing::ValuesIn(cases));

}  // namespace
}  // namespace tare
