// A comparison for a terminal: one verdict line per benchmark, its phases and changed metrics beneath it.
// When the width does not suffice, columns are given up: the share between processes first, then the times,
// then how it was measured.
#pragma once

#include <string>

#include "bench/model/comparison.hpp"
#include "bench/report/style.hpp"

namespace tare {

std::string comparison_report(const Comparison& comparison, const ReportOptions& options = {});

}  // namespace tare
