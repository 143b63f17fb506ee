#include "bench/report/html_escape.hpp"

#include <gtest/gtest.h>

namespace tare {
namespace {

TEST(HtmlEscape, leaves_nothing_that_could_be_markup) {
  EXPECT_EQ(html_escape("<script>alert('1')</script>"), "&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;");
  EXPECT_EQ(html_escape("a \"b\" & c"), "a &quot;b&quot; &amp; c");
  EXPECT_EQ(html_escape("µs → 3×"), "µs → 3×");
  EXPECT_EQ(html_escape(std::string_view("\x00\x1b", 2)), "\\x00\\x1b");
  EXPECT_EQ(html_escape("\xff"), "\\xff");
  EXPECT_EQ(html_escape(""), "");
}

TEST(ScriptJson, cannot_end_its_element_and_means_the_same) {
  const Json json{{"<!--", "</script>"}, {"text", "a & b"}, {"list", {1, 2.5, nullptr}}};
  const auto text = script_json(json);
  EXPECT_EQ(text.find_first_of("<>&"), std::string::npos) << text;
  EXPECT_EQ(parse_json(text).value(), json);
}

}  // namespace
}  // namespace tare
