#include "bench/model/breakdown.hpp"

#include <algorithm>
#include <array>

namespace tare {

const char* name_of(Regime regime) {
  switch (regime) {
    case Regime::compute:
      return "compute";
    case Regime::bandwidth:
      return "bandwidth";
    case Regime::overhead:
      return "overhead";
  }
  return "unknown";
}

const char* name_of(OpKind kind) {
  return kind == OpKind::matmul ? "matmul" : "other";
}

double ModeBreakdown::total_ns(double faster_matmul) const {
  double total = 0;
  for (const auto& op : ops) total += op.duration_ns / (op.kind == OpKind::matmul ? faster_matmul : 1);
  return total;
}

double ModeBreakdown::matmul_share(double faster_matmul) const {
  double matmul = 0;
  for (const auto& op : ops) matmul += op.kind == OpKind::matmul ? op.duration_ns / faster_matmul : 0;
  const double total = total_ns(faster_matmul);
  return total > 0 ? matmul / total : 0;
}

std::vector<OpGroup> groups_of(const ModeBreakdown& mode, const MachineRoofs& roofs) {
  struct Gathered {
    OpGroup group;
    std::array<double, 3> by_regime{};
    double longest_ns = -1;
  };
  std::vector<Gathered> all;
  for (const auto& op : mode.ops) {
    auto at =
        std::find_if(all.begin(), all.end(), [&](const Gathered& g) { return g.group.name == op.name; });
    if (at == all.end()) {
      at = all.emplace(all.end());
      at->group.name = op.name;
      at->group.kind = op.kind;
    }
    auto& group = at->group;
    ++group.count;
    group.total_ns += op.duration_ns;
    group.best_ns += least_ns(roofs, op.flops, op.bytes, 1).value_or(0);
    group.flops += op.flops;
    group.bytes += op.bytes;
    at->by_regime[static_cast<std::size_t>(op.regime)] += op.duration_ns;
    if (op.duration_ns > at->longest_ns) {
      at->longest_ns = op.duration_ns;
      group.reason = op.reason;
    }
  }
  std::vector<OpGroup> groups;
  for (auto& gathered : all) {
    const auto& times = gathered.by_regime;
    gathered.group.regime = static_cast<Regime>(std::max_element(times.begin(), times.end()) - times.begin());
    groups.push_back(std::move(gathered.group));
  }
  std::stable_sort(groups.begin(), groups.end(),
                   [](const OpGroup& a, const OpGroup& b) { return a.total_ns > b.total_ns; });
  return groups;
}

}  // namespace tare
