#include "cli/duels.hpp"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <random>

#include "bench/analyse/summarise.hpp"
#include "bench/measure/executions.hpp"
#include "bench/measure/instruction_pass.hpp"
#include "bench/support/text.hpp"
#include "cli/terminal.hpp"

namespace tare::cli {
namespace {

bool wants_instructions(const Plan& plan) {
  return std::find(plan.meters.begin(), plan.meters.end(), "instructions") != plan.meters.end();
}

/// A comparison at one look, verdicts included, as if it were the only one.
BenchmarkComparison at_this_look(BenchmarkResult before, BenchmarkResult after, const Looks& looks,
                                 const CompareOptions& options) {
  summarise(before);
  summarise(after);
  Comparison alone;
  alone.benchmarks.push_back(compare_pairs(before, after, looks, options));
  conclude(alone, options);
  return alone.benchmarks.front();
}

}  // namespace

void DuelOptions::add_to(CLI::App& app, const std::string& wall) {
  plan.add_common_to(app, wall);
  app.add_option("--rounds", rounds, "Exactly this many rounds per process, instead of by budget")
      ->check(CLI::PositiveNumber);
  app.add_flag("--spread", spread, "Let the two sides run on different CPUs");
}

Result<DuelPlan> DuelOptions::plan_of() const {
  auto base = plan.plan();
  if (!base) return std::move(base).error();
  DuelPlan duel{*base, {}, {}};
  if (rounds > 0) duel.rounds = rounds;
  if (!spread) duel.cpus = base->cpu ? std::vector{*base->cpu} : usable_cpus();
  return duel;
}

void VerdictOptions::add_to(CLI::App& app) {
  app.add_option("--confidence", confidence, "Of the intervals; false alarms are kept to the rest")
      ->capture_default_str();
  app.add_option("--margin", margin, "Call the sides the same when they are shown to differ by less")
      ->capture_default_str();
  app.add_option("--correction", correction,
                 "Of the p values over the suite: holm, bh (Benjamini-Hochberg), none")
      ->check(CLI::IsMember({"holm", "bh", "none"}))
      ->capture_default_str();
  app.add_option("--allow", allowed,
                 fmt::format("Compare although this differs, and say so: {}", join(fair_fields(), ", ")))
      ->type_name("FIELD")
      ->allow_extra_args(false)
      ->check(CLI::IsMember(fair_fields()));
}

Result<CompareOptions> VerdictOptions::options() const {
  CompareOptions chosen;
  auto sure = parse_fraction(confidence);
  if (!sure) return fail("--confidence: " + sure.error().message);
  if (!(*sure >= 0.5 && *sure < 1)) return fail("--confidence: must be at least 50% and below 100%");
  chosen.confidence = *sure;
  auto near = parse_fraction(margin);
  if (!near) return fail("--margin: " + near.error().message);
  chosen.margin = *near;
  chosen.correction = correction == "holm" ? Correction::holm
                      : correction == "bh" ? Correction::benjamini_hochberg
                                           : Correction::none;
  chosen.allowed.insert(allowed.begin(), allowed.end());
  return chosen;
}

StartOnCpu starter_on_cpu(const std::string& binary, const std::atomic<bool>* cancelled) {
  return [binary, cancelled, random = std::mt19937_64(std::random_device{}())](
             Instant deadline, std::optional<int> cpu) mutable {
    return Worker::start({{binary}, Placement::draw(random()), cpu, {}}, deadline, cancelled);
  };
}

Comparison measure_pairs(const Pairing& pairing, const DuelPlan& asked, const CompareOptions& options,
                         const DuelObserver& observer, const std::atomic<bool>* cancelled) {
  Comparison comparison;
  comparison.paired = true;
  comparison.identical = pairing.before.hash == pairing.after.hash &&
                         std::all_of(pairing.pairs.begin(), pairing.pairs.end(),
                                     [](const BenchmarkPair& p) { return p.before.id == p.after.id; });
  comparison.before = {pairing.before.path, 0, pairing.before.hash};
  comparison.after = {pairing.after.path, 0, pairing.after.hash};
  comparison.only_before = pairing.only_before;
  comparison.only_after = pairing.only_after;
  const auto start_before = starter_on_cpu(pairing.before.path, cancelled);
  const auto start_after = starter_on_cpu(pairing.after.path, cancelled);
  // A pair stops early only on what will also hold once corrected for the whole suite.
  const double alpha = options.correction == Correction::none
                           ? 1 - options.confidence
                           : (1 - options.confidence) / static_cast<double>(pairing.pairs.size());
  // So many that a verdict is possible among all of the suite, and some that may say otherwise.
  DuelPlan plan = asked;
  plan.pairs = fewest_pairs(alpha) + 4;

  for (std::size_t i = 0; i < pairing.pairs.size(); ++i) {
    if (cancelled != nullptr && *cancelled) break;
    const auto& [before, after] = pairing.pairs[i];
    Looks looks{alpha, {}};
    BenchmarkComparison fair;
    DuelHooks hooks;
    hooks.decided = [&](BenchmarkResult& a, BenchmarkResult& b, double fraction) {
      judge_fairness(fair, {a.workload, pairing.before.build, "", "", true},
                     {b.workload, pairing.after.build, "", "", true}, options.allowed);
      if (!fair.comparable) return true;
      const auto looked = looks.fractions.size();
      const bool differ = decides(a, b, fraction, looks);
      if (!observer.enough || looks.fractions.size() == looked) return differ;
      return observer.enough(at_this_look(a, b, looks, options));
    };
    if (observer.progress) {
      hooks.progress = [&](const Progress& progress) { observer.progress(i, progress); };
      hooks.progress({});
    }
    auto duel = measure_duel({before, start_before}, {after, start_after}, plan, hooks);
    duel.before.binary = pairing.before.path;
    duel.after.binary = pairing.after.path;
    if (duel.before.outcome == Outcome::ok && duel.after.outcome == Outcome::ok && fair.comparable &&
        wants_instructions(plan.plan)) {
      duel.before.metrics.push_back(
          count_instructions_of(pairing.before.path, before.id, plan.plan, cancelled));
      duel.after.metrics.push_back(count_instructions_of(pairing.after.path, after.id, plan.plan, cancelled));
    }
    summarise(duel.before);
    summarise(duel.after);
    BenchmarkComparison pair;
    if (fair.comparable) {
      pair = compare_pairs(duel.before, duel.after, looks, options);
      pair.differences = fair.differences;
    } else {
      pair = fair;
      pair.before = before.id;
      pair.after = after.id;
    }
    pair.processes = duel.processes;
    pair.rounds = duel.rounds;
    pair.seconds = duel.seconds;
    if (observer.finished) observer.finished(duel, pair);
    comparison.benchmarks.push_back(std::move(pair));
  }
  conclude(comparison, options);
  return comparison;
}

Result<Comparison> compare_live(const Pairing& pairing, const DuelPlan& plan, const CompareOptions& options,
                                const DuelObserver& observer, const KeepingOptions& keeping,
                                const std::vector<std::string>& arguments,
                                const std::atomic<bool>& cancelled) {
  auto notes = keeping.tags();
  if (!notes) return std::move(notes).error();
  Run before = describe_run(arguments, plan.plan);
  before.tags = *notes;
  Run after = before;
  before.binaries = {pairing.before};
  after.binaries = {pairing.after};
  before.tags["side"] = "before";
  after.tags["side"] = "after";
  auto keeper = Keeper::open(keeping, before.directory);
  if (!keeper) return std::move(keeper).error();
  for (auto* run : {&before, &after})
    if (auto begun = keeper->begin(*run); !begun) return std::move(begun).error();

  ProgressLine line;
  const auto begun = std::chrono::steady_clock::now();
  DuelObserver watching = observer;
  watching.progress = [&](std::size_t index, const Progress& progress) {
    const double spent = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
    line.draw(progress_text(index, pairing.pairs.size(), progress.fraction, spent,
                            pairing.pairs[index].after.id.full(), progress.process, 200));
  };
  watching.finished = [&](const DuelResult& duel, const BenchmarkComparison& pair) {
    line.clear();
    keeper->add(before, duel.before);
    keeper->add(after, duel.after);
    if (observer.finished) observer.finished(duel, pair);
  };
  auto comparison = measure_pairs(pairing, plan, options, watching, &cancelled);
  line.clear();
  comparison.before.run = keeper->keeps() ? before.id : 0;
  comparison.after.run = keeper->keeps() ? after.id : 0;
  if (!cancelled) {
    keeper->finish(before);
    keeper->finish(after);
  }
  if (auto* store = keeper->store(); store != nullptr && !cancelled) {
    // What earlier comparisons of identical programs showed, not this one.
    if (auto floor = store->noise_floor(before.machine.fingerprint())) comparison.noise_floor = *floor;
    if (auto added = store->add_comparison(comparison); !added) keeper->trouble(added.error());
  }
  if (keeper->failed()) comparison.warnings.push_back({Doubt::unavailable, "the results could not be kept"});
  return comparison;
}

}  // namespace tare::cli
