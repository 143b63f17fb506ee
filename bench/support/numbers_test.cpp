#include "bench/support/numbers.hpp"

#include <gtest/gtest.h>

namespace tare {
namespace {

using Numbers = std::vector<double>;

std::string refusal(std::string_view text) {
  const auto found = parse_numbers(text, "a.txt");
  return found ? "" : found.error().message;
}

TEST(Numbers, are_separated_by_space_or_commas) {
  EXPECT_EQ(parse_numbers("1\n2.5\n", "a").value(), (Numbers{1, 2.5}));
  EXPECT_EQ(parse_numbers(" 1,2,,3 ,\t4\r\n-5e-3 +6", "a").value(), (Numbers{1, 2, 3, 4, -5e-3, 6}));
  EXPECT_EQ(parse_numbers("# all of run 7\n1 # first\n#2\n3", "a").value(), (Numbers{1, 3}));
  EXPECT_EQ(parse_numbers("\xef\xbb\xbf"
                          "7",
                          "a")
                .value(),
            Numbers{7});
  EXPECT_EQ(parse_numbers("1e100 -1e100 0", "a").value(), (Numbers{1e100, -1e100, 0}));
}

TEST(Numbers, may_be_none) {
  EXPECT_TRUE(parse_numbers("", "a").value().empty());
  EXPECT_TRUE(parse_numbers("\n , # 1\n", "a").value().empty());
}

TEST(Numbers, that_are_none_are_refused_with_their_place) {
  EXPECT_EQ(refusal("1\n2\n3 4 abc 5\n"), "a.txt:3:5: 'abc' is not a number");
  EXPECT_EQ(refusal("1.5ms"), "a.txt:1:1: '1.5ms' is not a number");
  EXPECT_EQ(refusal("1\n\n,,0x10"), "a.txt:3:3: '0x10' is not a number");
  EXPECT_EQ(refusal("µ"), "a.txt:1:1: 'µ' is not a number");
  EXPECT_EQ(refusal("1;2"), "a.txt:1:1: '1;2' is not a number");
  EXPECT_EQ(refusal("+-1"), "a.txt:1:1: '+-1' is not a number");
  EXPECT_EQ(refusal("+"), "a.txt:1:1: '+' is not a number");
  EXPECT_EQ(refusal("1 nan"), "a.txt:1:3: 'nan' is not a finite number");
  EXPECT_EQ(refusal("-inf"), "a.txt:1:1: '-inf' is not a finite number");
  EXPECT_EQ(refusal("1e101"), "a.txt:1:1: '1e101' is out of range: at most 1e100");
  EXPECT_NE(refusal("1e999").find("out of range"), std::string::npos);
}

TEST(Numbers, are_refused_in_one_printable_line) {
  EXPECT_EQ(refusal("\x1b[2J"), "a.txt:1:1: '\\x1b[2J' is not a number");
  EXPECT_LT(refusal(std::string(100000, 'x')).size(), 100U);
  const auto found = parse_numbers("x", "a\nb");
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().message.find('\n'), std::string::npos);
}

}  // namespace
}  // namespace tare
