// False alarms of the two-sample tests and coverage of the ratios and of Cliff's delta, by simulation with
// fixed seeds. tests.hpp and ratio.hpp show the tables.
#include <cmath>
#include <functional>
#include <gtest/gtest.h>
#include <ostream>

#include "bench/analyse/simulated.hpp"
#include "bench/compare/ratio.hpp"
#include "bench/compare/tests.hpp"

namespace tare {
namespace {

#ifdef TARE_FEWER_REPLICATIONS
constexpr double effort = 0.05;
#else
constexpr double effort = 1;
#endif

/// Two samples of one law. In the last setting the first has twice as many values, the second three times the
/// spread.
struct Pair {
  std::vector<double> a, b;
};

enum class Setting { normal, log_normal, wider };
constexpr Setting settings[] = {Setting::normal, Setting::log_normal, Setting::wider};

Pair draw(Setting setting, Random& random, std::size_t n) {
  const auto kind = setting == Setting::log_normal ? simulated::Noise::log_normal : simulated::Noise::normal;
  const bool wider = setting == Setting::wider;
  return {simulated::noise(kind, random, wider ? 2 * n : n, 5),
          simulated::noise(kind, random, n, wider ? 15 : 5)};
}

struct Case {
  const char* name;
  int replications;
  std::function<bool(const Pair&, Random&)> hit;
  double expected[2][3];  ///< per cent, for n = 8 and 30, and each setting
};

void PrintTo(const Case& c, std::ostream* out) {
  *out << c.name;
}

std::function<bool(const Pair&, Random&)> covers(std::optional<Estimate> (*ratio)(Values, Values,
                                                                                  std::uint64_t, double,
                                                                                  std::size_t)) {
  return [ratio](const Pair& pair, Random& random) {
    const auto estimate = ratio(pair.a, pair.b, random.bits(), 0.95, 500);
    return *estimate->low <= 1 && 1 <= *estimate->high;
  };
}

const Case cases[] = {
    {"welch",
     20'000,
     [](const Pair& p, Random&) { return welch_t(p.a, p.b)->p < 0.05; },
     {{4.7, 3.9, 5.0}, {5.0, 5.0, 5.0}}},
    {"mann_whitney",
     20'000,
     [](const Pair& p, Random&) { return mann_whitney(p.a, p.b)->p < 0.05; },
     {{5.1, 5.1, 9.7}, {4.7, 4.7, 10.9}}},
    {"permutation",
     1'000,
     [](const Pair& p, Random& random) { return permutation_test(p.a, p.b, random.bits(), 499)->p <= 0.05; },
     {{4.8, 5.0, 15.0}, {4.7, 4.5, 14.4}}},
    {"wilcoxon",
     20'000,
     [](const Pair& p, Random&) {
       std::vector<double> differences;
       for (std::size_t i = 0; i < p.b.size(); ++i) differences.push_back(p.a[i] - p.b[i]);
       return wilcoxon(differences)->p < 0.05;
     },
     {{4.0, 4.0, 3.9}, {5.1, 5.1, 5.1}}},
    {"cliffs_delta_covers",
     10'000,
     [](const Pair& p, Random&) {
       const auto delta = cliffs_delta(p.a, p.b);
       return delta->low && *delta->low <= 0 && 0 <= *delta->high;
     },
     {{95.1, 95.1, 94.7}, {95.2, 95.2, 95.2}}},
    {"ratio_of_means_covers", 1'000, covers(ratio_of_means), {{90.2, 88.3, 89.1}, {93.8, 92.1, 93.3}}},
    {"ratio_of_medians_covers", 500, covers(ratio_of_medians), {{96.0, 96.0, 94.1}, {96.9, 96.9, 94.8}}},
};

class Simulated : public testing::TestWithParam<Case> {};

TEST_P(Simulated, is_what_the_header_says) {
  const auto& c = GetParam();
  const int replications = static_cast<int>(effort * c.replications);
  for (std::size_t row = 0; row < 2; ++row)
    for (std::size_t column = 0; column < 3; ++column) {
      const std::size_t n = row == 0 ? 8 : 30;
      Random random(n);
      int hits = 0;
      for (int i = 0; i < replications; ++i) hits += c.hit(draw(settings[column], random, n), random) ? 1 : 0;
      const double share = hits / static_cast<double>(replications), expected = c.expected[row][column] / 100;
      EXPECT_NEAR(share, expected, 0.002 + 3 * std::sqrt(expected * (1 - expected) / replications))
          << "n = " << n << ", setting " << column;
    }
}

INSTANTIATE_TEST_SUITE_P(Tests, Simulated, testing::ValuesIn(cases),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace tare
