// A pivot table and the claims tested on a run, for a terminal, for GitHub and as JSON. In text and Markdown
// a cell is the ratio to the row's base, with ± half its interval; the base's own cell is its value.
#pragma once

#include <string>
#include <vector>

#include "bench/model/pivot.hpp"
#include "bench/report/style.hpp"

namespace tare {

/// Where the width does not suffice, intervals are left out first, then the columns go into several blocks.
std::string pivot_text(const PivotTable& table, const ReportOptions& options = {});
std::string pivot_markdown(const PivotTable& table);
std::string hypotheses_text(const std::vector<HypothesisFinding>& findings,
                            const ReportOptions& options = {});
std::string hypotheses_markdown(const std::vector<HypothesisFinding>& findings);
/// {"table": …, "hypotheses": […]}
std::string pivot_json(const PivotTable& table, const std::vector<HypothesisFinding>& findings);

}  // namespace tare
