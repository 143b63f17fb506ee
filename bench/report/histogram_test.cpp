#include "bench/report/histogram.hpp"

#include <gmock/gmock.h>

#include "bench/report/golden.hpp"
#include "bench/report/invented_run.hpp"
#include "bench/support/text.hpp"

namespace tare {
namespace {

using namespace testing_report;
using testing::HasSubstr;

TEST(Histogram, draws_bins_axis_and_mark) {
  const Histogram histogram{0, 40, {1, 4, 2, 0}, 0, 0};
  EXPECT_EQ(draw_histogram(histogram, "ns", Estimate{15, 11, 25, 0.95, ""}, {20, 2, false, {}}),
            "4 │    ████\n"
            "  │▄▄▄▄████████\n"
            "  └────├─◆───┤─────\n"
            "   0 ns     40.0 ns\n"
            "   ◆ median 15.0 ns,\n"
            "   ├─┤ its 95 %\n"
            "   interval\n");
}

TEST(Histogram, has_a_plain_ascii_form) {
  const auto text = draw_histogram(invented_histogram(), "B", estimate(12200, 50, ""), {60, 4, true, {}});
  for (const char c : text) EXPECT_LT(static_cast<unsigned char>(c), 0x80);
  EXPECT_THAT(text, HasSubstr("-[-*-]-"));
}

TEST(Histogram, a_single_value_beside_a_tall_bar_is_visible) {
  const Histogram histogram{0, 2, {1, 100000}, 0, 0};
  EXPECT_THAT(draw_histogram(histogram, "ns", std::nullopt, {}), HasSubstr("▁"));
  EXPECT_THAT(draw_histogram(histogram, "ns", std::nullopt, {72, 6, true, {}}), HasSubstr("....####"));
}

TEST(Histogram, more_bins_than_columns_are_added_together) {
  const Histogram histogram{0, 400, std::vector<std::size_t>(400, 1), 2, 3};
  const auto text = draw_histogram(histogram, "ns", std::nullopt, {43, 3, false, {}});
  for (const auto& line : split(text, '\n')) EXPECT_LE(display_width(line), 43u);
  EXPECT_THAT(text, HasSubstr(" 11 │"));
  EXPECT_THAT(text, HasSubstr("outside: 2 below, 3 above"));
}

TEST(Histogram, nothing_to_draw_is_empty) {
  EXPECT_EQ(draw_histogram({}, "ns", std::nullopt, {}), "");
  EXPECT_EQ(draw_histogram({0, 1, {0, 0}, 5, 5}, "ns", std::nullopt, {}), "");
}

TEST(Histogram, equal_values_stand_in_one_bar) {
  EXPECT_EQ(draw_histogram({7, 7, {3}, 0, 0}, "ns", Estimate{7, {}, {}, 0.95, ""}, {72, 1, false, {}}),
            "3 │████\n"
            "  └──◆─\n"
            "   7.00 ns\n"
            "   ◆ median 7.00 ns\n");
}

TEST(Histogram, a_mark_outside_the_bins_is_not_drawn_but_named) {
  const auto text = draw_histogram({0, 10, {1, 2}, 0, 0}, "ns", Estimate{50, {}, {}, 0.95, ""}, {});
  EXPECT_THAT(text, HasSubstr("└────────\n"));
  EXPECT_THAT(text, HasSubstr("median 50.0 ns"));
}

}  // namespace
}  // namespace tare
