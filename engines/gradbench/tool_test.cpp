// The tool answers as the protocol says, with the right numbers, and survives whatever a line may hold.
#include "engines/gradbench/tool.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace tare::gradbench {
namespace {

using Json = nlohmann::json;
using testing::HasSubstr;

Json ask(const Json& message) {
  return Json::parse(answer(message.dump()));
}
Json evaluate(const char* module, const char* function, const Json& input) {
  const auto response =
      ask({{"id", 2}, {"kind", "evaluate"}, {"module", module}, {"function", function}, {"input", input}});
  EXPECT_EQ(response.value("success", false), true) << response.dump();
  return response.value("output", Json());
}
std::string refusal(const char* module, const char* function, const Json& input) {
  const auto response =
      ask({{"id", 2}, {"kind", "evaluate"}, {"module", module}, {"function", function}, {"input", input}});
  EXPECT_EQ(response.value("success", true), false) << response.dump();
  EXPECT_EQ(response["id"], 2);
  return response.value("error", "");
}

TEST(GradbenchTool, goes_through_a_session) {
  EXPECT_EQ(ask({{"id", 0}, {"kind", "start"}, {"eval", "hello"}}), (Json{{"id", 0}, {"tool", "tare"}}));
  EXPECT_EQ(ask({{"id", 1}, {"kind", "define"}, {"module", "hello"}}), (Json{{"id", 1}, {"success", true}}));
  EXPECT_EQ(evaluate("hello", "square", 3.0), 9.0);
  EXPECT_EQ(evaluate("hello", "double", 3.0), 6.0);
  EXPECT_EQ(ask({{"id", 3}, {"kind", "analysis"}, {"of", 2}, {"valid", true}}), (Json{{"id", 3}}));
  const auto unknown = ask({{"id", 4}, {"kind", "define"}, {"module", "ht"}});
  EXPECT_EQ(unknown["success"], false);
  EXPECT_THAT(unknown["error"].get<std::string>(), HasSubstr("unknown module 'ht'"));
}

TEST(GradbenchTool, runs_as_often_as_asked_and_times_each_run) {
  const auto response = ask({{"id", 5},
                             {"kind", "evaluate"},
                             {"module", "lse"},
                             {"function", "gradient"},
                             {"input", {{"x", {1.0, 1.0}}, {"min_runs", 7}, {"min_seconds", 0}}}});
  EXPECT_EQ(response["output"], (Json{0.5, 0.5}));
  ASSERT_EQ(response["timings"].size(), 8u);
  EXPECT_EQ(response["timings"][0]["name"], "prepare");
  EXPECT_EQ(response["timings"][7]["name"], "evaluate");
  EXPECT_GE(response["timings"][7]["nanoseconds"].get<std::int64_t>(), 0);
}

TEST(GradbenchTool, knows_the_determinant_and_its_cofactors) {
  const Json input{{"ell", 2}, {"A", {1.0, 2.0, 3.0, 4.0}}};
  EXPECT_NEAR(evaluate("det", "primal", input).get<double>(), -2, 1e-14);
  const auto g = evaluate("det", "gradient", input).get<std::vector<double>>();
  EXPECT_THAT(g, testing::Pointwise(testing::DoubleNear(1e-13), {4.0, -3.0, -2.0, 1.0}));
}

TEST(GradbenchTool, knows_the_ode_whose_solution_is_a_product) {
  const Json input{{"x", {1.0, 2.0, 3.0}}, {"s", 10}};
  // 2·1, 2·1·2·2/2, 2·1·2·2·2·3/6
  EXPECT_THAT(evaluate("ode", "primal", input).get<std::vector<double>>(),
              testing::Pointwise(testing::DoubleNear(1e-12), {2.0, 4.0, 8.0}));
  EXPECT_THAT(evaluate("ode", "gradient", input).get<std::vector<double>>(),
              testing::Pointwise(testing::DoubleNear(1e-12), {8.0, 4.0, 8.0 / 3}));
}

TEST(GradbenchTool, knows_least_squares) {
  // At t = −1, 0, 1 with the constant 0: half of 1 + 0 + 1; slopes −Σ(s − x) and −Σ(s − x)t.
  const Json input{{"x", {0.0, 0.0}}, {"n", 3}};
  EXPECT_NEAR(evaluate("llsq", "primal", input).get<double>(), 1, 1e-15);
  EXPECT_THAT(evaluate("llsq", "gradient", input).get<std::vector<double>>(),
              testing::Pointwise(testing::DoubleNear(1e-14), {0.0, -2.0}));
}

TEST(GradbenchTool, gives_the_mixtures_gradient_in_its_parts) {
  const Json input{{"d", 2},
                   {"k", 1},
                   {"n", 1},
                   {"alpha", {0.3}},
                   {"mu", {{0.0, 0.0}}},
                   {"q", {{0.0, 0.0}}},
                   {"l", {{0.0}}},
                   {"x", {{1.0, 2.0}}},
                   {"gamma", 1.0},
                   {"m", 0}};
  EXPECT_TRUE(evaluate("gmm", "objective", input).is_number());
  const auto g = evaluate("gmm", "jacobian", input);
  // One component: the weights cancel, the mean is drawn to the point, d/dl = −Q·x₂·x₁.
  EXPECT_NEAR(g["alpha"][0].get<double>(), 0, 1e-14);
  EXPECT_NEAR(g["mu"][0][1].get<double>(), 2, 1e-14);
  EXPECT_NEAR(g["q"][0][0].get<double>(), 1 - 1 - 1, 1e-14);
  EXPECT_NEAR(g["l"][0][0].get<double>(), -2, 1e-14);
}

TEST(GradbenchTool, refuses_bad_input_with_a_sentence) {
  EXPECT_THAT(refusal("hello", "cube", 1.0), HasSubstr("no function 'cube'"));
  EXPECT_THAT(refusal("hello", "square", "three"), HasSubstr("must be a number"));
  EXPECT_THAT(refusal("lse", "gradient", Json::object()), HasSubstr("needs the field 'x'"));
  EXPECT_THAT(refusal("lse", "gradient", {{"x", Json::array()}}), HasSubstr("empty"));
  EXPECT_THAT(refusal("lse", "gradient", {{"x", {1, "a"}}}), HasSubstr("number"));
  EXPECT_THAT(refusal("lse", "gradient", {{"x", {1}}, {"min_runs", -1}}), HasSubstr("min_runs"));
  EXPECT_THAT(refusal("lse", "gradient", {{"x", {1}}, {"min_seconds", 1e300}}), HasSubstr("min_seconds"));
  EXPECT_THAT(refusal("det", "gradient", {{"A", {1, 2, 3}}, {"ell", 2}}), HasSubstr("ell × ell"));
  EXPECT_THAT(refusal("det", "gradient", {{"A", {1}}, {"ell", -1}}), HasSubstr("'ell'"));
  EXPECT_THAT(refusal("ode", "gradient", {{"x", {1, 2}}, {"s", 999'999'999}}), HasSubstr("too large"));
  EXPECT_THAT(refusal("gmm", "jacobian", {{"d", 2}}), HasSubstr("'k'"));
  EXPECT_THAT(refusal("nothing", "gradient", 1), HasSubstr("unknown module"));
}

TEST(GradbenchTool, survives_lines_that_are_no_messages) {
  for (const char* line :
       {"", "{", "[]", "null", "3", "\"\\ud800\"", "{\"id\":1.5}", "{\"id\":\"a\"}", "{}"}) {
    const auto response = Json::parse(answer(line));
    EXPECT_EQ(response["success"], false) << line;
    EXPECT_FALSE(response["error"].get<std::string>().empty()) << line;
  }
  EXPECT_EQ(Json::parse(answer("{\"id\":1}")), (Json{{"id", 1}}));
  EXPECT_EQ(Json::parse(answer("{\"id\":1,\"kind\":3}")), (Json{{"id", 1}}));
  EXPECT_NO_THROW((void)answer("{\"id\":1,\"kind\":\"define\",\"module\":\"\xff\xfe\"}"));
  EXPECT_NO_THROW((void)answer(std::string(100'000, '[')));
}

TEST(GradbenchTool, answers_an_overflow_with_null) {
  EXPECT_TRUE(evaluate("hello", "square", 1e300).is_null());
}

}  // namespace
}  // namespace tare::gradbench
