// The list of stored runs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/model/run.hpp"
#include "bench/report/style.hpp"

namespace tare {

/// In the order given. The command takes the room that is left.
std::string runs_report(const std::vector<RunInfo>& runs, const ReportOptions& options = {});

}  // namespace tare
