#include "bench/measure/meters/instructions.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bench/measure/machine/command.hpp"

namespace tare {
namespace {

using testing::AllOf;
using testing::HasSubstr;

TEST(Instructions, the_total_is_read_from_the_log) {
  EXPECT_EQ(parse_callgrind_log("==77== Callgrind, a call-graph generating cache profiler\n"
                                "==77== Events    : Ir\n"
                                "==77== Collected : 123456\n"
                                "==77== \n"
                                "==77== I   refs:      123,456\n")
                .value(),
            123456U);
  EXPECT_EQ(parse_callgrind_log("==77== Collected : 5 6 7").value(), 5U);
}

TEST(Instructions, a_forked_child_s_total_is_not_ours) {
  EXPECT_EQ(parse_callgrind_log("==77== Command: x\n==77== Collected : 10\n==78== Collected : 99\n").value(),
            10U);
}

TEST(Instructions, other_text_is_no_total) {
  for (const char* log :
       {"", "Collected : 5\n", "==x== Collected : 5\n", "==7== Collected : \n", "==7== Collected : -5\n",
        "==7== Collected : 99999999999999999999999\n", "==", "==7", "==7-- Collected : 5"}) {
    const auto total = parse_callgrind_log(log);
    ASSERT_FALSE(total) << log;
    EXPECT_THAT(total.error().message, HasSubstr("no instruction total")) << log;
  }
}

TEST(Instructions, an_unknown_instruction_is_named_as_such) {
  const auto total = parse_callgrind_log(
      "vex amd64->IR: unhandled instruction bytes: 0x62 0xF1 0x7C\n"
      "==7== valgrind: Unrecognised instruction at address 0x10919f.\n"
      "==7== Process terminating with default action of signal 4 (SIGILL): dumping core\n"
      "==7==  Illegal opcode at address 0x10919F\n==7== Collected : 5\n");
  ASSERT_FALSE(total);
  EXPECT_THAT(total.error().message,
              AllOf(HasSubstr("SIGILL"), HasSubstr("0x62"), HasSubstr("AVX-512"), HasSubstr("-march=")));
}

TEST(Instructions, a_crash_is_told_from_a_missing_total) {
  const auto total = parse_callgrind_log(
      "==7== Process terminating with default action of signal 11 (SIGSEGV)\n==7== Collected : 5\n");
  ASSERT_FALSE(total);
  EXPECT_THAT(total.error().message, HasSubstr("SIGSEGV"));
}

TEST(Instructions, one_iteration_is_the_difference_quotient) {
  EXPECT_DOUBLE_EQ(instructions_per_iteration(1000, 1500, 100).value(), 5);
  EXPECT_DOUBLE_EQ(instructions_per_iteration(1000, 1001, 2).value(), 0.5);
  EXPECT_FALSE(instructions_per_iteration(1000, 999, 2));
  EXPECT_THROW((void)instructions_per_iteration(1, 2, 0), std::invalid_argument);
}

TEST(Instructions, without_valgrind_the_error_says_what_is_missing) {
  const auto total = count_instructions({TARE_COUNTED_LOOP, "1000"}, {}, {.program = "tare-no-valgrind"});
  ASSERT_FALSE(total);
  EXPECT_THAT(total.error().message, AllOf(HasSubstr("needs valgrind"), HasSubstr("tare-no-valgrind")));
}

class UnderValgrind : public testing::Test {
 protected:
  void SetUp() override {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "sanitized programs do not run under valgrind";
#endif
    if (!run_command({"valgrind", "--version"})) GTEST_SKIP() << "valgrind is not installed";
  }
  static Result<std::uint64_t> count(const char* argument) {
    return count_instructions({TARE_COUNTED_LOOP, argument}, {"PATH=/usr/bin:/bin"});
  }
};

TEST_F(UnderValgrind, counts_are_exact_and_repeat) {
  const std::uint64_t n = count("1000").value();
  const std::uint64_t twice_n = count("2000").value();
  EXPECT_EQ(count("1000").value(), n);
  EXPECT_EQ(instructions_per_iteration(n, twice_n, 1000).value(), 5.0);
}

TEST_F(UnderValgrind, a_failing_program_is_quoted) {
  const auto total = count("--fail");
  ASSERT_FALSE(total);
  EXPECT_THAT(total.error().message, AllOf(HasSubstr("exit code 7"), HasSubstr("no luck")));
}

TEST_F(UnderValgrind, an_illegal_instruction_is_reported) {
  const auto total = count("--illegal");
  ASSERT_FALSE(total);
  EXPECT_THAT(total.error().message, HasSubstr("SIGILL"));
}

}  // namespace
}  // namespace tare
