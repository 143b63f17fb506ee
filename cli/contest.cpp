#include "cli/contest.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <numeric>
#include <random>

#include "bench/analyse/doubts.hpp"
#include "bench/analyse/processes.hpp"
#include "bench/analyse/summarise.hpp"
#include "bench/compare/process_values.hpp"
#include "bench/support/text.hpp"

namespace tare::cli {
namespace {

/// The shell's cost is not trusted on fewer.
constexpr std::size_t least_shell_values = 10;

struct Reading {
  std::size_t command;
  Executed executed;
};

double steady_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

Metric noisy_metric(const char* name, const char* unit) {
  Metric metric;
  metric.name = name;
  metric.unit = unit;
  return metric;
}

/// The median with its standard error: √(π / 2) times that of a normal sample's mean.
Overhead overhead_of(const std::vector<double>& costs) {
  Overhead overhead;
  if (costs.empty()) return overhead;
  overhead.fixed = *median(costs);
  overhead.fixed_error =
      1.2533 * mad_to_deviation * *mad(costs) / std::sqrt(static_cast<double>(costs.size()));
  return overhead;
}

class Rounds {
 public:
  Rounds(std::vector<BenchmarkResult> commands, const ContestPlan& plan, const CompareOptions& options,
         const ContestHooks& hooks)
      : plan_(plan), options_(options), hooks_(hooks), random_(plan.seed) {
    contest_.results = std::move(commands);
    auto& results = contest_.results;
    for (std::size_t i = 0; i < results.size(); ++i) {
      if (results[i].outcome != Outcome::ok) continue;
      results[i].metrics = {noisy_metric("time", "ns"), noisy_metric("cpu_time", "ns"),
                            noisy_metric("peak_rss", "B")};
      order_.push_back(i);
    }
    // Without a reference, or with nobody to compare with it, there is nothing to find out.
    if (results.front().outcome != Outcome::ok || (results.size() > 1 && order_.size() < 2)) order_.clear();
    looks_.assign(results.size(), Looks{plan.alpha, {}});
    if (!plan.cpus.empty()) first_cpu_ = random_() % plan.cpus.size();
  }

  Contest hold() {
    begun_ = clock();
    if (!order_.empty()) take_rounds();
    contest_.seconds = clock() - begun_;
    finish();
    return std::move(contest_);
  }

 private:
  double clock() const { return hooks_.clock ? hooks_.clock() : steady_seconds(); }

  void take_rounds() {
    double longest = 0, fraction = 0;
    for (bool last = false; !last;) {
      const double round_begun = clock();
      if (!take_round()) {
        look_last(fraction);
        return;
      }
      ++contest_.rounds;
      const double now = clock();
      longest = std::max(longest, now - round_begun);
      last = is_last(now - begun_ + longest);
      fraction = last ? 1 : fraction_of(now - begun_);
      if (hooks_.progress) hooks_.progress(contest_.rounds, fraction);
      if (contest_.rounds < least_rounds()) continue;  // a look would cost alpha and could decide nothing
      if (decided(fraction)) return;
    }
  }

  /// Fewer could not show a difference whatever they read: n signs agree by chance once in 2ⁿ⁻¹.
  std::size_t least_rounds() const {
    const auto signs = static_cast<std::size_t>(std::ceil(std::log2(2 / plan_.alpha)));
    return plan_.rounds.value_or(std::max(signs, least_pairs));
  }
  bool is_last(double next_end) const {
    return contest_.rounds >= least_rounds() && (plan_.rounds || next_end > budget());
  }
  double budget() const { return std::chrono::duration<double>(plan_.budget).count(); }
  /// Below 1: only the last look has all of the budget.
  double fraction_of(double spent) const {
    const auto least = static_cast<double>(least_rounds()), rounds = static_cast<double>(contest_.rounds);
    if (rounds < least) return std::min(spent / budget(), rounds / least);
    return std::min(spent / budget(), 1 - 1e-9);
  }

  /// False when it could not be finished; then nothing of it counts.
  bool take_round() {
    auto order = order_;
    std::shuffle(order.begin(), order.end(), random_);
    if (plan_.shell)
      order.insert(order.begin() + static_cast<std::ptrdiff_t>(random_() % (order.size() + 1)), shell());
    const auto cpu = plan_.cpus.empty()
                         ? std::nullopt
                         : std::optional(plan_.cpus[(contest_.rounds + first_cpu_) % plan_.cpus.size()]);
    std::vector<Reading> readings;
    for (int half = 0; half < 2; ++half) {
      for (const auto command : order)
        if (!run(command, cpu, readings)) return false;
      std::reverse(order.begin(), order.end());
    }
    if (plan_.shell) keep_shell(readings);
    for (const auto& reading : readings)
      if (reading.command != shell()) keep(reading);
    return true;
  }

  std::size_t shell() const { return contest_.results.size(); }

  bool run(std::size_t command, std::optional<int> cpu, std::vector<Reading>& readings) {
    auto executed = hooks_.run(command, cpu);
    if (executed && executed->outcome == Outcome::ok) {
      readings.push_back({command, std::move(*executed)});
      return true;
    }
    // Should the shell itself fail, the first command speaks for it.
    auto& result = contest_.results[command == shell() ? 0 : command];
    result.outcome = executed ? executed->outcome : Outcome::failed;
    result.message = executed ? executed->ending : executed.error().message;
    return false;
  }

  void keep_shell(const std::vector<Reading>& readings) {
    double wall = INFINITY, cpu = INFINITY;
    for (const auto& [command, executed] : readings) {
      if (command != shell()) continue;
      wall = std::min(wall, executed.wall_ns);
      cpu = std::min(cpu, executed.cpu_ns);
    }
    shell_wall_.push_back(wall);
    shell_cpu_.push_back(cpu);
  }

  void keep(const Reading& reading) {
    const auto& executed = reading.executed;
    auto& metrics = contest_.results[reading.command].metrics;
    Sample sample;
    sample.process = static_cast<std::uint32_t>(contest_.rounds);
    sample.interference.minor_faults = executed.minor_faults;
    sample.interference.major_faults = executed.major_faults;
    const auto add = [&](Metric& metric, double total) {
      sample.total = total;
      metric.samples.push_back(sample);
    };
    add(metrics[0], executed.wall_ns);
    add(metrics[1], executed.cpu_ns);
    if (executed.peak_rss_bytes)
      add(metrics[2], *executed.peak_rss_bytes);
    else
      metrics[2].origin = "unavailable (not above what starting a process takes)";
  }

  void take_off_shell() {
    if (!plan_.shell) return;
    for (const auto i : order_) {
      contest_.results[i].metrics[0].overhead = overhead_of(shell_wall_);
      contest_.results[i].metrics[1].overhead = overhead_of(shell_cpu_);
    }
  }

  /// Whether one of the two is not always clearly longer than the shell usually takes.
  bool near_the_shell(std::size_t i) const {
    const auto near = [](const BenchmarkResult& result) {
      const auto* time = result.metric("time");
      if (time == nullptr || time->overhead == Overhead{}) return false;
      const auto rounds = by_process(*time);
      return process_values(*time).size() < rounds.size() || !resolution_of(*time, rounds).resolved;
    };
    return near(contest_.results.front()) || near(contest_.results[i]);
  }

  /// The first command and this one as they are compared.
  std::array<BenchmarkResult, 2> sides_of(std::size_t i) const {
    std::array sides{contest_.results.front(), contest_.results[i]};
    if (near_the_shell(i))
      for (auto& side : sides)
        for (auto& metric : side.metrics) metric.overhead = {};
    return sides;
  }

  static void doubt_shell(BenchmarkComparison& pair, const BenchmarkResult& before,
                          const BenchmarkResult& after) {
    const auto& cost = before.metric("time")->overhead;
    const bool resolved = before.metric("time")->summary.time && after.metric("time")->summary.time;
    for (auto& row : pair.metrics) {
      row.warnings.push_back(
          {resolved ? Doubt::overhead : Doubt::below_resolution,
           fmt::format(
               "the cost of the shell, {} ± {}, is part of both sides: a command is too near to it to "
               "take it off; --no-shell leaves it out",
               format_duration(cost.fixed), format_duration(cost.fixed_error, 2))});
    }
  }

  /// Whether every pair is.
  bool decided(double fraction) {
    if (order_.size() < 2) return false;
    take_off_shell();
    bool all = true;
    for (const auto i : order_) {
      if (i == 0) continue;
      const auto [before, after] = sides_of(i);
      const auto looked = looks_[i].fractions.size();
      const bool differ = decides(before, after, fraction, looks_[i]);
      if (looks_[i].fractions.size() == looked) return false;
      if (differ) continue;
      const auto pair = compare_pairs(before, after, looks_[i], options_);
      const auto* time = pair.metric("time");
      all = all && time != nullptr && time->within_margin;
    }
    return all;
  }

  /// What was measured up to an early end is looked at too, and paid for.
  void look_last(double fraction) {
    for (auto& looks : looks_)
      if (fraction > (looks.fractions.empty() ? 0 : looks.fractions.back()))
        looks.fractions.push_back(fraction);
  }

  void finish() {
    while (plan_.shell && contest_.rounds > 0 && shell_wall_.size() < least_shell_values) {
      std::vector<Reading> readings;
      if (!run(shell(), std::nullopt, readings) || !run(shell(), std::nullopt, readings)) break;
      keep_shell(readings);
    }
    take_off_shell();
    auto& results = contest_.results;
    for (auto& result : results) {
      for (auto& metric : result.metrics)
        if (!metric.available()) metric.samples.clear();
      summarise(result);
    }
    for (std::size_t i = 1; i < results.size(); ++i) contest_.pairs.push_back(compared(i));
    for (auto& result : results) {
      if (contest_.rounds > 0 || result.outcome != Outcome::ok) continue;
      result.outcome = Outcome::skipped;
      result.message = "not measured, since another command went wrong";
    }
  }

  BenchmarkComparison compared(std::size_t i) const {
    const auto &before = contest_.results.front(), &after = contest_.results[i];
    const auto sides = sides_of(i);
    auto pair = compare_pairs(sides[0], sides[1], looks_[i], options_);
    if (near_the_shell(i)) doubt_shell(pair, before, after);
    // The verdict is on time. Of the rest what could be read is told, and nobody has to pay for asking.
    std::erase_if(pair.metrics, [&](const MetricComparison& row) {
      return row.metric != "time" &&
             (!before.metric(row.metric)->summary.time || !after.metric(row.metric)->summary.time);
    });
    for (auto& row : pair.metrics)
      if (row.metric != "time") row.p.reset();
    pair.processes = 0;
    pair.rounds = contest_.rounds;
    pair.seconds = contest_.seconds;
    return pair;
  }

  const ContestPlan& plan_;
  const CompareOptions& options_;
  const ContestHooks& hooks_;
  std::mt19937_64 random_;
  Contest contest_;
  std::vector<std::size_t> order_;  ///< the commands that take part
  std::vector<Looks> looks_;        ///< at each command beside the first
  std::vector<double> shell_wall_;
  std::vector<double> shell_cpu_;
  std::size_t first_cpu_ = 0;
  double begun_ = 0;
};

}  // namespace

Contest hold_contest(std::vector<BenchmarkResult> commands, const ContestPlan& plan,
                     const CompareOptions& options, const ContestHooks& hooks) {
  if (commands.empty()) throw std::invalid_argument("hold_contest: no commands");
  return Rounds(std::move(commands), plan, options, hooks).hold();
}

}  // namespace tare::cli
