#include "bench/measure/machine/command.hpp"

#include <csignal>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tare {
namespace {

using testing::HasSubstr;

Result<CommandResult> shell(const std::string& script, const CommandOptions& options = {}) {
  return run_command({"/bin/sh", "-c", script}, options);
}

TEST(Command, both_streams_and_the_exit_code_come_back) {
  const auto result = shell("echo out; echo err >&2; exit 3");
  ASSERT_TRUE(result);
  EXPECT_EQ(result->output, "out\n");
  EXPECT_EQ(result->errors, "err\n");
  EXPECT_EQ(result->exit_code, 3);
  EXPECT_EQ(result->signal, 0);
  EXPECT_FALSE(result->succeeded());
}

TEST(Command, words_reach_the_program_unchanged) {
  const auto result = run_command({"printf", "%s|", "a b", "$HOME", "*", ""});
  ASSERT_TRUE(result);
  EXPECT_EQ(result->output, "a b|$HOME|*||");
  EXPECT_TRUE(result->succeeded());
}

TEST(Command, a_signal_is_told_from_an_exit) {
  const auto result = shell("kill -TERM $$");
  ASSERT_TRUE(result);
  EXPECT_EQ(result->signal, SIGTERM);
  EXPECT_FALSE(result->succeeded());
}

TEST(Command, the_environment_is_the_one_given) {
  const auto result = shell("echo $TARE_A-$HOME", {.environment = std::vector<std::string>{"TARE_A=1"}});
  ASSERT_TRUE(result);
  EXPECT_EQ(result->output, "1-\n");
}

TEST(Command, a_missing_program_is_an_error_that_says_so) {
  const auto result = run_command({"tare-no-such-program"});
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().message, HasSubstr("tare-no-such-program"));
  EXPECT_THAT(result.error().message, HasSubstr("is it installed"));
}

TEST(Command, a_program_that_does_not_end_is_killed) {
  const auto result = shell("exec sleep 1000", {.limit = std::chrono::milliseconds(50)});
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().message, HasSubstr("was killed"));
}

TEST(Command, long_output_is_read_but_not_all_kept) {
  const auto result = shell("head -c 300000 /dev/zero; head -c 300000 /dev/zero >&2", {.keep_bytes = 1000});
  ASSERT_TRUE(result);
  EXPECT_EQ(result->output.size(), 1000U);
  EXPECT_EQ(result->errors.size(), 1000U);
  EXPECT_TRUE(result->succeeded());
}

TEST(Command, an_empty_command_is_misuse) {
  EXPECT_THROW((void)run_command({}), std::invalid_argument);
}

}  // namespace
}  // namespace tare
