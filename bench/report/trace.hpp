// Breakdowns in the Chrome trace format, which Perfetto and speedscope read: one process per benchmark, one
// thread per mode, a complete event per operation, times in microseconds.
#pragma once

#include <vector>

#include "bench/model/breakdown.hpp"
#include "bench/support/json.hpp"

namespace tare {

Json chrome_trace(const std::vector<Breakdown>& breakdowns);

}  // namespace tare
