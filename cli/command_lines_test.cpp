#include "cli/command_lines.hpp"

#include <gmock/gmock.h>

namespace tare::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Words = std::vector<std::string>;

struct Split {
  const char* command;
  Words words;
};
class SplitsLikeAShell : public testing::TestWithParam<Split> {};

TEST_P(SplitsLikeAShell, into_words) {
  const auto words = split_command(GetParam().command);
  ASSERT_TRUE(words) << words.error().message;
  EXPECT_EQ(*words, GetParam().words);
}
INSTANTIATE_TEST_SUITE_P(
    Commands, SplitsLikeAShell,
    testing::Values(Split{"", {}}, Split{"  \t ", {}}, Split{"ls", {"ls"}}, Split{"  ls  -l ", {"ls", "-l"}},
                    Split{"a 'b c' d", {"a", "b c", "d"}}, Split{"a \"b 'c\" d", {"a", "b 'c", "d"}},
                    Split{"a '' \"\"", {"a", "", ""}}, Split{"pre'fix'ed\"ly\"", {"prefixedly"}},
                    Split{R"(a\ b \' \")", {"a b", "'", "\""}}, Split{R"('a\b')", {R"(a\b)"}},
                    Split{R"("a\"b\\c\d\$")", {R"(a"b\c\d$)"}}, Split{"'$HOME|*'", {"$HOME|*"}},
                    Split{"cc -DN=3 --x=y", {"cc", "-DN=3", "--x=y"}}, Split{"'a=b' c", {"a=b", "c"}},
                    Split{"é ü", {"é", "ü"}}));

TEST(SplitCommand, refuses_what_needs_a_shell) {
  for (const char* command : {"a | b", "a > b", "a < b", "a; b", "a && b", "a $HOME", "a \"$HOME\"", "a `b`",
                              "a *.c", "a b?", "(a)", "~/a", "a # b", "N=3 a", "a\nb", "a {1,2}"}) {
    const auto words = split_command(command);
    ASSERT_FALSE(words) << command;
    EXPECT_THAT(words.error().message, HasSubstr("needs a shell")) << command;
  }
}

TEST(SplitCommand, refuses_quotes_that_do_not_end) {
  EXPECT_EQ(split_command("a 'b").error().message, "'a 'b' has a ' that does not end");
  EXPECT_EQ(split_command("a \"b'").error().message, "'a \"b'' has a \" that does not end");
  EXPECT_THAT(split_command("a \\").error().message, HasSubstr("backslash"));
}

TEST(CombineParameters, multiplies) {
  EXPECT_THAT(*combine_parameters({}), ElementsAre(Parameters{}));
  EXPECT_THAT(*combine_parameters({"n=1,2", "m=a,b"}),
              ElementsAre(Parameters{{"n", "1"}, {"m", "a"}}, Parameters{{"n", "1"}, {"m", "b"}},
                          Parameters{{"n", "2"}, {"m", "a"}}, Parameters{{"n", "2"}, {"m", "b"}}));
}

TEST(CombineParameters, refuses_nonsense) {
  for (const char* bad : {"n", "=1", "n=", "n=1,,2", "n=1,1", "a b=1", "1=2"})
    EXPECT_FALSE(combine_parameters({bad})) << bad;
  EXPECT_THAT(combine_parameters({"n=1", "n=2"}).error().message, HasSubstr("given twice"));
}

TEST(Substitute, puts_values_in_place) {
  const Parameters two{{"n", "10"}, {"mode", "fast"}};
  EXPECT_EQ(*substitute("a {n} --{mode}={n}", two), "a 10 --fast=10");
  EXPECT_EQ(*substitute("no braces", two), "no braces");
  EXPECT_EQ(*substitute("{} { n; } ${n} {1..3} {a,b} {", two), "{} { n; } ${n} {1..3} {a,b} {");
  EXPECT_EQ(*substitute("awk '{{print}}' {n}", two), "awk '{print}' 10");
  EXPECT_EQ(*substitute("a {other} {{x}}", {}), "a {other} {{x}}")
      << "braces mean nothing without parameters";
}

TEST(Substitute, refuses_what_is_not_given) {
  const auto result = substitute("sort {m}", {{"n", "1"}});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().message,
            "'sort {m}' has {m}, and there is no --parameter m; {{m}} stands for {m} itself");
}

TEST(Substitute, a_value_is_not_read_again) {
  EXPECT_EQ(*substitute("{a}", {{"a", "{b}"}, {"b", "1"}}), "{b}");
}

TEST(Mentions, finds_whole_names_only) {
  EXPECT_TRUE(mentions("x {n}", "n"));
  EXPECT_FALSE(mentions("x {nn} {{n}} ${n}", "n"));
}

}  // namespace
}  // namespace tare::cli
