// A calibration for a terminal, for a document, and for programs.
#pragma once

#include <string>

#include "bench/model/calibration.hpp"
#include "bench/report/style.hpp"

namespace tare {

std::string calibration_report(const Calibration& calibration, const ReportOptions& options = {});
std::string calibration_markdown(const Calibration& calibration);
std::string calibration_json(const Calibration& calibration);

}  // namespace tare
