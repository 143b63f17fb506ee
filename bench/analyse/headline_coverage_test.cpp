// Coverage of the intervals a summary shows: several processes with differences between them, and stopping as
// soon as the interval is narrow enough.
#include <gtest/gtest.h>

#include "bench/analyse/intervals.hpp"
#include "bench/analyse/simulated.hpp"
#include "bench/analyse/summarise.hpp"

namespace tare {
namespace {

#ifdef TARE_FEWER_REPLICATIONS
constexpr int replications = 100;
constexpr double tolerance = 0.06;
#else
constexpr int replications = 3000;
constexpr double tolerance = 0.015;
#endif

bool covers(const std::optional<Estimate>& estimate, double truth) {
  return *estimate->low <= truth && truth <= *estimate->high;
}

struct Covered {
  double time = 0, mean = 0, median = 0;
};

/// Centre 100, deviation 1 within a process with AR(1) dependence, `between` between processes.
Covered simulate(std::uint32_t processes, std::size_t samples, double between, double phi) {
  Random random(processes * 100 + samples);
  Covered covered;
  for (int i = 0; i < replications; ++i) {
    Metric metric;
    metric.unit = "ns";
    for (std::uint32_t p = 0; p < processes; ++p) {
      const double level = 100 + between * simulated::normal(random);
      for (const double v : simulated::ar1_series(random, samples, phi))
        metric.samples.push_back({p, 1, level + v, {}});
    }
    const auto summary = summarise(metric);
    covered.time += covers(summary.time, 100) ? 1.0 / replications : 0;
    covered.mean += covers(summary.mean, 100) ? 1.0 / replications : 0;
    covered.median += covers(summary.median, 100) ? 1.0 / replications : 0;
  }
  return covered;
}

TEST(HeadlineCoverage, holds_over_processes_that_differ) {
  for (const double between : {0.0, 0.5, 2.0}) {
    for (const double phi : {0.0, 0.5}) {
      const auto covered = simulate(5, 20, between, phi);
      const auto where = testing::Message() << "between " << between << ", φ " << phi;
      EXPECT_NEAR(covered.time, 0.95, tolerance) << where;
      EXPECT_NEAR(covered.mean, 0.95, tolerance) << where;
      EXPECT_GE(covered.median, 0.93 - tolerance / 3) << where;
    }
  }
}

TEST(HeadlineCoverage, of_one_process_is_at_least_its_level) {
  const auto covered = simulate(1, 50, 0, 0.3);
  EXPECT_GE(covered.time, 0.94 - tolerance);
  EXPECT_GE(covered.mean, 0.93 - tolerance);
}

/// Looks after every process from the fifth on and stops when precise enough, at the latest after ten.
double sequential_coverage(double precision) {
  Random random(3);
  int covered = 0;
  const int runs = replications * 3;
  for (int i = 0; i < runs; ++i) {
    std::vector<double> medians;
    Summary summary;
    for (int p = 1; p <= 10; ++p) {
      medians.push_back(100 + simulated::normal(random));
      if (p < 5) continue;
      summary.time = mean_t(medians);
      if (precise_enough(summary, precision)) break;
    }
    covered += covers(summary.time, 100) ? 1 : 0;
  }
  return covered / static_cast<double>(runs);
}

TEST(SequentialStopping, costs_at_most_two_points_of_coverage) {
  double worst = 1;
  for (const double precision : {0.002, 0.004, 0.005, 0.006, 0.007, 0.008, 0.01, 0.015, 0.02})
    worst = std::min(worst, sequential_coverage(precision));
  EXPECT_NEAR(worst, 0.930, tolerance / 1.5);
  EXPECT_NEAR(sequential_coverage(0.002), 0.95, tolerance);
  EXPECT_NEAR(sequential_coverage(0.05), 0.95, tolerance);
}

}  // namespace
}  // namespace tare
