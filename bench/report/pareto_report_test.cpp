#include "bench/report/pareto_report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bench/report/invented_content.hpp"

namespace tare {
namespace {

using testing::HasSubstr;

TEST(ParetoReport, shows_standing_figures_and_advice) {
  const auto text = pareto_text(testing_report::full_front(), {});
  for (const char* fact :
       {"frontier", "beaten", "breaks accuracy>=0.95", "2.00 ms ± 5.0 %", "0.97",
        "1 of 3 variants is on the frontier of time and accuracy, with accuracy>=0.95.",
        "balanced: f32, the only point of the frontier (time 2.00 ms)", "left out: f16: no accuracy"}) {
    EXPECT_THAT(text, HasSubstr(fact));
  }
}

}  // namespace
}  // namespace tare
