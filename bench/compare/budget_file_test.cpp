#include "bench/compare/budget_file.hpp"

#include <fmt/format.h>
#include <fstream>
#include <gmock/gmock.h>
#include <regex>
#include <sstream>

namespace tare {
namespace {

using testing::HasSubstr;
using testing::StartsWith;
using Kind = Limit::Kind;

Budget only(const std::string& text) {
  auto budgets = parse_budgets(text);
  if (!budgets) {
    ADD_FAILURE() << budgets.error().message;
    return {};
  }
  EXPECT_EQ(budgets->size(), 1u);
  return budgets->front();
}

TEST(BudgetFile, default_and_patterns_in_file_order) {
  const auto budgets = parse_budgets(R"(
[[budget]]
match = "^mlp/"
time = "3%"
"time/backward" = "2.5 %"
allocations = 0

[[budget]]
match = "noisy"
time = "any"

[default]
time = "5%"
)");
  ASSERT_TRUE(budgets) << budgets.error().message;
  const Budgets expected{{"", "time", {{Kind::relative, 0.05, "", "5%"}}},
                         {"^mlp/", "time", {{Kind::relative, 0.03, "", "3%"}}},
                         {"^mlp/", "time/backward", {{Kind::relative, 0.025, "", "2.5 %"}}},
                         {"^mlp/", "allocations", {{Kind::absolute, 0, "", "0"}}},
                         {"noisy", "time", {}}};
  EXPECT_EQ(*budgets, expected);
}

TEST(BudgetFile, limits_with_units_and_of_the_value_itself) {
  EXPECT_EQ(only("[default]\ntime = '2 ms'").limits,
            (std::vector<Limit>{{Kind::absolute, 2e6, "ns", "2 ms"}}));
  EXPECT_EQ(only("[default]\npeak_bytes = '64KiB'").limits,
            (std::vector<Limit>{{Kind::absolute, 65536, "B", "64KiB"}}));
  EXPECT_EQ(only("[default]\npeak_bytes = { change = '10%', max = '1 MiB' }").limits,
            (std::vector<Limit>{{Kind::relative, 0.1, "", "10%"}, {Kind::at_most, 1048576, "B", "1 MiB"}}));
  EXPECT_EQ(only("[default]\ngradient_error = { max = 1e-5 }").limits,
            (std::vector<Limit>{{Kind::at_most, 1e-5, "", "1e-05"}}));
  EXPECT_EQ(only("[default]\naccuracy = { min = 0.9 }").limits,
            (std::vector<Limit>{{Kind::at_least, 0.9, "", "0.9"}}));
  EXPECT_EQ(only("[default]\ntime = 0").limits, (std::vector<Limit>{{Kind::absolute, 0, "", "0"}}));
  EXPECT_EQ(only("[default]\n'my.counter' = 3").metric, "my.counter");
}

TEST(BudgetFile, what_is_wrong_is_said_with_its_place_and_an_example) {
  const struct {
    const char* text;
    const char* place;
    const char* what;
  } cases[] = {
      {"[default\n", "f:1:9: ", "not TOML"},
      {"[#default]\n", "f:1:2: ", "not TOML"},
      {"ƈ = 1\n", "f:1:1: ", "not TOML"},
      {"\x1b[default]\n", "f:1:1: ", "not TOML"},
      {"[default]\ntime\x01 = '5%'\n", "f:2:5: ", "not TOML"},
      {"[default]\ntime = 5%\n", "f:2:9: ", "not TOML"},
      {"[defaults]\ntime = '5%'\n", "f:1:2: ", "unknown key 'defaults'"},
      {"time = '5%'\n", "f:1:1: ", "unknown key 'time'"},
      {"default = 3\n", "f:1:11: ", "must be a table; write it like [default]"},
      {"[budget]\nmatch = 'x'\n", "f:1:1: ", "must be a list of tables; write it like [[budget]]"},
      {"budget = []\n", "f:1:10: ", "must be a list of tables"},
      {"[default]\nmatch = 'x'\n", "f:2:9: ", "takes no 'match'"},
      {"[[budget]]\ntime = '5%'\n", "f:1:1: ", "needs a 'match'"},
      {"[[budget]]\nmatch = 3\ntime = '5%'\n", "f:2:9: ", "'match' must be a text"},
      {"[[budget]]\nmatch = ''\ntime = '5%'\n", "f:2:9: ", "empty 'match'"},
      {"[[budget]]\nmatch = '['\ntime = '5%'\n", "f:2:9: ", "'[' is not a regular expression"},
      {"[[budget]]\nmatch = 'x'\n", "f:1:1: ", "limits nothing"},
      {"[default]\ntime = '5 furlong'\n", "f:2:8: ", "unknown unit 'furlong'"},
      {"[default]\ntime = '5 Ms'\n", "f:2:8: ", "unknown unit 'Ms'"},
      {"[default]\ntime = 'fast'\n", "f:2:8: ", "not a number with a unit"},
      {"[default]\ntime = ''\n", "f:2:8: ", "not a number with a unit"},
      {"[default]\ntime = true\n", "f:2:8: ", "must be a number or a text"},
      {"[default]\ntime = [1]\n", "f:2:8: ", "must be a number or a text"},
      {"[default]\ntime = '-5%'\n", "f:2:8: ", "is negative"},
      {"[default]\nallocations = -1\n", "f:2:15: ", "is negative"},
      {"[default]\nx = inf\n", "f:2:5: ", "not finite"},
      {"[default]\nx = nan\n", "f:2:5: ", "not finite"},
      {"[default]\nx = 'nan'\n", "f:2:5: ", "not finite"},
      {"[default]\ntime = 5\n", "f:2:8: ", "has no unit; write it like \"5%\" or \"2 ms\""},
      {"[default]\n'time/forward' = '5 KiB'\n", "f:2:18: ", "does not fit 'time/forward', which is in ns"},
      {"[default]\nallocations = '5 KiB'\n", "f:2:15: ", "which is a count"},
      {"[default]\npeak_bytes = {}\n", "f:2:14: ", "no limit"},
      {"[default]\npeak_bytes = { most = 3 }\n", "f:2:16: ", "unknown key 'most'"},
      {"[default]\npeak_bytes = { max = '5%' }\n", "f:2:22: ", "values, not shares"},
      {"[default]\n'' = 3\n", "f:2:1: ", "metric without a name"},
      {"", "f: ", "holds no budget"},
      {"[default]\n", "f: ", "holds no budget"},
  };
  for (const auto& c : cases) {
    const auto budgets = parse_budgets(c.text, "f");
    ASSERT_FALSE(budgets) << c.text;
    EXPECT_THAT(budgets.error().message, StartsWith(c.place)) << c.text;
    EXPECT_THAT(budgets.error().message, HasSubstr(c.what)) << c.text;
    EXPECT_THAT(budgets.error().message, HasSubstr("write ")) << c.text;
    EXPECT_EQ(budgets.error().message.find('\n'), std::string::npos) << c.text;
  }
}

TEST(BudgetFile, a_file_that_cannot_be_read_is_said) {
  const auto missing = read_budgets("/no/such/budgets.toml");
  ASSERT_FALSE(missing);
  EXPECT_THAT(missing.error().message, HasSubstr("/no/such/budgets.toml: No such file"));
  EXPECT_FALSE(read_budgets("/"));
  EXPECT_FALSE(read_budgets("/dev/null"));
}

TEST(BudgetFile, the_documents_examples_are_good) {
  std::ifstream page(std::string(TARE_DOCS) + "/budgets.md");
  std::stringstream text;
  text << page.rdbuf();
  const auto content = text.str();
  std::size_t examples = 0;
  for (auto at = content.find("```toml\n"); at != std::string::npos; at = content.find("```toml\n", at)) {
    at += 8;
    const auto budgets = parse_budgets(content.substr(at, content.find("```", at) - at));
    EXPECT_TRUE(budgets) << budgets.error().message;
    ++examples;
  }
  EXPECT_GE(examples, 1u);
}

}  // namespace
}  // namespace tare
