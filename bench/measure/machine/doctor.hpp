// Says what on this machine will disturb a measurement, how much change can be seen in spite of it, and what
// to do. judge() is a pure function of observed values; examine() observes this machine first.
// The limits that part good from caution from bad are named constants in the source, each with its reason.
#pragma once

#include <filesystem>
#include <vector>

#include "bench/measure/machine/observations.hpp"
#include "bench/model/run.hpp"

namespace tare {

/// One finding per topic, in a fixed order: load, interruptions, governor, turbo, smt, aslr, virtualisation,
/// clock, counters, energy, memory, throttling, power, limits, noise. A finding that is not good has advice.
std::vector<Finding> judge(const Machine& machine, const Observations& seen,
                           const ComparisonSize& comparison = {});

/// Takes about a second (options.noise_time) and uses one CPU meanwhile.
std::vector<Finding> examine(const Machine& machine, const std::filesystem::path& root = "/",
                             const ExamineOptions& options = {});

}  // namespace tare
