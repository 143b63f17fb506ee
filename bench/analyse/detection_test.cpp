// How often the warm-up classes and the multimodality warning are right, on simulated series with fixed
// seeds.
#include <gtest/gtest.h>

#include "bench/analyse/outliers.hpp"
#include "bench/analyse/simulated.hpp"
#include "bench/analyse/warm_up.hpp"

namespace tare {
namespace {

using simulated::Law;
using simulated::Noise;
using simulated::Shape;

#ifdef TARE_FEWER_REPLICATIONS
constexpr int replications = 50;
constexpr double slack = 0.1;
#else
constexpr int replications = 500;
constexpr double slack = 0;
#endif

Steadiness truth(Shape shape) {
  switch (shape) {
    case Shape::step_down:
    case Shape::decay:
      return Steadiness::warming;
    case Shape::drift:
      return Steadiness::slowing;
    case Shape::levels:
      return Steadiness::no_steady_state;
    default:
      return Steadiness::flat;
  }
}

/// Share of series classed rightly: noise of 2 %, changes of 20 %.
double correct(Shape shape, Noise kind, std::size_t n) {
  Random random(37 * n + 7 * static_cast<std::size_t>(shape) + static_cast<std::size_t>(kind));
  int right = 0;
  for (int i = 0; i < replications; ++i) {
    auto series = simulated::noise(kind, random, n, 2);
    const auto change = simulated::shaped(shape, random, n, 20);
    for (std::size_t k = 0; k < n; ++k) series[k] += change[k];
    right += find_warm_up(series).steadiness == truth(shape) ? 1 : 0;
  }
  return right / static_cast<double>(replications);
}

class WarmUpClasses : public testing::TestWithParam<Shape> {};

TEST_P(WarmUpClasses, are_right_in_95_of_100_series) {
  for (const auto kind : simulated::noises) {
    for (const std::size_t n : {20, 30, 50, 100, 200}) {
      double least = 0.95;
      // What this method does less well: the rates that warm_up.hpp states, less two standard errors.
      if (GetParam() == Shape::drift && kind == Noise::ar1 && n == 20) least = 0.90;
      if (GetParam() == Shape::levels && kind == Noise::spikes && n == 20) least = 0.82;
      if (GetParam() == Shape::levels && kind == Noise::spikes && n == 30) least = 0.91;
      EXPECT_GE(correct(GetParam(), kind, n), least - slack)
          << "noise " << static_cast<int>(kind) << ", n = " << n;
    }
  }
}

std::string shape_name(const testing::TestParamInfo<Shape>& test) {
  constexpr const char* names[] = {"flat", "step_down", "decay", "drift", "levels"};
  return names[static_cast<int>(test.param)];
}
INSTANTIATE_TEST_SUITE_P(Simulated, WarmUpClasses, testing::ValuesIn(simulated::shapes), shape_name);

TEST(WarmUpBegin, lies_at_the_step) {
  for (const std::size_t n : {30, 100}) {
    Random random(n);
    int right = 0;
    for (int i = 0; i < replications; ++i) {
      auto series = simulated::noise(Noise::normal, random, n, 2);
      const auto change = simulated::shaped(Shape::step_down, random, n, 20);
      std::size_t end = 0;
      while (change[end] > 0) ++end;
      for (std::size_t k = 0; k < n; ++k) series[k] += change[k];
      right += find_warm_up(series).begin == end ? 1 : 0;
    }
    EXPECT_GE(right / static_cast<double>(replications), 0.98 - slack);
  }
}

template <class Draw>
double alarms(std::uint64_t seed, Draw draw) {
  Random random(seed);
  int found = 0;
  for (int i = 0; i < replications; ++i) found += is_multimodal(draw(random)) ? 1 : 0;
  return found / static_cast<double>(replications);
}

TEST(MultimodalAlarms, are_rare_for_one_cluster) {
  for (const std::size_t n : {20, 30, 50, 100, 200, 500})
    for (const auto law : {Law::normal, Law::log_normal, Law::exponential, Law::ar1})
      EXPECT_LE(alarms(n, [&](Random& random) { return simulated::draw(law, random, n); }), 0.02 + slack)
          << name_of(law) << ", n = " << n;
}

TEST(MultimodalAlarms, are_limited_for_a_law_without_a_peak) {
  for (const std::size_t n : {30, 100, 500})
    EXPECT_LE(alarms(n,
                     [&](Random& random) {
                       std::vector<double> values(n);
                       for (auto& v : values) v = random.uniform();
                       return values;
                     }),
              0.3 + slack);
}

TEST(MultimodalAlarms, are_sure_for_two_clusters_four_sigma_apart) {
  EXPECT_GE(alarms(100,
                   [](Random& random) {
                     auto values = simulated::normal_series(random, 100);
                     for (auto& v : values) v += random.uniform() < 0.5 ? 0 : 4;
                     return values;
                   }),
            0.95 - slack);
}

}  // namespace
}  // namespace tare
