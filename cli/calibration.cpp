#include "cli/calibration.hpp"

#include <algorithm>
#include <array>
#include <csignal>
#include <filesystem>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/analyse/intervals.hpp"
#include "bench/compare/tests.hpp"
#include "bench/measure/machine/command.hpp"
#include "bench/support/json.hpp"
#include "bench/support/text.hpp"
#include "cli/duels.hpp"

namespace tare::cli {
namespace {

std::string parameter_of(const Scenario& scenario) {
  if (scenario.body == "allocate") return scenario.slowdown > 0 ? "1" : "0";
  return fmt::format("{}", scenario.slowdown);
}

BenchmarkId id_of(const Scenario& scenario, const std::string& value) {
  return {scenario.body, {{scenario.body == "allocate" ? "extra" : "share", value}}};
}

Pairing pairing_of(const Scenario& scenario) {
  // This program is its own worker; both sides are the same file, so a difference is the parameter's or
  // nobody's.
  Binary self{"/proc/self/exe", "", {}};
  std::error_code problem;
  const auto path = std::filesystem::read_symlink("/proc/self/exe", problem);
  if (!problem) self.path = path.string();
  Pairing pairing{self, self, {}, {}, {}};
  for (std::size_t i = 0; i < scenario.suite; ++i) {
    pairing.pairs.push_back(
        {{id_of(scenario, "0"), {}, ""}, {id_of(scenario, parameter_of(scenario)), {}, ""}});
  }
  return pairing;
}

/// Whether a verdict says that the sides differ; for a slowdown, in the right direction.
bool found_in(const Comparison& comparison, const Scenario& scenario) {
  for (const auto& pair : comparison.benchmarks) {
    const auto* row = pair.metric(scenario.body == "allocate" ? "allocations" : "time");
    if (row == nullptr) continue;
    if (row->verdict == Verdict::worse) return true;
    if (row->verdict == Verdict::better && scenario.slowdown == 0) return true;
  }
  return false;
}

CalibrationRow row_of(const Scenario& scenario, std::string tool, std::size_t done, std::size_t found,
                      std::vector<double> seconds, std::vector<double> pairs = {}) {
  CalibrationRow row;
  row.scenario = scenario.name();
  row.tool = std::move(tool);
  row.comparisons = done;
  row.found = found;
  row.share = wilson_interval(found, done).value_or(Estimate{});
  row.budget_seconds = std::chrono::duration<double>(scenario.budget).count();
  row.typical_seconds = median(seconds);
  row.typical_pairs = median(pairs);
  if (scenario.body == "allocate") {
    row.goal = scenario.slowdown > 0 ? "100 %" : "0 %";
  } else {
    row.goal = scenario.slowdown > 0 ? "≥ 95 %" : scenario.suite > 1 ? "≤ 5 %" : "3–7 %";
  }
  return row;
}

/// The nine repetitions of one side, real and CPU time.
struct Repetitions {
  std::vector<double> real;
  std::vector<double> cpu;
};

Result<Repetitions> google_side(const std::string& program, const Scenario& scenario,
                                const std::string& value) {
  // What it asks for is the measured time of each repetition; finding the iterations comes on top once.
  const double each = std::chrono::duration<double>(scenario.budget).count() / 2 / 10;
  auto ran = run_command({program, fmt::format("--benchmark_filter=^{}/{}/real_time$", scenario.body, value),
                          "--benchmark_repetitions=9", fmt::format("--benchmark_min_time={}", each),
                          "--benchmark_format=json"});
  if (!ran) return std::move(ran).error();
  auto json = parse_json(ran->output);
  if (!json) return fail(fmt::format("{}: {}", program, json.error().message));
  Repetitions found;
  for (const auto& entry : field_or(*json, "benchmarks", Json::array())) {
    if (field_or<std::string>(entry, "run_type", "") != "iteration") continue;
    found.real.push_back(field_or(entry, "real_time", 0.0));
    found.cpu.push_back(field_or(entry, "cpu_time", 0.0));
  }
  if (found.real.size() != 9)
    return fail(fmt::format("{}: {} repetitions instead of 9", program, found.real.size()));
  return found;
}

}  // namespace

std::string Scenario::name() const {
  std::string what = slowdown == 0        ? "identical"
                     : body == "allocate" ? "one more allocation"
                                          : fmt::format("+{}", format_percent(slowdown, 3));
  if (suite > 1) what += fmt::format(", suites of {}", suite);
  return fmt::format("{}, {}", what, body);
}

Result<CalibrationRow> calibrate(const Scenario& scenario, const Tick& tick,
                                 const std::atomic<bool>& cancelled) {
  const auto pairing = pairing_of(scenario);
  DuelOptions defaults;
  auto plan = defaults.plan_of();
  if (!plan) return std::move(plan).error();
  plan->plan.budget = scenario.budget;
  plan->plan.meters.clear();
  if (scenario.body == "allocate") {
    plan->plan.meters = {"allocations"};
    plan->plan.processes = 2;
    plan->rounds = 1;
  }
  std::size_t done = 0, found = 0;
  std::vector<double> seconds, pairs;
  for (; done < scenario.comparisons && !cancelled; ++done) {
    const auto begun = std::chrono::steady_clock::now();
    const auto comparison = measure_pairs(pairing, *plan, {}, {}, &cancelled);
    if (cancelled) break;
    for (const auto& pair : comparison.benchmarks) {
      if (pair.outcome != Outcome::ok) return fail(pair.message);
      pairs.push_back(static_cast<double>(pair.processes));
    }
    seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count());
    found += found_in(comparison, scenario) ? 1 : 0;
    if (tick) tick(done + 1, found);
  }
  return row_of(scenario, "tare", done, found, std::move(seconds), std::move(pairs));
}

Result<std::vector<CalibrationRow>> calibrate_google(const Scenario& scenario, const Tick& tick,
                                                     const std::atomic<bool>& cancelled) {
  std::error_code problem;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", problem);
  const auto program = (self.parent_path() / "tare-calibrate-google").string();
  if (!std::filesystem::exists(program, problem)) {
    return fail(fmt::format("{} is absent: Google Benchmark was not found when tare was built", program));
  }
  std::array<std::size_t, 2> found{};
  std::size_t done = 0;
  std::vector<double> seconds;
  for (; done < scenario.comparisons && !cancelled; ++done) {
    const auto begun = std::chrono::steady_clock::now();
    std::array<bool, 2> flagged{};
    for (std::size_t i = 0; i < scenario.suite && !cancelled; ++i) {
      auto before = google_side(program, scenario, "0");
      if (!before) return std::move(before).error();
      auto after = google_side(program, scenario, parameter_of(scenario));
      if (!after) return std::move(after).error();
      const std::array sides{std::pair{&before->real, &after->real}, std::pair{&before->cpu, &after->cpu}};
      for (std::size_t k = 0; k < 2; ++k) {
        const auto test = mann_whitney(*sides[k].second, *sides[k].first);
        const bool slower = *median(*sides[k].second) > *median(*sides[k].first);
        if (test && test->p < 0.05 && (slower || scenario.slowdown == 0)) flagged[k] = true;
      }
    }
    if (cancelled) break;
    seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count());
    for (std::size_t k = 0; k < 2; ++k) found[k] += flagged[k] ? 1 : 0;
    if (tick) tick(done + 1, found[0]);
  }
  return std::vector{row_of(scenario, "Google Benchmark, real time", done, found[0], seconds),
                     row_of(scenario, "Google Benchmark, CPU time", done, found[1], seconds)};
}

BusyLoad::BusyLoad(int processes) {
  for (int i = 0; i < processes; ++i) {
    const pid_t parent = ::getpid();
    const pid_t pid = ::fork();
    if (pid == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      if (::getppid() != parent) ::_exit(0);
      for (volatile double x = 1;;) x = x * 1.0000001 + 1e-9;
    }
    if (pid > 0) pids_.push_back(pid);
  }
}

BusyLoad::~BusyLoad() {
  for (const int pid : pids_) {
    ::kill(pid, SIGKILL);
    ::waitpid(pid, nullptr, 0);
  }
}

}  // namespace tare::cli
