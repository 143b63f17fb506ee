// What to fix first: each finding with the time it could save at most.
#include <algorithm>
#include <fmt/format.h>

#include "bench/analyse/explain.hpp"
#include "bench/support/text.hpp"

namespace tare {
namespace {

constexpr std::size_t most = 3;
/// Of the whole time; what is worth less is not worth a sentence.
constexpr double worth_saying = 0.01;
/// From this share of the roof on only less work helps.
constexpr double at_the_roof = 0.8;

struct Finding {
  double saves_ns;
  std::string text;
};

std::string percent(double share) {
  return fmt::format("{:.0f} %", 100 * share);
}

Finding about(const ModeBreakdown& mode, const OpGroup& group) {
  const double whole = mode.whole_ns();
  const double saves = std::max(0.0, group.total_ns - group.best_ns);
  const auto reached = group.best_ns / group.total_ns;
  const auto name = group.count == 1 ? printable(group.name)
                                     : fmt::format("{} ({} times)", printable(group.name), group.count);
  const auto head = fmt::format("{} takes {} of the time in mode {}", name, percent(group.total_ns / whole),
                                printable(mode.mode));
  const auto worth = fmt::format("worth up to {}", percent(saves / whole));
  switch (group.regime) {
    case Regime::compute:
      return {saves, reached >= at_the_roof
                         ? fmt::format("{} and is at the compute roof ({} of it): only less work or smaller "
                                       "numbers would help.",
                                       head, percent(reached))
                         : fmt::format("{} at {} of the compute roof: {}, {}.", head, percent(reached),
                                       group.kind == OpKind::matmul
                                           ? "a faster matrix product or smaller numbers"
                                           : "vector instructions, more threads or cheaper functions",
                                       worth)};
    case Regime::bandwidth:
      return {saves,
              reached >= at_the_roof
                  ? fmt::format(
                        "{} and is at the bandwidth roof ({} of it): only moving fewer bytes would help, by "
                        "fusing it with its neighbours or with smaller numbers.",
                        head, percent(reached))
                  : fmt::format("{} at {} of the bandwidth roof: streaming its {} without detours is {}.",
                                head, percent(reached), format_bytes(group.bytes), worth)};
    case Regime::overhead:
      return {saves,
              fmt::format("{}, and nearly all of it is overhead ({} each): fewer and larger operations "
                          "(a larger batch, fusing) are {}.",
                          head, format_duration(group.total_ns / static_cast<double>(group.count)), worth)};
  }
  return {0, ""};
}

/// That the last mode is faster than the first.
std::optional<Finding> about_fusing(const Breakdown& breakdown) {
  const auto& gain = breakdown.measured_gain;
  if (!gain || !(gain->low.value_or(gain->point) > 1)) return std::nullopt;
  const auto& before = breakdown.modes.front();
  const auto& after = breakdown.modes.back();
  const auto bytes = [](const ModeBreakdown& mode) {
    double sum = 0;
    for (const auto& op : mode.ops) sum += op.bytes;
    return format_bytes(sum);
  };
  return Finding{
      before.whole_ns() - after.whole_ns(),
      fmt::format(
          "Run it in mode {}: {:.2f} times faster than {}, moving {} (operations: {}) instead of {} ({}).",
          printable(after.mode), gain->point, printable(before.mode), bytes(after), after.ops.size(),
          bytes(before), before.ops.size())};
}

}  // namespace

std::vector<std::string> advise(const Breakdown& breakdown) {
  std::vector<Finding> findings;
  if (auto fusing = about_fusing(breakdown)) findings.push_back(std::move(*fusing));
  const auto& mode = breakdown.modes.back();
  const double whole = mode.whole_ns();
  if (!(whole > 0)) return {};
  for (const auto& group : groups_of(mode, breakdown.roofs))
    if (group.total_ns > 0) findings.push_back(about(mode, group));
  if (const double between = mode.wall_ns - mode.total_ns(); between > 0) {
    findings.push_back(
        {between,
         fmt::format("{} of the time in mode {} lies between the operations (calls, memory, bookkeeping): "
                     "fewer and larger operations help.",
                     percent(between / whole), printable(mode.mode))});
  }
  std::stable_sort(findings.begin(), findings.end(),
                   [](const Finding& a, const Finding& b) { return a.saves_ns > b.saves_ns; });
  std::vector<std::string> sentences;
  for (const auto& finding : findings) {
    if (sentences.size() == most || finding.saves_ns < worth_saying * whole) break;
    sentences.push_back(finding.text);
  }
  if (sentences.empty())
    sentences.push_back(fmt::format("Nothing stands out: mode {} runs at the roofs.", printable(mode.mode)));
  return sentences;
}

}  // namespace tare
