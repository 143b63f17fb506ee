// tare power: how many processes an effect needs, and what effect so many processes can see.
#include "bench/compare/power.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <memory>

#include "bench/analyse/distributions.hpp"
#include "bench/compare/compare.hpp"
#include "bench/model/json.hpp"
#include "bench/model/json_parts.hpp"
#include "bench/report/layout.hpp"
#include "bench/report/table.hpp"
#include "bench/support/text.hpp"
#include "cli/commands.hpp"
#include "cli/exit_codes.hpp"
#include "cli/stored.hpp"
#include "cli/terminal.hpp"

namespace tare::cli {
namespace {

/// A deviation of fewer values is known to a third at best.
constexpr std::size_t few = 10;
constexpr std::size_t most_processes = 1'000'000;
constexpr double shown_effects[] = {0.001, 0.002, 0.005, 0.01, 0.02, 0.05};
constexpr std::size_t shown_processes[] = {6, 10, 20, 50, 100, 200};

struct PowerOptions {
  std::string effect;
  std::size_t processes = 0;
  std::string deviation;
  std::string run;
  std::string against;
  std::string benchmark;
  std::string metric = "time";
  std::string power = "80%";
  std::string alpha = "5%";
  std::string design;
  std::string store;
  bool json = false;
};

/// Of the logarithms, and where it comes from.
struct Spread {
  Estimate deviation;
  Design design = Design::paired;
  std::string source;
  std::vector<Warning> warnings;
};

struct Row {
  double effect = 0;
  std::optional<std::size_t> processes;  ///< beyond a million when empty
  bool asked = false;
};

struct Answer {
  Spread spread;
  double power = 0.8;
  double alpha = 0.05;
  std::vector<Row> rows;

  [[nodiscard]] const Row& asked() const {
    return *std::find_if(rows.begin(), rows.end(), [](const Row& row) { return row.asked; });
  }
};

const char* name_of(Design design) {
  return design == Design::paired ? "paired" : "independent";
}

Result<double> share_of(const char* option, const std::string& text) {
  auto share = parse_fraction(text);
  if (!share) return fail(fmt::format("{}: {}", option, share.error().message));
  if (!(*share < 1)) return fail(fmt::format("{}: must be below 100 %", option));
  return share;
}

/// With the interval of a normal law's deviation.
Estimate with_interval(double deviation, double degrees) {
  const double squares = degrees * deviation * deviation;
  return {deviation, std::sqrt(squares / chi_squared_quantile(0.975, degrees)),
          std::sqrt(squares / chi_squared_quantile(0.025, degrees)), 0.95, "chi-squared"};
}

Result<Spread> checked(Spread spread, std::size_t n) {
  if (!(spread.deviation.point > 0))
    return fail(
        fmt::format("{}: all values are equal, so they tell no deviation; give --deviation", spread.source));
  if (n < few)
    spread.warnings.push_back(
        {Doubt::few_samples,
         fmt::format("the deviation comes from {} processes and may as well be {} or {}", n,
                     format_percent(*spread.deviation.low), format_percent(*spread.deviation.high))});
  return spread;
}

Result<Spread> of_one_run(const StoredValues& run) {
  const auto logs = run.logs();
  if (logs.size() < 2)
    return fail(fmt::format("{} of run {} has one process, and one has no deviation; give --deviation",
                            printable(run.benchmark), run.run));
  return checked({with_interval(*deviation(logs), static_cast<double>(logs.size() - 1)),
                  Design::independent,
                  fmt::format("{} of run {}, {} processes", printable(run.benchmark), run.run, logs.size()),
                  {}},
                 logs.size());
}

Result<Spread> of_two_runs(const StoredValues& before, const StoredValues& after, Design design) {
  const auto source = fmt::format("{} of runs {} and {}", printable(before.benchmark), before.run, after.run);
  if (design == Design::paired) {
    const auto ratios = process_ratios(before.values, after.values).best;
    if (ratios.size() < 2)
      return fail(
          fmt::format("{} have {} processes in common, and a deviation needs two", source, ratios.size()));
    return checked({with_interval(*deviation(ratios), static_cast<double>(ratios.size() - 1)),
                    design,
                    fmt::format("{}, {} pairs of processes", source, ratios.size()),
                    {}},
                   ratios.size());
  }
  const auto a = before.logs(), b = after.logs();
  if (a.size() < 2 || b.size() < 2)
    return fail(source + ": a side has one process, and one has no deviation");
  const double degrees = static_cast<double>(a.size() + b.size() - 2);
  const double squares =
      static_cast<double>(a.size() - 1) * *variance(a) + static_cast<double>(b.size() - 1) * *variance(b);
  return checked({with_interval(std::sqrt(squares / degrees), degrees),
                  design,
                  fmt::format("{}, {} and {} processes", source, a.size(), b.size()),
                  {}},
                 std::min(a.size(), b.size()));
}

Result<Spread> stored_spread(const PowerOptions& options) {
  if (options.benchmark.empty()) return fail("--run needs --benchmark: a name, or a part of one");
  auto store = open_store(options.store);
  if (!store) return std::move(store).error();
  auto first = stored_values(*store, options.run, options.benchmark, options.metric);
  if (!first) return std::move(first).error();
  if (options.against.empty()) {
    if (options.design == "paired")
      return fail(
          "a paired design needs the ratios of two sides measured together: add --against RUN, or give "
          "--deviation");
    return of_one_run(*first);
  }
  auto second = stored_values(*store, options.against, options.benchmark, options.metric);
  if (!second) return std::move(second).error();
  return of_two_runs(*first, *second, options.design == "independent" ? Design::independent : Design::paired);
}

Result<Spread> spread_of(const PowerOptions& options) {
  if (options.deviation.empty() == options.run.empty())
    return fail("give either --deviation, for example 0.5%, or --run with --benchmark");
  if (!options.run.empty()) return stored_spread(options);
  if (!options.against.empty() || !options.benchmark.empty())
    return fail("--against and --benchmark belong to --run, not to --deviation");
  auto given = parse_fraction(options.deviation);
  if (!given) return fail("--deviation: " + given.error().message);
  return Spread{{*given, {}, {}, 1, "given"},
                options.design == "independent" ? Design::independent : Design::paired,
                "given",
                {}};
}

Result<Answer> answer(const PowerOptions& options) {
  if (options.effect.empty() == (options.processes == 0))
    return fail("give either --effect, for example 1%, or --processes, for example 20");
  Answer found;
  for (auto [option, text, into] : {std::tuple{"--power", &options.power, &found.power},
                                    std::tuple{"--alpha", &options.alpha, &found.alpha}}) {
    auto share = share_of(option, *text);
    if (!share) return std::move(share).error();
    *into = *share;
  }
  if (!(found.power > found.alpha))
    return fail("--power must be above --alpha: so often something is found without any effect");
  double effect = 0;
  if (!options.effect.empty()) {
    auto given = parse_fraction(options.effect);
    if (!given) return fail("--effect: " + given.error().message);
    effect = *given;
  }
  auto spread = spread_of(options);
  if (!spread) return std::move(spread).error();
  found.spread = std::move(*spread);
  const double deviation = found.spread.deviation.point;
  const auto design = found.spread.design;
  if (effect > 0) {
    std::vector<double> effects(std::begin(shown_effects), std::end(shown_effects));
    if (std::find(effects.begin(), effects.end(), effect) == effects.end()) effects.push_back(effect);
    std::sort(effects.begin(), effects.end());
    for (const double e : effects)
      found.rows.push_back({e, runs_needed(e, deviation, found.power, found.alpha, design), e == effect});
  } else {
    std::vector<std::size_t> counts(std::begin(shown_processes), std::end(shown_processes));
    if (std::find(counts.begin(), counts.end(), options.processes) == counts.end())
      counts.push_back(options.processes);
    std::sort(counts.begin(), counts.end());
    for (const auto n : counts)
      found.rows.push_back(
          {visible_effect(deviation, n, found.power, found.alpha, design), n, n == options.processes});
  }
  return found;
}

std::string processes_text(const Row& row) {
  return row.processes ? std::to_string(*row.processes) : "more than a million";
}

std::string sentence(const Answer& found, bool effect_asked) {
  const auto& row = found.asked();
  const bool paired = found.spread.design == Design::paired;
  const char* units = paired ? "pairs of processes" : "processes a side";
  auto text = effect_asked ? fmt::format("A change of {} takes {} {} to be found in {} of the cases",
                                         format_percent(row.effect), processes_text(row), units,
                                         format_percent(found.power))
                           : fmt::format("{} {} find a change of {} in {} of the cases", processes_text(row),
                                         units, format_percent(row.effect), format_percent(found.power));
  text += fmt::format(", with {} of false alarms.", format_percent(found.alpha));
  if (paired && row.processes && *row.processes < least_pairs)
    text += fmt::format(" 'tare compare' takes at least {}.", least_pairs);
  return text;
}

std::string text_of(const Answer& found, bool effect_asked, const ReportOptions& report) {
  const auto& spread = found.spread;
  const bool paired = spread.design == Design::paired;
  auto all = fmt::format(
      "{} design, deviation {} ({}{})\n\n", name_of(spread.design), format_percent(spread.deviation.point),
      spread.deviation.low ? fmt::format("95 % CI [{}, {}]; ", format_percent(*spread.deviation.low),
                                         format_percent(*spread.deviation.high))
                           : "",
      spread.source);
  Table table(
      {{"effect", Align::decimal}, {paired ? "pairs of processes" : "processes a side", Align::right}, {""}});
  for (const auto& row : found.rows) {
    const auto ink = row.asked ? Ink::strong : Ink::plain;
    table.row({{format_percent(row.effect), ink},
               {processes_text(row), ink},
               {row.asked ? "← asked" : "", Ink::faint}});
  }
  all += table.str(report.width, report.style) + "\n";
  const auto add = [&](const std::string& text, Ink ink) {
    for (const auto& line : wrap(text, report.width)) all += report.style.paint(ink, line) + "\n";
  };
  add(sentence(found, effect_asked), Ink::strong);
  add("By one t test at the end. Looking on the way and ranks, as 'tare compare' does, take a tenth to a "
      "fifth more.",
      Ink::faint);
  for (const auto& warning : spread.warnings) add(warning.text, Ink::caution);
  return all;
}

Json json_of(const Row& row) {
  return {{"effect", row.effect}, {"processes", row.processes ? Json(*row.processes) : Json(nullptr)}};
}

std::string json_of(const Answer& found) {
  Json table = Json::array();
  for (const auto& row : found.rows) table.push_back(json_of(row));
  const Json json{{"schema", 1},
                  {"design", name_of(found.spread.design)},
                  {"deviation", to_json(std::optional(found.spread.deviation))},
                  {"source", found.spread.source},
                  {"power", found.power},
                  {"alpha", found.alpha},
                  {"asked", json_of(found.asked())},
                  {"table", table},
                  {"warnings", to_json(found.spread.warnings)}};
  return to_text(json, 2) + "\n";
}

int run(const PowerOptions& options) {
  auto found = answer(options);
  if (!found) return complain(found.error().message), exit_wrong_use;
  print(options.json ? json_of(*found) : text_of(*found, !options.effect.empty(), report_options()));
  return exit_good;
}

}  // namespace

void add_power(CLI::App& app, Chosen& chosen) {
  auto options = std::make_shared<PowerOptions>();
  auto* command =
      app.add_subcommand("power", "How many processes a change needs to be found, or what so many can find");
  command->footer(
      "Examples:\n"
      "  tare power --effect 1% --deviation 0.5%\n"
      "  tare power --processes 20 --deviation 0.5% --power 90% --alpha 1%\n"
      "  tare power --effect 1% --run last --benchmark sort/n=100\n"
      "  tare power --effect 1% --run last~1 --against last --benchmark sort/n=100\n\n"
      "The deviation is that between processes: of the ratios of both sides when they are measured in pairs, "
      "as "
      "'tare compare' does live, or within a side when they are independent, as stored runs are.");
  command->add_option("--effect", options->effect, "The relative change to find")->type_name("PERCENT");
  command->add_option("--processes", options->processes, "What this many find: pairs, or processes a side")
      ->check(CLI::Range(std::size_t{2}, most_processes))
      ->type_name("N");
  command->add_option("--deviation", options->deviation, "Relative standard deviation between processes")
      ->type_name("PERCENT");
  command
      ->add_option("--run", options->run, "Take the deviation from this stored run: number, last, baseline")
      ->type_name("RUN");
  command
      ->add_option("--against", options->against,
                   "And from its ratios to this one: the other side of a comparison")
      ->type_name("RUN");
  command->add_option("--benchmark", options->benchmark, "The benchmark's name, or a part of it")
      ->type_name("BENCH");
  command->add_option("--metric", options->metric, "Of the benchmark")
      ->capture_default_str()
      ->type_name("NAME");
  command->add_option("--power", options->power, "Share of the cases in which the change is to be found")
      ->capture_default_str()
      ->type_name("PERCENT");
  command->add_option("--alpha", options->alpha, "Share of false alarms")
      ->capture_default_str()
      ->type_name("PERCENT");
  command
      ->add_option("--design", options->design, "paired or independent; a single stored run is independent")
      ->check(CLI::IsMember({"paired", "independent"}));
  add_store_option(*command, options->store);
  command->add_flag("--json", options->json, "As JSON");
  command->callback([options, &chosen] { chosen.run = [options] { return run(*options); }; });
}

}  // namespace tare::cli
