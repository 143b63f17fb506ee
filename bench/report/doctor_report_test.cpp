#include "bench/report/doctor_report.hpp"

#include <gmock/gmock.h>

#include "bench/report/golden.hpp"
#include "bench/support/text.hpp"

namespace tare {
namespace {

using namespace testing_report;
using testing::HasSubstr;

std::vector<Finding> findings() {
  return {{"load", Health::bad, "3.9 running on 2 CPUs", "Stop the other work, or wait: tare doctor --wait."},
          {"governor", Health::good, "performance", ""},
          {"turbo", Health::caution, "on: the frequency follows temperature and the number of busy cores",
           "echo 1 | sudo tee /sys/devices/system/cpu/intel_pstate/no_turbo"},
          {"counters", Health::unknown, "perf_event_paranoid is not readable", ""}};
}

TEST(DoctorReport, looks_as_agreed) {
  expect_golden("doctor_60.txt", doctor_report(findings(), {60, {}, false}));
  expect_golden("doctor_100.txt", doctor_report(findings()));
}

TEST(DoctorReport, ends_with_the_worst_news) {
  auto list = findings();
  EXPECT_THAT(doctor_report(list), HasSubstr("1 of 4 findings will disturb"));
  list.erase(list.begin());
  EXPECT_THAT(doctor_report(list), HasSubstr("1 of 3 findings may disturb"));
  list.erase(list.begin() + 1);
  EXPECT_THAT(doctor_report(list), HasSubstr("1 of 2 findings could not be examined"));
  list.pop_back();
  EXPECT_THAT(doctor_report(list), HasSubstr("fit to measure: 1 point examined, all good"));
  EXPECT_EQ(doctor_report({}), "Nothing was examined.\n");
}

TEST(DoctorReport, colour_follows_health) {
  const auto text = doctor_report(findings(), {100, Style{true}, false});
  EXPECT_THAT(text, HasSubstr("\x1b[31m✗\x1b[0m"));
  EXPECT_THAT(text, HasSubstr("\x1b[32m✓\x1b[0m"));
  EXPECT_THAT(text, HasSubstr("\x1b[33m!\x1b[0m"));
}

}  // namespace
}  // namespace tare
