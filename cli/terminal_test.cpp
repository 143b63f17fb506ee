#include "cli/terminal.hpp"

#include <gtest/gtest.h>

namespace tare::cli {
namespace {

std::string shown_in_a_log(std::chrono::steady_clock::duration every) {
  testing::internal::CaptureStderr();
  {
    ProgressLine line(every);
    line.draw("[1/2] half of it");
    line.draw("[2/2] nearly all");
  }
  return testing::internal::GetCapturedStderr();
}

TEST(Progress, IsAPlainLineNowAndThenInALog) {
  EXPECT_EQ(shown_in_a_log({}), "tare: [1/2] half of it\ntare: [2/2] nearly all\n");
}

TEST(Progress, SaysNothingOfShortWorkInALog) {
  EXPECT_EQ(shown_in_a_log(std::chrono::hours(1)), "");
}

TEST(Progress, PromisesNothingAtTheStart) {
  EXPECT_EQ(progress_text(0, 200, 0.5, 3, "sort/n=8", 0, 200).find("left"), std::string::npos);
  EXPECT_NE(progress_text(100, 200, 0, 60, "sort/n=8", 2, 200).find("process 3, about 60 s left"),
            std::string::npos)
      << progress_text(100, 200, 0, 60, "sort/n=8", 2, 200);
}

}  // namespace
}  // namespace tare::cli
