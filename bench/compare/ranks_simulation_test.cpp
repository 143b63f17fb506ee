// Signed ranks under the looks that decides() takes, by simulation with fixed seeds. ranks.hpp shows the
// tables.
#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <ostream>

#include "bench/analyse/simulated.hpp"
#include "bench/compare/compare.hpp"
#include "bench/compare/location.hpp"
#include "bench/compare/ranks.hpp"
#include "bench/compare/sequential.hpp"

namespace tare {
namespace {

#ifdef TARE_FEWER_REPLICATIONS
constexpr int effort = 1;
#else
constexpr int effort = 10;
#endif

enum class Law { normal, student3, mixture };

/// Nine values in ten of the mixture have a hundredth of the spread of the others.
double draw(Law law, Random& random) {
  const double z = simulated::normal(random);
  if (law == Law::normal) return z;
  if (law == Law::mixture) return random.uniform() < 0.9 ? z / 100 : z;
  double squares = 0;
  for (int k = 0; k < 3; ++k) squares += std::pow(simulated::normal(random), 2);
  return z / std::sqrt(squares / 3);
}

constexpr double common_alpha = 0.05;
constexpr double suite_alpha = common_alpha / 200;

/// Numbers of values at which one looks, and their fractions of the largest: the rule of decides().
struct Schedule {
  std::vector<std::size_t> counts;
  std::vector<double> fractions;
};

Schedule schedule(std::size_t largest) {
  Schedule looks;
  for (std::size_t n = least_pairs; n <= largest; ++n) {
    const double fraction = static_cast<double>(n) / static_cast<double>(largest);
    if (n < largest && !looks.fractions.empty() && fraction < 1.2 * looks.fractions.back()) continue;
    looks.counts.push_back(n);
    looks.fractions.push_back(fraction);
  }
  return looks;
}

/// n values without ties whose positive ranks add up to `sum`.
std::vector<double> with_rank_sum(std::size_t n, std::size_t sum) {
  std::vector<double> values;
  for (std::size_t rank = n; rank > 0; --rank) {
    const bool positive = rank <= sum;
    if (positive) sum -= rank;
    values.push_back(positive ? static_cast<double>(rank) : -static_cast<double>(rank));
  }
  return values;
}

/// For each look and each sum of positive ranks, whether signed_rank_shift() decides: without ties its p
/// depends on that sum alone, and asking it a million times would take minutes.
std::vector<std::vector<bool>> decisions(const Schedule& looks, double alpha) {
  const auto levels = nominal_levels(looks.fractions, alpha);
  std::vector<std::vector<bool>> all;
  for (std::size_t k = 0; k < looks.counts.size(); ++k) {
    const std::size_t n = looks.counts[k];
    auto& decides = all.emplace_back();
    for (std::size_t sum = 0; sum <= n * (n + 1) / 2; ++sum)
      decides.push_back(signed_rank_shift(with_rank_sum(n, sum), levels[k]).p <= levels[k]);
  }
  return all;
}

struct Setting {
  Law law = Law::normal;
  std::size_t largest = 40;
  double centre = 0;
  double alpha = common_alpha;
};

struct Ending {
  bool decided = false;
  std::size_t look = 0;  ///< the last one
  std::vector<double> values;
};

/// Calls end(Ending) for every measurement.
template <class End>
void simulate(const Setting& setting, int replications, const End& end) {
  const auto looks = schedule(setting.largest);
  const auto decides = decisions(looks, setting.alpha);
  Random random(setting.largest + static_cast<std::size_t>(setting.law));
  Ending ending;
  for (int i = 0; i < replications; ++i) {
    ending.decided = false;
    ending.look = 0;
    ending.values.clear();
    std::size_t sum = 0;
    while (true) {
      const double x = setting.centre + draw(setting.law, random);
      ending.values.push_back(x);
      // The sum of the positive ranks counts the pairs, a value with itself included, that add up to more
      // than 0.
      for (const double other : ending.values) sum += other + x > 0 ? 1 : 0;
      if (ending.values.size() < looks.counts[ending.look]) continue;
      ending.decided = decides[ending.look][sum];
      if (ending.decided || ending.look + 1 == looks.counts.size()) break;
      ++ending.look;
    }
    end(ending);
  }
}

double found(const Setting& setting, int replications) {
  int count = 0;
  simulate(setting, replications, [&](const Ending& ending) { count += ending.decided ? 1 : 0; });
  return static_cast<double>(count) / replications;
}

/// The same looks with a t test.
double found_by_t(const Setting& setting, int replications) {
  const auto looks = schedule(setting.largest);
  const auto levels = nominal_levels(looks.fractions, setting.alpha);
  Random random(setting.largest);
  int count = 0;
  for (int i = 0; i < replications; ++i) {
    std::vector<double> values;
    for (std::size_t k = 0; k < levels.size(); ++k) {
      while (values.size() < looks.counts[k]) values.push_back(setting.centre + draw(setting.law, random));
      if (p_value(*mean_location(values)) > levels[k]) continue;
      ++count;
      break;
    }
  }
  return static_cast<double>(count) / replications;
}

/// How often the interval at the last look, at the level of that look, holds the centre.
double covered(const Setting& setting, int replications) {
  const auto levels = nominal_levels(schedule(setting.largest).fractions, common_alpha);
  int count = 0;
  simulate(setting, replications, [&](const Ending& ending) {
    const auto shift = signed_rank_shift(ending.values, levels[ending.look]);
    count += !shift.low || (*shift.low <= setting.centre && setting.centre <= *shift.high) ? 1 : 0;
  });
  return static_cast<double>(count) / replications;
}

double deviation_of(double share, int replications) {
  return std::sqrt(share * (1 - share) / replications);
}

struct Alarms {
  std::size_t largest;
  double common;  ///< false alarms ÷ alpha
  double suite;
};

void PrintTo(const Alarms& a, std::ostream* out) {
  *out << "up to " << a.largest << " values";
}

class SignedRanks : public testing::TestWithParam<Alarms> {};

TEST_P(SignedRanks, raise_no_more_alarms_than_alpha_under_all_looks) {
  const auto& c = GetParam();
  for (const auto law : {Law::normal, Law::student3, Law::mixture}) {
    const int replications = (law == Law::normal ? 12'000 : 4'000) * effort;
    for (const auto& [alpha, expected] :
         {std::pair{common_alpha, c.common}, std::pair{suite_alpha, c.suite}}) {
      const double share = found({law, c.largest, 0, alpha}, replications) / alpha;
      const double error = 1 / std::sqrt(alpha * replications);
      EXPECT_LT(share, 1 + 3 * error) << "law " << static_cast<int>(law) << ", alpha " << alpha;
      // The law does not matter: without ties the ranks' signs are coins.
      EXPECT_NEAR(share, expected, 0.02 + 3.5 * error * std::sqrt(expected))
          << "law " << static_cast<int>(law) << ", alpha " << alpha;
    }
  }
}

constexpr Alarms alarms[] = {{12, 0.84, 0}, {20, 0.94, 0.72}, {37, 1.00, 0.86}, {40, 0.98, 0.90}};
INSTANTIATE_TEST_SUITE_P(Looks, SignedRanks, testing::ValuesIn(alarms));

TEST(SignedRankIntervals, hold_the_centre_whenever_the_measuring_stopped) {
  const int replications = 120 * effort;
  for (const auto law : {Law::normal, Law::student3, Law::mixture})
    for (const std::size_t largest : {12, 20, 37, 40})
      for (const double centre : {0.0, 0.5, 1.0, 2.0}) {
        const double scaled = law == Law::mixture ? centre / 50 : centre;
        EXPECT_GT(covered({law, largest, scaled, common_alpha}, replications),
                  0.95 - 3 * deviation_of(0.95, replications))
            << "law " << static_cast<int>(law) << ", up to " << largest << " values, centre " << scaled;
      }
}

struct Powers {
  Setting setting;
  double ranks;
  double t;
};

TEST(SignedRankPower, is_what_the_header_says) {
  const int replications = 400 * effort;
  for (const auto& c : {Powers{{Law::normal, 20, 0.8, common_alpha}, 0.89, 0.91},
                        Powers{{Law::student3, 40, 1, suite_alpha}, 0.66, 0.52},
                        Powers{{Law::mixture, 12, 0.02, common_alpha}, 0.72, 0.54},
                        Powers{{Law::mixture, 20, 0.02, common_alpha}, 0.95, 0.52},
                        Powers{{Law::mixture, 20, 0.02, suite_alpha}, 0.46, 0.30},
                        Powers{{Law::mixture, 40, 0.02, suite_alpha}, 0.89, 0.26}}) {
    const auto chance = [&](double p) { return 0.006 + 3 * deviation_of(p, replications); };
    EXPECT_NEAR(found(c.setting, replications), c.ranks, chance(c.ranks)) << c.setting.largest;
    EXPECT_NEAR(found_by_t(c.setting, replications), c.t, chance(c.t)) << c.setting.largest;
  }
}

}  // namespace
}  // namespace tare
