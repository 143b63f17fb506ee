// Why a benchmark takes its time: what the machine can do at best, and what each operation of a program cost
// in each way of running it ("eager", "graph"). Made by explaining, kept with a run, drawn by the report.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bench/model/roofs.hpp"
#include "bench/model/summary.hpp"

namespace tare {

/// Which roof an operation comes closest to.
enum class Regime { compute, bandwidth, overhead };
enum class OpKind { matmul, other };
const char* name_of(Regime regime);
const char* name_of(OpKind kind);

struct OpCost {
  std::string name;
  OpKind kind = OpKind::other;
  std::vector<std::vector<std::int64_t>> shapes;  ///< of the operands
  double start_ns = 0;                            ///< since the first operation of the mode began
  double duration_ns = 0;
  double flops = 0;
  double bytes = 0;
  Regime regime = Regime::overhead;
  double share_of_roof = 0;  ///< reached of what the roof allows; above 1 when a faster cache held the data
  std::string reason{};      ///< for the regime, a sentence

  bool operator==(const OpCost&) const = default;
};

struct ModeBreakdown {
  std::string mode;         ///< "eager", "graph"
  std::vector<OpCost> ops;  ///< in the order they ran
  double wall_ns = 0;       ///< from begin to end, what lies between the operations included; 0: not told
  double overhead_ns = 0;   ///< of an operation that has next to nothing to do; 0: not told

  bool operator==(const ModeBreakdown&) const = default;
  /// From begin to end where that was told, otherwise what the operations took together.
  [[nodiscard]] double whole_ns() const { return wall_ns > 0 ? wall_ns : total_ns(); }
  /// What the operations took together, those of one kind divided by a factor: the what-if of a faster
  /// matmul.
  [[nodiscard]] double total_ns(double faster_matmul = 1) const;
  /// Of that total, the part that is matmul.
  [[nodiscard]] double matmul_share(double faster_matmul = 1) const;
};

/// All operations of a mode with one name: what a person looks at first.
struct OpGroup {
  std::string name;
  OpKind kind = OpKind::other;
  std::size_t count = 0;
  double total_ns = 0;
  double best_ns = 0;  ///< at the roofs, overhead left out
  double flops = 0;
  double bytes = 0;
  Regime regime = Regime::overhead;  ///< of those that took most of the time
  std::string reason;                ///< of the longest of them
};
/// The longest first.
std::vector<OpGroup> groups_of(const ModeBreakdown& mode, const MachineRoofs& roofs);

/// A program as text, for those who want to see what was made of it.
struct ProgramText {
  std::string steps;  ///< what is carried out together, a line each
  std::string dot;    ///< the graph in the DOT language

  bool operator==(const ProgramText&) const = default;
};

struct Breakdown {
  std::string benchmark;  ///< full name
  MachineRoofs roofs;
  std::vector<ModeBreakdown> modes;
  std::optional<double> predicted_gain;   ///< of fusing, as a factor on the time, before it was measured
  std::optional<Estimate> measured_gain;  ///< the same, measured
  std::vector<std::string> advice;        ///< one sentence each

  bool operator==(const Breakdown&) const = default;
};

}  // namespace tare
