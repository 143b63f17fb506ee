// A breakdown as text: the modes as bars, each operation with its roof, the what-if, and what to fix.
#pragma once

#include <optional>
#include <string>

#include "bench/model/breakdown.hpp"
#include "bench/report/style.hpp"

namespace tare {

/// With the shares that matmul would have if it were that many times faster.
std::string breakdown_report(const Breakdown& breakdown, std::optional<double> faster_matmul,
                             const ReportOptions& options);

}  // namespace tare
