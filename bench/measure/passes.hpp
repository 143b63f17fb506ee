// Meter passes: the body under one meter at a time, never under the clock.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bench/define/body.hpp"
#include "bench/measure/protocol.hpp"

namespace tare {

/// Names for --meters, in the order they run: "allocations", "cpu", "memory", "counters", "energy",
/// "instructions". The last runs in a process of its own under valgrind and is not a pass of run_meter().
const std::vector<std::string>& known_meters();

/// One pass. A meter that cannot be read here gives a metric whose origin says "unavailable (why)".
std::vector<Metric> run_meter(std::string_view meter, Body& body, const MeterOptions& options);

}  // namespace tare
