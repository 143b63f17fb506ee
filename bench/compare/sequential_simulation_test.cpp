// The p value of a walk that was looked at on its way, by simulation with fixed seeds.
#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

#include "bench/analyse/simulated.hpp"
#include "bench/compare/sequential.hpp"

namespace tare {
namespace {

#ifdef TARE_FEWER_REPLICATIONS
constexpr int walks = 4'000;
#else
constexpr int walks = 20'000;
#endif

TEST(SequentialP, is_uniform_when_nothing_differs) {
  const std::vector<double> fractions{0.13, 0.2, 0.41, 0.47, 0.8, 1};
  const auto levels = nominal_levels(fractions, 0.3);
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
