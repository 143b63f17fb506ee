#include "bench/measure/protocol.hpp"

#include <gtest/gtest.h>

#include "bench/model/json.hpp"

namespace tare {
namespace {

Result<Request> parse(const std::string& text) {
  return parse_json(text).and_then([](const Json& json) { return request_from_json(json); });
}

TEST(ProtocolRequests, survive_the_round_trip) {
  const std::vector<Request> all{ListRequest{},
                                 PrepareRequest{{"a", {{"n", "1"}}}, 7},
                                 SampleRequest{100, 3},
                                 CheckRequest{18446744073709551615u},
                                 MeterRequest{"allocations", {10, 2.5}},
                                 ExplainRequest{5, true},
                                 FinishRequest{},
                                 QuitRequest{}};
  for (const auto& request : all) {
    const auto text = to_text(to_json(request));
    auto again = parse(text);
    ASSERT_TRUE(again) << text << ": " << again.error().message;
    EXPECT_EQ(again->index(), request.index());
    EXPECT_EQ(to_text(to_json(*again)), text);
  }
}

TEST(ProtocolRequests, refuse_nonsense) {
  for (const char* bad :
       {"[]", "{}", R"({"do":"dance"})", R"({"do":"sample"})", R"({"do":"sample","iterations":0})",
        R"({"do":"sample","iterations":-3})", R"({"do":"sample","iterations":1,"count":0})",
        R"({"do":"sample","iterations":1,"count":99999999})", R"({"do":"prepare"})",
        R"({"do":"prepare","benchmark":{"name":""}})", R"({"do":"meter"})",
        R"({"do":"meter","meter":"cpu","iterations":0})", R"({"do":"explain","count":0})",
        R"({"do":"explain","count":1001})"}) {
    EXPECT_FALSE(parse(bad)) << bad;
  }
}

TEST(ProtocolHello, another_version_is_refused_with_advice) {
  EXPECT_TRUE(hello_from_json(to_json(Hello{protocol_version, {"GCC", "", "optimised", "0.1"}})));
  const auto other = hello_from_json(Json{{"tare", 99}});
  ASSERT_FALSE(other);
  EXPECT_NE(other.error().message.find("99"), std::string::npos);
  EXPECT_FALSE(hello_from_json(Json{{"something", "else"}}));
}

TEST(ProtocolPreparation, survives_the_round_trip) {
  Preparation p{{{8}, "f32", "cpu", 1, 2, "", 5, "h"},
                {1, 2, 3},
                "label",
                {"f", "b"},
                8,
                true,
                true,
                4,
                {1, 2, 3, 4},
                77,
                true};
  const auto again = *preparation_from_json(to_json(p));
  EXPECT_EQ(again.workload, p.workload);
  EXPECT_EQ(again.throughput, p.throughput);
  EXPECT_EQ(again.phases, p.phases);
  EXPECT_EQ(again.granularity, 8u);
  EXPECT_EQ(again.overhead, p.overhead);
  EXPECT_TRUE(again.has_check && again.told && again.explains);
  EXPECT_EQ(again.cold_ns, 77);
  auto json = to_json(p);
  json["granularity"] = 0;
  EXPECT_FALSE(preparation_from_json(json));
  json = to_json(p);
  json["phases"] = Json::array();
  EXPECT_FALSE(preparation_from_json(json));
}

TEST(ProtocolExplanation, survives_the_round_trip_and_refuses_nonsense) {
  const ModeBreakdown mode{
      "eager", {{"add", OpKind::other, {{8}, {8}}, 1, 2, 8, 96, Regime::bandwidth, 0.5, "why"}}, 10, 3};
  const Explanation told{{{mode}, {mode}}, ProgramText{"1. add", "digraph {}"}};
  const auto again = *explanation_from_json(to_json(told));
  EXPECT_EQ(again.traces, told.traces);
  EXPECT_EQ(again.program, told.program);
  EXPECT_FALSE(explanation_from_json(to_json(Explanation{told.traces, {}}))->program);
  EXPECT_FALSE(explanation_from_json(Json::object()));
  EXPECT_FALSE(explanation_from_json(Json{{"traces", 3}}));
  EXPECT_FALSE(explanation_from_json(Json{{"traces", {3}}}));
  auto json = to_json(told);
  json["traces"][1][0]["ops"][0]["duration_ns"] = -1;
  EXPECT_FALSE(explanation_from_json(json));
  json = to_json(told);
  json["traces"][0][0]["wall_ns"] = -1;
  EXPECT_FALSE(explanation_from_json(json));
}

TEST(ProtocolReading, has_one_total_per_phase) {
  const Reading reading{{10, 20.5}, 99, {1, 2, 3, 4, 5, 6, 7}};
  const auto again = *reading_from_json(to_json(reading), 2);
  EXPECT_EQ(again.totals, reading.totals);
  EXPECT_EQ(again.wall_ns, 99);
  EXPECT_EQ(again.interference, reading.interference);
  EXPECT_FALSE(reading_from_json(to_json(reading), 3));
  EXPECT_FALSE(reading_from_json(Json{{"totals", {-1.0}}}, 1)) << "time does not run backwards";
  EXPECT_FALSE(reading_from_json(Json{{"totals", {nullptr}}}, 1)) << "NaN travels as null";
}

TEST(ProtocolChecked, keeps_the_error_when_there_is_one) {
  EXPECT_EQ(checked_from_json(to_json(Checked{true, "", 1e-9}))->error, 1e-9);
  EXPECT_FALSE(checked_from_json(to_json(Checked{false, "wrong", {}}))->error);
  EXPECT_FALSE(checked_from_json(Json{{"message", "no verdict"}}));
}

}  // namespace
}  // namespace tare
