// This machine's roofs: multiply-adds per second, and bytes per second from each level of the caches and from
// memory, by threads.
//
// Method: threads start together and repeat a short pass; the roof is the best of many repetitions, since
// whatever else runs can only lower it. Bytes come from the fastest of reading, and adding two arrays into a
// third with ordinary stores and with stores that go past the caches. Limits: on a machine that is busy all
// the time the roofs come out low and shares high; a virtual machine may be told of a larger last-level cache
// than it may use.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>

#include "bench/model/roofs.hpp"
#include "bench/model/run.hpp"

namespace tare {

struct CacheLevel {
  int level = 1;
  std::uint64_t bytes = 0;
  int shared_by = 1;  ///< CPUs

  bool operator==(const CacheLevel&) const = default;
};
/// Data caches of the first CPU, from the first level on; empty when the system does not tell.
std::vector<CacheLevel> observe_caches(const std::filesystem::path& root = "/");

struct RoofOptions {
  std::vector<int> threads;                  ///< empty: one, and as many as there are CPUs
  std::chrono::milliseconds each{60};        ///< for one roof with one number of threads
  std::uint64_t most_bytes = 512ULL << 20U;  ///< of memory used at a time
};
MachineRoofs measure_roofs(const RoofOptions& options = {});

/// $XDG_CACHE_HOME or ~/.cache, then "tare"; empty when there is neither.
std::filesystem::path user_cache();

/// What was measured of a machine like this before, or what `measure` gives now, kept in the folder for the
/// next time. One process measures while others wait for it. What cannot be read is measured again; what
/// cannot be kept is still given.
MachineRoofs cached_roofs(
    const Machine& machine, const std::filesystem::path& folder = user_cache(),
    const std::function<MachineRoofs()>& measure = [] { return measure_roofs(); });

}  // namespace tare
