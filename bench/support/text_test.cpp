#include "bench/support/text.hpp"

#include <gtest/gtest.h>

namespace tare {
namespace {

TEST(FormatDuration, picks_the_unit_and_keeps_three_digits) {
  EXPECT_EQ(format_duration(0), "0 ns");
  EXPECT_EQ(format_duration(0.0123), "0.0123 ns");
  EXPECT_EQ(format_duration(1.5), "1.50 ns");
  EXPECT_EQ(format_duration(999.4), "999 ns");
  EXPECT_EQ(format_duration(999.6), "1.00 µs");
  EXPECT_EQ(format_duration(12345), "12.3 µs");
  EXPECT_EQ(format_duration(9.996e6), "10.0 ms");
  EXPECT_EQ(format_duration(1.5e9), "1.50 s");
  EXPECT_EQ(format_duration(125e9), "2 min 5 s");
  EXPECT_EQ(format_duration(-2.5), "-2.50 ns");
}

TEST(FormatBytes, counts_whole_bytes_and_binary_prefixes) {
  EXPECT_EQ(format_bytes(0), "0 B");
  EXPECT_EQ(format_bytes(17), "17 B");
  EXPECT_EQ(format_bytes(0.5), "0.500 B");
  EXPECT_EQ(format_bytes(1536), "1.50 KiB");
  EXPECT_EQ(format_bytes(3.0 * 1024 * 1024), "3.00 MiB");
}

TEST(FormatValue, follows_the_metrics_unit) {
  EXPECT_EQ(format_value(1500, "ns"), "1.50 µs");
  EXPECT_EQ(format_value(2048, "B"), "2.00 KiB");
  EXPECT_EQ(format_value(3, "1"), "3");
  EXPECT_EQ(format_value(2.5e9, "flop/s"), "2.50 Gflop/s");
  EXPECT_EQ(format_value(250, "item/s"), "250 item/s");
  EXPECT_EQ(format_value(0.25, "J"), "0.250 J");
  EXPECT_EQ(format_value(1.25e-13, ""), "1.25e-13");
}

TEST(ParseDuration, reads_what_people_write) {
  EXPECT_EQ(parse_duration("10s")->count(), 10'000'000'000);
  EXPECT_EQ(parse_duration(" 1.5 ms ")->count(), 1'500'000);
  EXPECT_EQ(parse_duration("2min")->count(), 120'000'000'000);
  EXPECT_EQ(parse_duration("3µs")->count(), 3'000);
}

TEST(ParseDuration, refuses_the_rest_with_an_example) {
  for (const char* bad : {"", "10", "s", "0s", "-1s", "1e999s", "nan s", "10 parsecs", "1e12h"}) {
    const auto parsed = parse_duration(bad);
    ASSERT_FALSE(parsed) << bad;
    EXPECT_NE(parsed.error().message.find('\''), std::string::npos) << bad;
  }
  EXPECT_NE(parse_duration("10").error().message.find("10s"), std::string::npos);
}

TEST(ParseFraction, reads_percent_and_plain) {
  EXPECT_DOUBLE_EQ(*parse_fraction("1%"), 0.01);
  EXPECT_DOUBLE_EQ(*parse_fraction("0.5"), 0.5);
  for (const char* bad : {"", "0", "-1%", "101%", "1.5", "x", "1 %%"})
    EXPECT_FALSE(parse_fraction(bad)) << bad;
}

TEST(ParseBytes, knows_both_kinds_of_prefix) {
  EXPECT_EQ(*parse_bytes("64MiB"), 64 << 20);
  EXPECT_EQ(*parse_bytes("4k"), 4000);
  EXPECT_EQ(*parse_bytes("7"), 7);
  for (const char* bad : {"", "MiB", "-4k", "1e30", "4x"}) EXPECT_FALSE(parse_bytes(bad)) << bad;
}

TEST(ParseAssignment, splits_at_the_first_equals_sign) {
  EXPECT_EQ(parse_assignment("a=b=c")->second, "b=c");
  EXPECT_EQ(parse_assignment("a=")->second, "");
  EXPECT_FALSE(parse_assignment("=b"));
  EXPECT_FALSE(parse_assignment("ab"));
}

TEST(Printable, keeps_text_and_escapes_the_rest) {
  EXPECT_EQ(printable("µs ≤ 日"), "µs ≤ 日");
  EXPECT_EQ(printable(std::string("a\n\x1b[31m\xff", 8)), "a\\x0a\\x1b[31m\\xff");
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");
}

TEST(Printable, escapes_controls_that_take_several_bytes) {
  EXPECT_EQ(printable("\xc2\x9b"
                      "31m"),
            "\\xc2\\x9b31m");
  EXPECT_EQ(printable("\u202eabc"), "\\xe2\\x80\\xaeabc");
  EXPECT_EQ(printable("\u2028\u2069"), "\\xe2\\x80\\xa8\\xe2\\x81\\xa9");
  EXPECT_EQ(printable("\u00a0\u2027\u202f\u2065\u206a"), "\u00a0\u2027\u202f\u2065\u206a");
}

TEST(ShellQuote, quotes_only_when_it_must) {
  EXPECT_EQ(shell_quote("n=4"), "n=4");
  EXPECT_EQ(shell_quote("a b"), "'a b'");
  EXPECT_EQ(shell_quote("it's"), "'it'\\''s'");
  EXPECT_EQ(shell_quote(""), "''");
}

TEST(DisplayWidth, counts_characters_not_bytes) {
  EXPECT_EQ(display_width("12 µs"), 5u);
}

TEST(Change, has_a_sign_and_the_decimals_its_interval_needs) {
  EXPECT_EQ(format_change(0.0731), "+7.3 %");
  EXPECT_EQ(format_change(-0.00412, 2), "-0.41 %");
  EXPECT_EQ(change_decimals(0.012), 1);
  EXPECT_EQ(change_decimals(0.0012), 2);
  EXPECT_EQ(change_decimals(0.3), 0);
  EXPECT_EQ(change_decimals(1e-9), 4);
  EXPECT_EQ(change_decimals(0), 1);
}

TEST(Step, tells_its_ends_apart) {
  EXPECT_EQ(format_step(3, 4, "1"), "3 → 4");
  EXPECT_EQ(format_step(123456789, 123456790, "1"), "1.23456789e+08 → 1.23456790e+08");
  EXPECT_EQ(format_step(65536, 65600, "B"), "64.0 KiB → 64.1 KiB");
  EXPECT_EQ(format_step(5, 5, "ns"), "5.00 ns → 5.00 ns");
}

}  // namespace
}  // namespace tare
