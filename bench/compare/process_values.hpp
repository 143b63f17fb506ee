// One number per process: what the process would have read had nothing disturbed it.
//
// Disturbances only ever add time, and on a shared machine they reach most samples. The best quarter of a
// process's samples (the fastest, for a time) is what they did not reach; its geometric mean repeats from
// process to process ten times as well as the median does on a loaded machine (docs/measurements/compare.md).
// Samples cover many iterations where the body is short, so what the body itself does now and then is in all
// of them. What shows in the typical sample only is watched separately: typical_log is the median. Of a
// body on one thread, the time that it was ready but waited for a CPU is taken off: that is other programs'
// time, and the kernel tells it exactly. waited_log says how much it was in the best quarter, since programs
// that made it wait may also have slowed it otherwise.
#pragma once

#include <cstdint>
#include <vector>

#include "bench/analyse/estimators.hpp"
#include "bench/model/benchmark.hpp"

namespace tare {

struct ProcessValue {
  std::uint32_t process = 0;
  double best_log = 0;     ///< logarithm: mean over the best quarter
  double typical_log = 0;  ///< logarithm: median over all
  double waited_log = 0;   ///< logarithm of what waiting for a CPU lengthened the best quarter by
};

/// Several threads may wait for each other, and that is theirs: kept.
enum class Waiting : std::uint8_t { kept, taken_off };

/// The harness's cost for both sides: the mean of what each measured. It is the same harness, and a
/// difference between two measurements of its cost, an error that all processes of a side would share, must
/// not look like a difference between the sides.
Overhead common_overhead(const Metric& before, const Metric& after);

/// Every process that has samples, in order. A process with a value that is not above zero is left out: its
/// logarithm is undefined.
std::vector<ProcessValue> process_values(const Metric& metric, const Overhead& overhead,
                                         Waiting waiting = Waiting::kept);
std::vector<ProcessValue> process_values(const Metric& metric);

/// after − before of the processes that both sides have.
struct ProcessRatios {
  std::vector<double> best;     ///< of best_log
  std::vector<double> typical;  ///< of typical_log
  std::vector<double> waited;   ///< of waited_log
};
ProcessRatios process_ratios(const std::vector<ProcessValue>& before, const std::vector<ProcessValue>& after);

/// Of the variance of the logarithm of single samples' ratios, the share that lies between processes.
std::optional<double> ratio_between_share(const Metric& before, const Metric& after);

}  // namespace tare
