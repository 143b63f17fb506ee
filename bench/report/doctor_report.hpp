// What the doctor found about this machine, worst news unmissable, and one sentence that sums it up.
#pragma once

#include <string>
#include <vector>

#include "bench/model/run.hpp"
#include "bench/report/style.hpp"

namespace tare {

std::string doctor_report(const std::vector<Finding>& findings, const ReportOptions& options = {});

}  // namespace tare
