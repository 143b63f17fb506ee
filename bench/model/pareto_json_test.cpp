#include "bench/model/pareto_json.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tare {
namespace {

using testing::HasSubstr;

ParetoFront full_front() {
  ParetoFront front;
  front.metrics = {{"time", "ns", Better::less}, {"accuracy", "1", Better::more}};
  front.constraints = {{"accuracy", true, 0.95}, {"time", false, 3e6}};
  front.points = {
      {"f32", {{2e6, 1.9e6, 2.1e6, 0.95, "t"}, {0.97, {}, {}, 0.95, "exact"}}, true, {}, true, {}, {"f32b"}},
      {"int8",
       {{1e6, {}, {}, 0.9, ""}, {0.9, {}, {}, 0.95, ""}},
       false,
       {"accuracy>=0.95"},
       false,
       {"f32"},
       {}}};
  front.recommendations = {{"balanced", "f32", "closest to the best of both", "time 2 ms"}};
  front.left_out = {"f16: no accuracy"};
  front.base = "f32";
  front.points[1].normalised = {{"speed-up", {2, 1.9, 2.1, 0.95, "t"}}};
  return front;
}

TEST(ParetoJson, survives_the_round_trip) {
  const auto back = pareto_from_json(*parse_json(to_text(to_json(full_front()))));
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(*back, full_front());
  EXPECT_EQ(pareto_from_json(to_json(ParetoFront{})).value(), ParetoFront{});
}

TEST(ParetoJson, refuses_points_that_do_not_fit_the_metrics) {
  auto json = to_json(full_front());
  json["points"][0]["values"].erase(1);
  EXPECT_THAT(pareto_from_json(json).error().message, HasSubstr("'f32' has 1 values for 2 metrics"));
  json = to_json(full_front());
  json["points"][0]["values"][0] = nullptr;
  EXPECT_THAT(pareto_from_json(json).error().message, HasSubstr("without a value"));
  json = to_json(full_front());
  json["metrics"][0]["better"] = "neither";
  EXPECT_FALSE(pareto_from_json(json));
  EXPECT_FALSE(pareto_from_json({}));
}

TEST(ParetoConstraint, is_written_as_it_is_read) {
  EXPECT_EQ(text_of({"accuracy", true, 0.95}), "accuracy>=0.95");
  EXPECT_EQ(text_of({"time", false, 2e6}), "time<=2e+06");
}

}  // namespace
}  // namespace tare
