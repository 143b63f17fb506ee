// The lists of stored runs and of baselines.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/model/run.hpp"
#include "bench/report/style.hpp"

namespace tare {

/// In the order given. The command takes the room that is left.
std::string runs_report(const std::vector<RunInfo>& runs, const ReportOptions& options = {});
/// The note takes the room that is left.
std::string baselines_report(const std::vector<Baseline>& baselines, const ReportOptions& options = {});

}  // namespace tare
