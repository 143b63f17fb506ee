// Forgeries that are signed properly: the forger has a key too. Each is rejected, with the reason.
#include <cmath>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bench/submission/invented_submission.hpp"
#include "bench/support/json.hpp"

namespace tare {
namespace {

using testing::HasSubstr;

Metric& metric_of(Submission& s, std::size_t result, const std::string& name) {
  for (auto& metric : s.run.results[result].metrics)
    if (metric.name == name) return metric;
  throw std::logic_error(name);
}
void scale_times(Submission& s, std::size_t result, double factor) {
  for (auto& sample : metric_of(s, result, "time").samples) sample.total *= factor;
}
void set_all(Submission& s, std::size_t result, const std::string& name, double total) {
  for (auto& sample : metric_of(s, result, name).samples) sample.total = total;
}
/// The document between the header and the model, changed as text and signed again.
std::string verdict_on_document(const std::function<void(Json&)>& change) {
  const auto s = invented_submission();
  const auto key = SigningKey::make();
  const auto bytes = pack(s, key);
  const std::string all(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const auto begin = all.find('{');
  auto json = parse_json(all.substr(begin, all.size() - begin - s.model.size() - 96)).value();
  change(json);
  const auto document = json.dump();
  auto forged = "tare submission 1\n" + std::to_string(document.size()) + " " +
                std::to_string(s.model.size()) + "\n" + document;
  forged.append(reinterpret_cast<const char*>(s.model.data()), s.model.size());
  const auto signature = key.sign(std::as_bytes(std::span(forged)));
  const auto signer = key.public_key();
  forged.append(reinterpret_cast<const char*>(signer.data()), signer.size());
  forged.append(reinterpret_cast<const char*>(signature.data()), signature.size());
  auto received = unpack(std::as_bytes(std::span(forged)));
  if (!received) return received.error().check + ": " + received.error().message;
  const auto errors = validate(*received, invented_rules()).errors();
  return errors.empty() ? "" : errors.front();
}

struct Forgery {
  const char* name;
  std::function<void(Submission&)> forge;
  const char* reason;
};
class Forged : public testing::TestWithParam<Forgery> {};

TEST_P(Forged, is_rejected_with_the_reason) {
  auto s = invented_submission();
  GetParam().forge(s);
  EXPECT_THAT(verdict_on(s), HasSubstr(GetParam().reason));
}

INSTANTIATE_TEST_SUITE_P(
    Submissions, Forged,
    testing::Values(
        Forgery{"time_stated_at_half", [](Submission& s) { s.figures.optimised_ns /= 2; },
                "figures: the optimised time is stated as"},
        Forgery{"baseline_stated_at_double", [](Submission& s) { s.figures.baseline_ns *= 2; },
                "figures: the baseline time"},
        Forgery{"samples_halved_figures_kept", [](Submission& s) { scale_times(s, 1, 0.5); },
                "figures: the optimised time"},
        Forgery{"accuracy_edited", [](Submission& s) { s.figures.optimised_accuracy = 0.999; },
                "figures: the optimised accuracy"},
        Forgery{"more_right_than_there_are",
                [](Submission& s) {
                  set_all(s, 1, "accuracy", 500);
                  s.figures.optimised_accuracy = 500.0 / 449;
                },
                "ranges: mlp/variant=int8/batch=1: an accuracy of"},
        Forgery{"speed_up_edited", [](Submission& s) { s.figures.normalised[0].estimate.point = 9; },
                "figures: speed-up is stated as 9"},
        Forgery{"figure_added",
                [](Submission& s) { s.figures.normalised.push_back(s.figures.normalised[0]); },
                "figures: other figures"},
        Forgery{"median_not_of_the_samples",
                [](Submission& s) {
                  metric_of(s, 1, "time").samples[3].total *= 100, s.figures.optimised_ns *= 0.9;
                },
                "figures: the optimised time"},
        Forgery{"other_data_for_one", [](Submission& s) { s.run.results[1].workload.data_hash = "ffff"; },
                "workload: baseline and optimised differ in data"},
        Forgery{"other_data_for_both",
                [](Submission& s) {
                  s.run.results[0].workload.data_hash = s.run.results[1].workload.data_hash = "ffff";
                },
                "data: data 'ffff' is that of no known task"},
        Forgery{"smaller_batch", [](Submission& s) { s.run.results[0].workload.batch = 64; },
                "workload: baseline and optimised differ in batch"},
        Forgery{"slow_baseline", [](Submission& s) { s.run.results[0].id.parameters[0].second = "pruned"; },
                "is no baseline"},
        Forgery{"zero_latency", [](Submission& s) { set_all(s, 1, "time", 0); },
                "measured: mlp/variant=int8/batch=1: a sample of time is zero or less"},
        Forgery{"negative_latency", [](Submission& s) { set_all(s, 1, "time", -5); },
                "a sample of time is zero or less"},
        Forgery{"overhead_that_eats_the_time",
                [](Submission& s) {
                  metric_of(s, 1, "time").overhead.per_iteration = 2000;
                  state_figures(s);
                },
                "ranges: mlp/variant=int8/batch=1: the harness's own cost of time is not believed"},
        Forgery{"endless_samples",
                [](Submission& s) { metric_of(s, 1, "time").samples.resize(50'001, {0, 1, 5, {}}); },
                "size: mlp/variant=int8/batch=1 has 50001 samples of time"},
        Forgery{"no_check", [](Submission& s) { s.run.results[1].checked = false; },
                "carries no passed check"},
        Forgery{"crashed", [](Submission& s) { s.run.results[1].outcome = Outcome::crashed; }, "crashed"},
        Forgery{"two_samples", [](Submission& s) { metric_of(s, 1, "time").samples.resize(2); },
                "at least 10 of 2 are needed"},
        Forgery{"no_accuracy",
                [](Submission& s) { s.run.results[1].metrics.erase(s.run.results[1].metrics.begin() + 1); },
                "has no accuracy"},
        Forgery{"accuracy_that_is_no_count",
                [](Submission& s) { metric_of(s, 1, "accuracy").nature = Nature::exact; },
                "its accuracy is exact, not share"},
        Forgery{"other_model", [](Submission& s) { s.model[5] ^= std::byte{1}; },
                "model: the model's file has another hash"},
        Forgery{"smaller_model_than_measured",
                [](Submission& s) { s.model.resize(50), s.model_hash = hash_bytes(s.model); },
                "model: the model's file has 50 bytes, but 100 were measured"},
        Forgery{"faster_than_believed",
                [](Submission& s) {
                  scale_times(s, 1, 1.0 / 40);
                  state_figures(s);
                },
                "plausibility: a speed-up of 120"},
        Forgery{"more_flops_than_a_core_has", [](Submission& s) { s.run.results[1].throughput.flops = 1e9; },
                "flop a second is more than a core can do"},
        Forgery{"smaller_than_believed",
                [](Submission& s) {
                  set_all(s, 0, "model_bytes", 10000);
                  state_figures(s);
                },
                "plausibility: a compression of 100"},
        Forgery{"better_than_its_own_model",
                [](Submission& s) {
                  set_all(s, 0, "accuracy", 430);
                  state_figures(s);
                },
                "division: accuracy grew by 2.90 points"},
        Forgery{"other_model_in_the_closed_division", [](Submission& s) { s.run.results[1].id.name = "cnn"; },
                "division: the closed division is for one model"},
        Forgery{"no_such_division", [](Submission& s) { s.division = "half-open"; },
                "no division 'half-open'"},
        Forgery{"no_such_event", [](Submission& s) { s.event = "free_lunch"; }, "no event 'free_lunch'"},
        Forgery{"too_inaccurate",
                [](Submission& s) {
                  set_all(s, 1, "accuracy", 300);
                  state_figures(s);
                },
                "event: an accuracy of 0.668 is below the 0.85 of latency_sprint"},
        Forgery{"path_that_climbs_out", [](Submission& s) { s.model_name = "../../etc/passwd"; },
                "schema: the model's name '../../etc/passwd' is no plain file name"},
        Forgery{"absolute_path", [](Submission& s) { s.model_name = "/etc/passwd"; },
                "is no plain file name"},
        Forgery{"parent", [](Submission& s) { s.model_name = ".."; }, "is no plain file name"},
        Forgery{"nobody", [](Submission& s) { s.athlete = ""; }, "schema: field 'athlete' is empty"},
        Forgery{"one_result", [](Submission& s) { s.run.results.pop_back(); },
                "schema: 1 results instead of two"}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(ForgedDocument, with_what_is_no_number_is_rejected) {
  EXPECT_THAT(verdict_on_document([](Json& j) { j["figures"]["optimised_ns"] = nullptr; }),
              HasSubstr("schema: field 'optimised_ns' has the wrong type"));
  EXPECT_THAT(verdict_on_document([](Json& j) { j["figures"]["optimised_ns"] = "3000"; }),
              HasSubstr("schema: field 'optimised_ns'"));
  EXPECT_THAT(
      verdict_on_document([](Json& j) { j["run"]["benchmarks"][1]["metrics"][0]["samples"][0] = nullptr; }),
      HasSubstr("schema"));
  EXPECT_THAT(verdict_on_document([](Json& j) { j.erase("run"); }),
              HasSubstr("schema: field 'run' is missing"));
  EXPECT_THAT(verdict_on_document([](Json& j) { j["schema"] = 2; }), HasSubstr("'schema' is not 1"));
  EXPECT_EQ(verdict_on_document([](Json&) {}), "");
}

TEST(Warnings, ask_for_a_second_look) {
  auto s = invented_submission(25);
  s.repository.clear();
  s.techniques.clear();
  const auto v = validate(s, invented_rules());
  EXPECT_TRUE(v.valid());
  EXPECT_THAT(v.warnings, testing::UnorderedElementsAre(HasSubstr("speed-up of 25"), HasSubstr("repository"),
                                                        HasSubstr("technique")));
}

TEST(Rerun, finds_what_the_file_alone_cannot) {
  auto s = invented_submission(12);  // invented as a whole: every figure follows from the samples
  auto v = validate(s, invented_rules());
  ASSERT_TRUE(v.valid());
  auto honest = invented_submission(3);
  compare_rerun(v, s, honest.baseline(), honest.optimised());
  EXPECT_FALSE(v.valid());
  EXPECT_THAT(v.errors().front(), HasSubstr("the speed-up is 3.00 instead of 12.00"));
}

TEST(Rerun, wants_the_same_accuracy_and_size) {
  auto s = invented_submission();
  auto again = invented_submission();
  auto v = validate(s, invented_rules());
  compare_rerun(v, s, again.baseline(), again.optimised());
  EXPECT_TRUE(v.valid());
  set_all(again, 1, "accuracy", 430);
  state_figures(again);
  compare_rerun(v, s, again.baseline(), again.optimised());
  EXPECT_THAT(v.errors().front(),
              HasSubstr("rerun: measured again, the accuracy is 0.9577 instead of 0.9866"));
}

}  // namespace
}  // namespace tare
