// Why a program takes its time: from traces of repeated executions and the machine's roofs, what each
// operation costs, which roof it meets, what fusing should bring and did bring, and what to fix first.
//
// Method: an operation's time is the median over the repetitions. At best it takes the longest of computing
// its flops at the peak, moving its bytes at the bandwidth of the level that holds them, and the overhead of
// an operation; the longest names the regime (Williams, Waterman and Patterson 2009). Fusing is predicted to
// shorten what is not matmul in proportion to these best times, that is with the share of the roof that the
// operations reached before, and nothing else. Limits: the roofs are single precision's, so other types get
// the wrong share of the compute roof; bytes count each operand once, so what an earlier operation left in a
// cache may show as more than the whole roof; tracing adds two readings of the clock to each operation.
#pragma once

#include <string>
#include <vector>

#include "bench/model/breakdown.hpp"
#include "bench/support/result.hpp"

namespace tare {

/// One execution in each mode.
using Trace = std::vector<ModeBreakdown>;

/// Every repetition must have the same modes and operations; an Error says which do not. The roofs of the
/// answer are those for that many threads. The gain of fusing is the first mode against the last.
Result<Breakdown> explain(std::string benchmark, const std::vector<Trace>& repetitions,
                          const MachineRoofs& roofs, int threads);

/// Regime, share of the roof and the reason, from the operation's time, flops and bytes.
void judge(OpCost& op, const MachineRoofs& roofs, double overhead_ns);

/// The factor by which fusing should shorten the whole, from what the operations need at best before and
/// after; empty when nothing can be fused or a roof is not known.
std::optional<double> predicted_gain(const ModeBreakdown& before, const ModeBreakdown& after,
                                     const MachineRoofs& roofs);

/// At most three sentences, the one that is worth most first.
std::vector<std::string> advise(const Breakdown& breakdown);

}  // namespace tare
