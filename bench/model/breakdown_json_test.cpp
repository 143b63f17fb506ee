#include "bench/model/breakdown_json.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tare {
namespace {

using testing::HasSubstr;

/// No two fields alike, so that one taken for another is noticed.
Breakdown full_breakdown() {
  Breakdown b;
  b.benchmark = "mlp/n=8";
  b.roofs = {{{1, 5e10}, {2, 9e10}}, {{"L2", 8e10}, {"DRAM", 2e10}}, 350};
  b.modes = {{"eager",
              {{"matmul", OpKind::matmul, {{8, 16}, {16, 4}}, 0, 100, 1024, 512, Regime::compute, 0.75},
               {"relu", OpKind::other, {{8, 4}}, 120, 50, 32, 256, Regime::bandwidth, 0.5}}},
             {"graph", {{"fused", OpKind::other, {}, 1, 2, 3, 4, Regime::overhead, 0.25}}}};
  b.predicted_gain = 1.5;
  b.measured_gain = Estimate{1.4, 1.3, 1.6, 0.9, "ratio"};
  b.advice = {"fuse relu into matmul"};
  return b;
}

TEST(BreakdownJson, survives_the_round_trip) {
  const auto whole = full_breakdown();
  const auto back = breakdown_from_json(*parse_json(to_text(to_json(whole))));
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(*back, whole);
  const Breakdown bare;
  EXPECT_EQ(breakdown_from_json(to_json(bare)).value(), bare);
}

TEST(BreakdownJson, refuses_what_no_chart_could_draw) {
  auto json = to_json(full_breakdown());
  json["modes"][0]["ops"][1]["duration_ns"] = -1;
  EXPECT_THAT(breakdown_from_json(json).error().message, HasSubstr("'relu': field 'duration_ns'"));
  json = to_json(full_breakdown());
  json["modes"][0]["ops"][0]["regime"] = "lazy";
  EXPECT_THAT(breakdown_from_json(json).error().message, HasSubstr("'lazy' is not a known regime"));
  json = to_json(full_breakdown());
  json["roofs"]["peaks"] = 3;
  EXPECT_THAT(breakdown_from_json(json).error().message, HasSubstr("'peaks'"));
  EXPECT_FALSE(breakdown_from_json(Json::array()));
  EXPECT_FALSE(breakdown_from_json({{"schema", 2}}));
}

TEST(Breakdown, a_faster_matmul_shortens_matmul_alone) {
  const auto eager = full_breakdown().modes[0];
  EXPECT_DOUBLE_EQ(eager.total_ns(), 150);
  EXPECT_DOUBLE_EQ(eager.total_ns(4), 75);
  EXPECT_DOUBLE_EQ(eager.matmul_share(), 2.0 / 3);
  EXPECT_DOUBLE_EQ(eager.matmul_share(4), 1.0 / 3);
  EXPECT_EQ(ModeBreakdown{}.matmul_share(), 0);
}

}  // namespace
}  // namespace tare
