#include "bench/support/json.hpp"

#include <gtest/gtest.h>

namespace tare {
namespace {

TEST(ParseJson, answers_bad_text_with_an_error) {
  EXPECT_TRUE(parse_json("{\"a\":[1,2]}"));
  EXPECT_FALSE(parse_json(""));
  EXPECT_FALSE(parse_json("{"));
  EXPECT_FALSE(parse_json("{\"a\":1} trailing"));
  EXPECT_FALSE(parse_json("\xff\xfe"));
}

TEST(ParseJson, refuses_deep_nesting) {
  EXPECT_TRUE(parse_json(std::string(50, '[') + std::string(50, ']')));
  EXPECT_FALSE(parse_json(std::string(100000, '[') + std::string(100000, ']')));
}

TEST(Field, names_what_is_missing_or_wrong) {
  const auto json = *parse_json(R"({"n":3,"s":"x","neg":-1,"big":18446744073709551615,"f":1.5})");
  EXPECT_EQ(*field<int>(json, "n"), 3);
  EXPECT_EQ(*field<double>(json, "n"), 3.0);
  EXPECT_NE(field<int>(json, "m").error().message.find("'m' is missing"), std::string::npos);
  EXPECT_FALSE(field<int>(json, "s"));
  EXPECT_FALSE(field<std::uint64_t>(json, "neg"));
  EXPECT_FALSE(field<std::int64_t>(json, "big"));
  EXPECT_EQ(*field<std::uint64_t>(json, "big"), 18446744073709551615u);
  EXPECT_FALSE(field<int>(json, "f"));
  EXPECT_FALSE(field<int>(Json::array(), "n"));
  EXPECT_EQ(field_or<std::string>(json, "n", "other"), "other");
}

TEST(ToText, replaces_what_is_not_utf8) {
  EXPECT_EQ(to_text(Json("a\xff")), "\"a\xEF\xBF\xBD\"");
}

}  // namespace
}  // namespace tare
