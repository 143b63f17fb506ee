// The report for a pull request: what changed or failed in sight, the rest folded away, short enough for a
// comment on GitHub.
#pragma once

#include <string>

#include "bench/report/content.hpp"

namespace tare {

std::string report_markdown(const ReportContent& content);

}  // namespace tare
