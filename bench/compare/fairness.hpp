// Whether two results may be compared at all: they must be of the same work, done under the same conditions.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "bench/model/comparison.hpp"

namespace tare {

/// What must agree, besides the benchmark itself.
struct Conditions {
  Workload workload;
  Build build;
  std::string fingerprint;  ///< of the machine; empty: not known
  std::string machine;      ///< for the message
  bool warm = true;         ///< every process timed more than its first sample
};

/// Of one result of a run: its binary's build, the run's machine.
Conditions conditions_of(const Run& run, const BenchmarkResult& result);

/// The words that name a field, in the order they are looked at: shape, dtype, device, batch, threads,
/// precision, seed, data, build, compiler, flags, machine, state.
const std::vector<std::string>& fair_fields();

/// The fields that differ. A seed does not count where both sides say that their data is the same.
std::vector<Difference> differences_between(const Conditions& before, const Conditions& after);

/// Sets comparable, differences and the message. Allowed fields stay in `differences`, as a stamp.
void judge_fairness(BenchmarkComparison& pair, const Conditions& before, const Conditions& after,
                    const std::set<std::string>& allowed);

}  // namespace tare
