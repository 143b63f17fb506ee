// tare test: every test of two given samples, or of two stored runs' processes, side by side.
#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <fstream>
#include <iostream>
#include <memory>

#include "bench/compare/location.hpp"
#include "bench/compare/ranks.hpp"
#include "bench/compare/ratio.hpp"
#include "bench/compare/tests.hpp"
#include "bench/model/json.hpp"
#include "bench/model/json_parts.hpp"
#include "bench/report/comparison_view.hpp"
#include "bench/report/layout.hpp"
#include "bench/report/table.hpp"
#include "bench/support/numbers.hpp"
#include "bench/support/text.hpp"
#include "cli/commands.hpp"
#include "cli/exit_codes.hpp"
#include "cli/stored.hpp"
#include "cli/terminal.hpp"

namespace tare::cli {
namespace {

/// Ranks look at every pair of values: more would take gigabytes.
constexpr std::size_t most_values = 5000;
constexpr std::size_t most_bytes = 16'000'000;
/// Bootstrap intervals of fewer values cover less than they say (ratio.hpp).
constexpr std::size_t enough_to_resample = 20;

struct TestOptions {
  std::vector<std::string> sides;
  std::string benchmark;
  std::string metric = "time";
  std::string store;
  std::string confidence = "95%";
  std::uint64_t seed = 1;
  bool paired = false;
  bool json = false;
};

struct Side {
  std::string name;
  std::vector<double> values;
};

struct Row {
  std::string test;
  std::optional<TestResult> result;  ///< a measure of effect alone has none
  bool tests = true;
  std::string quantity;  ///< what the effect is
  std::optional<Estimate> effect;
  bool in_units = true;  ///< of the values; otherwise a plain number
};

struct Answer {
  Side a, b;
  std::string unit;
  bool paired = false;
  double confidence = 0.95;
  std::vector<Row> rows;
  std::vector<Warning> warnings;
};

Result<std::string> contents_of(const std::string& path) {
  std::ifstream file;
  if (path != "-") {
    file.open(path, std::ios::binary);
    if (!file)
      return fail(fmt::format("cannot read {}: {}; stored runs are compared with --benchmark NAME",
                              printable(path), std::strerror(errno)));
  }
  std::istream& in = path == "-" ? std::cin : file;
  std::string text(most_bytes + 1, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (in.bad() || (!in.eof() && in.fail())) return fail(fmt::format("cannot read {}", printable(path)));
  text.resize(static_cast<std::size_t>(in.gcount()));
  if (text.size() > most_bytes)
    return fail(fmt::format("{} is longer than {} MB", printable(path), most_bytes / 1'000'000));
  return text;
}

Result<Side> side_from_file(const std::string& path) {
  const auto name = path == "-" ? std::string("standard input") : path;
  auto text = contents_of(path);
  if (!text) return std::move(text).error();
  auto values = parse_numbers(*text, name);
  if (!values) return std::move(values).error();
  if (values->empty()) return fail(fmt::format("{} holds no numbers", printable(name)));
  if (values->size() > most_values)
    return fail(
        fmt::format("{} holds {} numbers, and the tests take at most {}: give one per process or per run",
                    printable(name), values->size(), most_values));
  return Side{name, std::move(*values)};
}

Result<Answer> from_files(const TestOptions& options) {
  if (options.sides[0] == "-" && options.sides[1] == "-") return fail("only one side can be standard input");
  Answer answer;
  for (auto [path, into] :
       {std::pair{&options.sides[0], &answer.a}, std::pair{&options.sides[1], &answer.b}}) {
    auto side = side_from_file(*path);
    if (!side) return std::move(side).error();
    *into = std::move(*side);
  }
  return answer;
}

Result<Answer> from_store(const TestOptions& options) {
  auto store = open_store(options.store);
  if (!store) return std::move(store).error();
  auto before = stored_values(*store, options.sides[0], options.benchmark, options.metric);
  if (!before) return std::move(before).error();
  auto after = stored_values(*store, options.sides[1], options.benchmark, options.metric);
  if (!after) return std::move(after).error();
  if (before->unit != after->unit)
    return fail(fmt::format("{} is in {} in run {} and in {} in run {}", printable(options.metric),
                            printable(before->unit), before->run, printable(after->unit), after->run));
  const auto side = [](const StoredValues& stored) {
    Side made{fmt::format("{} of run {}", stored.benchmark, stored.run), stored.logs()};
    for (double& v : made.values) v = std::exp(v);
    return made;
  };
  Answer answer;
  answer.a = side(*before);
  answer.b = side(*after);
  answer.unit = before->unit;
  if (!options.paired)
    answer.warnings.push_back({Doubt::uncontrolled_drift,
                               "the runs were measured at different times: what changed on the machine "
                               "between is part of the difference"});
  return answer;
}

Estimate estimate_of(const Shift& shift, double confidence) {
  return {shift.centre, shift.low, shift.high, confidence, "Hodges-Lehmann"};
}

std::optional<Estimate> estimate_of(const std::optional<Location>& location, double level) {
  if (!location) return std::nullopt;
  return interval(*location, level);
}

std::vector<Row> independent_tests(const Answer& answer, std::uint64_t seed) {
  const Values a = answer.a.values, b = answer.b.values;
  const double sure = answer.confidence, level = 1 - sure;
  const auto permuted = permutation_test(b, a, seed);
  const Estimate difference{*mean(b) - *mean(a), {}, {}, sure, "difference of means"};
  return {
      {"Welch t", welch_t(b, a), true, "difference of means", estimate_of(welch_difference(b, a), level),
       true},
      {"Mann-Whitney", mann_whitney(b, a), true, "shift", estimate_of(rank_sum_shift(a, b, level), sure),
       true},
      {"permutation", permuted, true, "difference of means", difference, true},
      {"Cliff's delta", {}, false, "P(B > A) − P(B < A)", cliffs_delta(b, a, sure), false},
      {"bootstrap", {}, false, "ratio of means", ratio_of_means(b, a, seed, sure), false},
      {"bootstrap", {}, false, "ratio of medians", ratio_of_medians(b, a, seed, sure), false},
  };
}

std::vector<Row> paired_tests(const Answer& answer, const std::vector<double>& differences,
                              std::uint64_t seed) {
  const double sure = answer.confidence, level = 1 - sure;
  const Estimate centre{*mean(differences), {}, {}, sure, "mean of differences"};
  std::optional<TestResult> flipped;
  if (const auto p = sign_flip_p(differences, 0, seed))
    flipped = TestResult{
        centre.point, *p, {}, differences.size() <= 16 ? "sign changes, exact" : "sign changes, random"};
  return {
      {"paired t", one_sample_t(differences), true, "mean difference",
       estimate_of(mean_location(differences), level), true},
      {"Wilcoxon", wilcoxon(differences), true, "shift",
       estimate_of(signed_rank_shift(differences, level), sure), true},
      {"sign changes", flipped, true, "mean difference", centre, true},
  };
}

/// The least p that ranks, permutations or sign changes can give.
double least_p(const Answer& answer) {
  const auto n = answer.a.values.size(), m = answer.b.values.size();
  if (answer.paired) return std::ldexp(2, -static_cast<int>(std::min<std::size_t>(n, 1000)));
  double ways = 1;
  for (std::size_t i = 1; i <= n && ways < 1e12; ++i)
    ways *= static_cast<double>(m + i) / static_cast<double>(i);
  return 2 / ways;
}

void doubt(Answer& answer) {
  const auto n = std::min(answer.a.values.size(), answer.b.values.size());
  if (const double least = least_p(answer); least > 1 - answer.confidence)
    answer.warnings.push_back(
        {Doubt::few_samples, fmt::format("so few values cannot be surer than {} by ranks or changes of place",
                                         p_text(std::min(1.0, least)))});
  if (!answer.paired && n < enough_to_resample)
    answer.warnings.push_back(
        {Doubt::interval_unreliable,
         fmt::format("bootstrap intervals of {} cover less than they say: 90 % instead of 95 % at 8 values",
                     plural(n, "value"))});
}

Result<Answer> answer_of(const TestOptions& options) {
  auto sure = parse_fraction(options.confidence);
  if (!sure) return fail("--confidence: " + sure.error().message);
  if (!(*sure >= 0.5 && *sure < 1)) return fail("--confidence: must be at least 50% and below 100%");
  auto answer = options.benchmark.empty() ? from_files(options) : from_store(options);
  if (!answer) return answer;
  answer->paired = options.paired;
  answer->confidence = *sure;
  if (!options.paired) {
    answer->rows = independent_tests(*answer, options.seed);
  } else {
    const auto &a = answer->a.values, &b = answer->b.values;
    if (a.size() != b.size())
      return fail(fmt::format("--paired needs a partner for every value, but A has {} and B has {}", a.size(),
                              b.size()));
    std::vector<double> differences;
    for (std::size_t i = 0; i < a.size(); ++i) differences.push_back(b[i] - a[i]);
    answer->rows = paired_tests(*answer, differences, options.seed);
  }
  doubt(*answer);
  return answer;
}

std::string statistic_text(const Row& row, const std::string& unit) {
  if (!row.result) return row.tests ? "undefined" : "";
  const auto& r = *row.result;
  if (r.degrees)
    return fmt::format("t {} ({} df)", format_number(r.statistic, 4), format_number(*r.degrees, 3));
  if (row.test == "Mann-Whitney") return "U " + format_number(r.statistic, 6);
  if (row.test == "Wilcoxon") return "W " + format_number(r.statistic, 6);
  return metric_value(r.statistic, unit, 4);
}

std::string text_of(const Answer& answer, const ReportOptions& report) {
  std::string all;
  const auto add = [&](const std::string& text, Ink ink) {
    for (const auto& line : wrap(text, report.width)) all += report.style.paint(ink, line) + "\n";
  };
  for (const auto& [letter, side] : {std::pair{"A", &answer.a}, std::pair{"B", &answer.b}})
    add(fmt::format("{}: {} · {} · mean {} · median {}", letter, printable(side->name),
                    plural(side->values.size(), "value"), metric_value(*mean(side->values), answer.unit, 4),
                    metric_value(*median(side->values), answer.unit, 4)),
        Ink::plain);
  all += "\n";
  Table table({{"test"},
               {"statistic"},
               {"p"},
               {"effect"},
               {"", Align::right},
               {confidence_text(answer.confidence) + " interval"}});
  for (const auto& row : answer.rows) {
    const auto value = [&](double v) { return metric_value(v, row.in_units ? answer.unit : "", 4); };
    const auto& effect = row.effect;
    table.row({{row.test},
               {statistic_text(row, answer.unit)},
               {row.result ? p_text(row.result->p) : ""},
               {row.quantity, Ink::faint},
               {effect ? value(effect->point) : "undefined"},
               {effect && effect->low && effect->high
                    ? fmt::format("[{}, {}]", value(*effect->low), value(*effect->high))
                    : ""}});
  }
  all += table.str(report.width, report.style) + "\n";
  add(answer.paired ? "Differences are B − A, pair by pair; p values are two-sided and each stands alone."
                    : "Differences are B − A, ratios B ÷ A; p values are two-sided and each stands alone.",
      Ink::faint);
  for (const auto& warning : answer.warnings) add(warning.text, Ink::caution);
  return all;
}

Json json_of(const Side& side) {
  return {{"name", side.name},
          {"n", side.values.size()},
          {"mean", to_json(mean(side.values))},
          {"median", to_json(median(side.values))},
          {"deviation", to_json(deviation(side.values))}};
}

std::string json_of(const Answer& answer) {
  Json tests = Json::array();
  for (const auto& row : answer.rows) {
    Json test{{"test", row.test}, {"quantity", row.quantity}, {"effect", to_json(row.effect)}};
    if (row.tests) {
      const auto& r = row.result;
      test["method"] = r ? Json(r->method) : Json(nullptr);
      test["statistic"] = r ? Json(r->statistic) : Json(nullptr);
      test["degrees"] = r ? to_json(r->degrees) : Json(nullptr);
      test["p"] = r ? Json(r->p) : Json(nullptr);
    }
    tests.push_back(std::move(test));
  }
  const Json json{{"schema", 1},
                  {"a", json_of(answer.a)},
                  {"b", json_of(answer.b)},
                  {"unit", answer.unit},
                  {"paired", answer.paired},
                  {"confidence", answer.confidence},
                  {"tests", tests},
                  {"warnings", to_json(answer.warnings)}};
  return to_text(json, 2) + "\n";
}

int run(const TestOptions& options) {
  const auto answer = answer_of(options);
  if (!answer) return complain(answer.error().message), exit_wrong_use;
  print(options.json ? json_of(*answer) : text_of(*answer, report_options()));
  return exit_good;
}

}  // namespace

void add_test(CLI::App& app, Chosen& chosen) {
  auto options = std::make_shared<TestOptions>();
  auto* command = app.add_subcommand("test", "Every two-sample test of given numbers, or of two stored runs");
  command->footer(
      "Examples:\n"
      "  tare test before.txt after.txt\n"
      "  tare test before.txt - --paired --json\n"
      "  tare test last~1 last --benchmark sort/n=100\n\n"
      "Files hold numbers separated by white space or commas; # begins a comment. Give independent values, "
      "such as "
      "one per process or run: samples of one process resemble each other, and any test of them is too "
      "sure.\n"
      "Stored runs give one value per process. For a verdict use 'tare compare'.");
  command
      ->add_option("sides", options->sides, "Two files, one of them - for standard input; or two stored runs")
      ->required()
      ->expected(2)
      ->type_name("A B");
  command
      ->add_option("--benchmark", options->benchmark,
                   "Compare this benchmark of two stored runs: its name, or a part")
      ->type_name("BENCH");
  command->add_option("--metric", options->metric, "Of the benchmark")
      ->capture_default_str()
      ->type_name("NAME");
  command->add_flag("--paired", options->paired, "The values belong together: first with first, and so on");
  command->add_option("--confidence", options->confidence, "Of the intervals")
      ->capture_default_str()
      ->type_name("PERCENT");
  command->add_option("--seed", options->seed, "Of the random draws")->capture_default_str();
  add_store_option(*command, options->store);
  command->add_flag("--json", options->json, "As JSON");
  command->callback([options, &chosen] { chosen.run = [options] { return run(*options); }; });
}

}  // namespace tare::cli
