#include "bench/analyse/explain.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "bench/analyse/intervals.hpp"
#include "bench/support/text.hpp"

namespace tare {
namespace {

/// The roofs given were reduced to one number of threads already.
constexpr int as_given = 1;

double best_ns(const OpCost& op, const MachineRoofs& roofs, double overhead_ns) {
  return std::max(least_ns(roofs, op.flops, op.bytes, as_given).value_or(0), overhead_ns);
}

Status same_program(const Trace& first, const Trace& other) {
  if (first.size() != other.size())
    return fail(fmt::format("one execution had {} modes, another {}", first.size(), other.size()));
  for (std::size_t m = 0; m < first.size(); ++m) {
    const auto& a = first[m];
    const auto& b = other[m];
    if (a.mode != b.mode) return fail(fmt::format("the modes '{}' and '{}' changed places", a.mode, b.mode));
    const auto differ = std::mismatch(a.ops.begin(), a.ops.end(), b.ops.begin(), b.ops.end(),
                                      [](const OpCost& x, const OpCost& y) { return x.name == y.name; });
    if (differ.first != a.ops.end() || differ.second != b.ops.end())
      return fail(fmt::format(
          "mode '{}' did not do the same in every execution: operation {} is '{}' once, then '{}'", a.mode,
          differ.first - a.ops.begin() + 1, differ.first == a.ops.end() ? "nothing" : differ.first->name,
          differ.second == b.ops.end() ? "nothing" : differ.second->name));
  }
  return ok();
}

/// The median over the repetitions of a number that `of` takes from each.
template <class Of>
double typical(const std::vector<Trace>& repetitions, Of of) {
  std::vector<double> values;
  for (const auto& trace : repetitions) values.push_back(of(trace));
  return *median(values);
}

ModeBreakdown typical_mode(const std::vector<Trace>& repetitions, std::size_t m) {
  ModeBreakdown mode = repetitions.front()[m];
  mode.wall_ns = typical(repetitions, [&](const Trace& t) { return t[m].wall_ns; });
  mode.overhead_ns = typical(repetitions, [&](const Trace& t) { return t[m].overhead_ns; });
  double end = 0;
  for (std::size_t i = 0; i < mode.ops.size(); ++i) {
    auto& op = mode.ops[i];
    op.duration_ns = typical(repetitions, [&](const Trace& t) { return t[m].ops[i].duration_ns; });
    // Medians of starts and durations come from different executions: a timeline must not overlap.
    op.start_ns = std::max(end, typical(repetitions, [&](const Trace& t) { return t[m].ops[i].start_ns; }));
    end = op.start_ns + op.duration_ns;
  }
  return mode;
}

std::optional<Estimate> measured_gain(const std::vector<Trace>& repetitions) {
  std::vector<double> ratios;
  for (const auto& trace : repetitions) {
    const double after = trace.back().whole_ns();
    if (!(after > 0)) return std::nullopt;
    ratios.push_back(trace.front().whole_ns() / after);
  }
  return median_interval(ratios);
}

}  // namespace

void judge(OpCost& op, const MachineRoofs& roofs, double overhead_ns) {
  const double computing = least_ns(roofs, op.flops, 0, as_given).value_or(0);
  const double moving = least_ns(roofs, 0, op.bytes, as_given).value_or(0);
  const double best = std::max(computing, moving);
  op.share_of_roof = op.duration_ns > 0 ? best / op.duration_ns : 0;
  const auto flops = [&] { return fmt::format("{}flop", format_si(op.flops)); };
  if (best <= overhead_ns || best == 0) {
    op.regime = Regime::overhead;
    op.reason =
        op.flops + op.bytes == 0 ? "it neither computes nor moves anything: all its time is overhead"
        : best == 0
            ? "what this machine could do at best is not known"
            : fmt::format("its work takes {} at best, calling an operation {}: fewer or larger ones help",
                          format_duration(best), format_duration(overhead_ns));
  } else if (computing >= moving) {
    op.regime = Regime::compute;
    op.reason =
        fmt::format("its {} take {} at best, moving its {} only {}: computing faster or less helps", flops(),
                    format_duration(computing), format_bytes(op.bytes), format_duration(moving));
  } else {
    op.regime = Regime::bandwidth;
    op.reason =
        fmt::format("moving its {} takes {} at best, computing its {} only {}: moving less helps",
                    format_bytes(op.bytes), format_duration(moving), flops(), format_duration(computing));
  }
}

std::optional<double> predicted_gain(const ModeBreakdown& before, const ModeBreakdown& after,
                                     const MachineRoofs& roofs) {
  const auto best = [&](const ModeBreakdown& mode) {
    double sum = 0;
    for (const auto& op : mode.ops)
      if (op.kind == OpKind::other) sum += best_ns(op, roofs, mode.overhead_ns);
    return sum;
  };
  const double whole = before.whole_ns();
  const double others = before.total_ns() * (1 - before.matmul_share());
  const double best_before = best(before);
  const double rest = whole - others + (best_before > 0 ? others * best(after) / best_before : 0);
  if (!(best_before > 0) || !(rest > 0)) return std::nullopt;
  return whole / rest;
}

Result<Breakdown> explain(std::string benchmark, const std::vector<Trace>& repetitions,
                          const MachineRoofs& roofs, int threads) {
  if (repetitions.empty() || repetitions.front().empty())
    return fail(fmt::format("{}: nothing was traced", benchmark));
  for (const auto& trace : repetitions) {
    if (auto same = same_program(repetitions.front(), trace); !same)
      return fail(fmt::format("{} cannot be explained: {}", benchmark, same.error().message));
  }
  Breakdown breakdown;
  breakdown.benchmark = std::move(benchmark);
  breakdown.roofs = roofs.with_threads(threads);
  for (std::size_t m = 0; m < repetitions.front().size(); ++m) {
    auto& mode = breakdown.modes.emplace_back(typical_mode(repetitions, m));
    for (auto& op : mode.ops) judge(op, breakdown.roofs, mode.overhead_ns);
  }
  breakdown.roofs.overhead_ns = breakdown.modes.front().overhead_ns;
  if (breakdown.modes.size() > 1) {
    breakdown.predicted_gain =
        predicted_gain(breakdown.modes.front(), breakdown.modes.back(), breakdown.roofs);
    breakdown.measured_gain = measured_gain(repetitions);
  }
  breakdown.advice = advise(breakdown);
  return breakdown;
}

}  // namespace tare
