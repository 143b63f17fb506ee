// The report's content as JSON: what the page embeds and `--format json` writes (docs/report.md). Numbers
// have six significant digits, what is undefined or empty is absent, and samples are thinned: the store keeps
// all.
#pragma once

#include "bench/report/content.hpp"
#include "bench/support/json.hpp"

namespace tare {

Json report_json(const ReportContent& content);

}  // namespace tare
