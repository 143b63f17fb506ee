// The table of a run for a terminal: one row per benchmark, its phases beneath it, doubts as footnotes.
#pragma once

#include <string>

#include "bench/model/run.hpp"
#include "bench/report/style.hpp"

namespace tare {

std::string text_report(const Run& run, const ReportOptions& options = {});
/// Where, with what and when: the lines above the table and an empty one. Unknown fields are left out.
std::string run_header(const Run& run, const ReportOptions& options = {});

}  // namespace tare
