// The report's script and style, as they were bundled from web/ when this program was built.
#pragma once

#include "bench/report/html.hpp"

namespace tare::cli {

ReportAssets report_assets();

}  // namespace tare::cli
