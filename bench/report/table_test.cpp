#include "bench/report/table.hpp"

#include <gtest/gtest.h>
#include <stdexcept>

#include "bench/report/layout.hpp"
#include "bench/support/text.hpp"

namespace tare {
namespace {

TEST(Table, aligns_left_right_and_numbers_with_units) {
  Table table({{"name", Align::left}, {"time", Align::decimal}, {"±", Align::decimal}, {"n", Align::right}});
  table.row({{"a"}, {"12.3 µs"}, {"0.43 %"}, {"5"}});
  table.row({{"long name"}, {"4.567 ms"}, {"12 %"}, {"1000"}});
  table.row({{"c"}, {"2 s"}, {"2.6 %"}, {"7"}});
  table.row({{"d"}, {"–"}, {"–"}, {"7"}});
  EXPECT_EQ(table.str(80),
            "name           time        ±     n\n"
            "──────────────────────────────────\n"
            "a           12.3 µs   0.43 %     5\n"
            "long name  4.567 ms  12    %  1000\n"
            "c              2 s    2.6  %     7\n"
            "d                 –        –     7\n");
}

TEST(Table, shortens_flexible_columns_in_the_middle_to_fit) {
  Table table({{"name", Align::left, true}, {"value", Align::right}});
  table.row({{"abcdefghijklmnopqrstuvwxyz"}, {"123"}});
  EXPECT_EQ(table.str(20),
            "name           value\n"
            "────────────────────\n"
            "abcdef…uvwxyz    123\n");
}

TEST(Table, a_sentence_takes_the_other_columns_and_wraps) {
  Table table({{"name", Align::left, true}, {"time", Align::decimal}});
  table.row({{"a"}, {"1 ns"}});
  table.sentence({"b"}, {"crashed: signal 11 while sampling the body"});
  EXPECT_EQ(table.str(30),
            "name  time\n"
            "──────────\n"
            "a     1 ns\n"
            "b     crashed: signal 11 while\n"
            "      sampling the body\n");
}

TEST(Table, headings_stand_above_their_rows) {
  Table table({{"name", Align::left}, {"n", Align::right}});
  table.heading("group");
  table.row({{"a"}, {"1"}});
  EXPECT_EQ(table.str(30), "name  n\n───────\ngroup\na     1\n");
}

TEST(Table, a_line_that_cannot_fit_is_cut_visibly) {
  Table table({{"name", Align::left}, {"text", Align::left}});
  table.row({{"0123456789"}, {"abcdefghij"}});
  EXPECT_NE(table.str(15).find("0123456789  ab…\n"), std::string::npos);
  EXPECT_NE(table.str(11).find("0123456789…\n"), std::string::npos);
}

TEST(Table, refuses_a_row_with_a_wrong_number_of_cells) {
  Table table({{"a"}, {"b"}});
  EXPECT_THROW(table.row({{"1"}}), std::invalid_argument);
  EXPECT_THROW(Table({}), std::invalid_argument);
}

TEST(Table, colour_does_not_change_the_alignment) {
  Table table({{"a", Align::left}, {"b", Align::right}});
  table.row({{"x", Ink::bad}, {"1", Ink::good}});
  EXPECT_EQ(table.str(20, Style{true}),
            "\x1b[1ma\x1b[0m  \x1b[1mb\x1b[0m\n\x1b[2m────\x1b[0m\n\x1b[31mx\x1b[0m  \x1b[32m1\x1b[0m\n");
}

TEST(Layout, shortening_keeps_whole_characters) {
  EXPECT_EQ(shorten_middle("äöüäöüäöü", 5), "äö…öü");
  EXPECT_EQ(shorten_middle("äöüäöüäöü", 4), "ä…öü");
  EXPECT_EQ(shorten_middle("abc", 3), "abc");
  EXPECT_EQ(shorten_middle("abc", 1), "…");
  EXPECT_EQ(shorten_middle("abc", 0), "");
  EXPECT_EQ(shorten_end("äöüäöü", 3), "äö…");
}

TEST(Layout, wrapping_breaks_at_spaces_and_inside_words_only_when_it_must) {
  EXPECT_EQ(wrap("one two three", 7), (std::vector<std::string>{"one two", "three"}));
  EXPECT_EQ(wrap("abcdefgh ij", 3), (std::vector<std::string>{"abc", "def", "gh", "ij"}));
  EXPECT_EQ(wrap("", 10), (std::vector<std::string>{""}));
  EXPECT_EQ(hanging("[1] ", "one two three", 12), "[1] one two\n    three\n");
}

TEST(Layout, energy_gets_a_prefix_and_what_is_not_finite_is_undefined) {
  EXPECT_EQ(metric_value(0.0123, "J"), "12.3 mJ");
  EXPECT_EQ(metric_value(2, "J"), "2 J");
  EXPECT_EQ(metric_value(1.0 / 0.0, "ns"), "undefined");
  EXPECT_EQ(percent_or_dash(std::nullopt), "–");
  EXPECT_EQ(percent_or_dash(0.0 / 0.0), "–");
}

}  // namespace
}  // namespace tare
