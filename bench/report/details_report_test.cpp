#include "bench/report/details_report.hpp"

#include <gmock/gmock.h>

#include "bench/report/golden.hpp"
#include "bench/report/invented_run.hpp"
#include "bench/support/text.hpp"

namespace tare {
namespace {

using namespace testing_report;
using testing::HasSubstr;
using testing::Not;

TEST(DetailsReport, everything_about_a_benchmark_looks_as_agreed) {
  const auto run = normal_run();
  const std::map<std::string, Histogram> histograms{{"time", invented_histogram()}};
  expect_golden("details_100.txt", details_report(run, run.results[0], histograms));
  expect_golden("details_60.txt", details_report(run, run.results[0], histograms, {60, {}, true}));
}

TEST(DetailsReport, one_sample_and_missing_meters_look_as_agreed) {
  const auto run = doubtful_run();
  expect_golden("details_single.txt", details_report(run, run.results[0], {}));
}

TEST(DetailsReport, every_statistic_is_there) {
  const auto run = normal_run();
  const auto text = details_report(run, run.results[0], {});
  for (const auto* part : {"12.34 µs",
                           "± 0.43 %",
                           "[12.29 µs, 12.39 µs] at 95 %",
                           "t on process medians",
                           "BCa bootstrap",
                           "order statistic",
                           "s 247 ns",
                           "MAD 123 ns",
                           "CV 2.0 %",
                           "p90 12.8 µs",
                           "p99 13.6 µs",
                           "10: 1 low severe, 2 low mild, 3 high mild, 4 high severe",
                           "lag-1 0.125",
                           "effective n 155",
                           "35 % of it between processes",
                           "10 more left out as warm-up",
                           "warming",
                           "123 µs (the very first)",
                           "83.0 M items/s",
                           "--filter"}) {
    EXPECT_THAT(text, HasSubstr(part));
  }
}

TEST(DetailsReport, process_medians_come_from_the_samples_without_the_overhead) {
  const auto run = normal_run();
  EXPECT_THAT(details_report(run, run.results[0], {}), HasSubstr("12.3 µs · 12.6 µs"));
}

TEST(DetailsReport, a_wrong_answer_shows_no_time) {
  const auto run = failing_run();
  const auto text = details_report(run, run.results[3], {{"time", invented_histogram()}});
  EXPECT_THAT(text, Not(HasSubstr("778")));
  EXPECT_THAT(text, Not(HasSubstr("median")));
  EXPECT_THAT(text, Not(HasSubstr("cold")));
  EXPECT_THAT(text, HasSubstr("check failed: gradient differs"));
}

TEST(DetailsReport, energy_always_carries_its_label) {
  const auto run = doubtful_run();
  EXPECT_THAT(details_report(run, run.results[0], {}), HasSubstr("estimated (15 W per busy core)"));
}

TEST(DetailsReport, no_escape_of_a_hostile_text_comes_through) {
  const auto run = hostile_run();
  for (const auto& result : run.results) {
    const auto text = details_report(run, result, {});
    EXPECT_EQ(text.find('\x1b'), std::string::npos);
    EXPECT_EQ(text.find('\r'), std::string::npos);
    EXPECT_EQ(text.find('\xff'), std::string::npos);
  }
}

}  // namespace
}  // namespace tare
