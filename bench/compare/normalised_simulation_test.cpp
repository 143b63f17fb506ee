// Coverage of the normalised figures by simulation with fixed seeds. normalised.hpp shows the table.
#include <functional>
#include <gtest/gtest.h>
#include <ostream>
#include <vector>

#include "bench/analyse/intervals.hpp"
#include "bench/analyse/simulated.hpp"
#include "bench/compare/normalised.hpp"

namespace tare {
namespace {

#ifdef TARE_FEWER_REPLICATIONS
constexpr int replications = 500;
#else
constexpr int replications = 10'000;
#endif

/// Draws the t interval of a mean of n normal values.
using Drawn = std::function<MaybeEstimate(double centre, double sigma)>;

struct Case {
  const char* name;
  double truth;
  MaybeEstimate (*figure)(const Drawn& mean);
  double expected[2];  ///< per cent, for n = 5 and 20
};

void PrintTo(const Case& c, std::ostream* out) {
  *out << c.name;
}

MaybeEstimate speed(const Drawn& mean) {
  return speed_up(mean(10, 0.5), mean(5, 0.5));
}
MaybeEstimate delta(const Drawn& mean) {
  return accuracy_delta(mean(0.9, 0.01), mean(0.85, 0.02));
}
MaybeEstimate score(const Drawn& mean) {
  return efficiency(speed(mean), MaybeEstimate(Estimate{4, 4, 4, 0.95, "exact"}), delta(mean));
}
MaybeEstimate three(const Drawn& mean) {
  return geometric_mean(std::vector<MaybeEstimate>{speed(mean), speed(mean), speed(mean)});
}

constexpr Case cases[] = {
    {"speed_up", 2, speed, {96.6, 95.5}},
    {"accuracy_delta", -0.05, delta, {96.6, 95.5}},
    {"efficiency", 8 / 1.05, score, {97.3, 95.5}},
    {"geometric_mean", 2, three, {98.8, 96.0}},
};

class Normalised : public testing::TestWithParam<Case> {};

TEST_P(Normalised, covers_as_the_header_says) {
  const auto& c = GetParam();
  for (const std::size_t column : {0, 1}) {
    const std::size_t n = column == 0 ? 5 : 20;
    Random random(n);
    const Drawn mean = [&](double centre, double sigma) {
      return mean_t(simulated::normal_series(random, n, centre, sigma));
    };
    int covered = 0;
    for (int i = 0; i < replications; ++i) {
      const auto found = c.figure(mean);
      covered += *found->low <= c.truth && c.truth <= *found->high ? 1 : 0;
    }
    const double share = covered / static_cast<double>(replications);
    EXPECT_NEAR(share, c.expected[column] / 100, replications > 1000 ? 0.008 : 0.03) << "n = " << n;
  }
}

INSTANTIATE_TEST_SUITE_P(Figures, Normalised, testing::ValuesIn(cases),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace tare
