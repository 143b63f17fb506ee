// How times grow with a parameter, a line each, beneath the table of a run.
#pragma once

#include <string>
#include <vector>

#include "bench/model/growth.hpp"
#include "bench/report/style.hpp"

namespace tare {

/// Empty when there is nothing to tell.
std::string growth_report(const std::vector<GrowthFinding>& findings, const ReportOptions& options = {});

}  // namespace tare
