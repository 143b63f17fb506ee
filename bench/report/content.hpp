// Everything a report page shows, gathered before anybody decides how it looks. The HTML page, its embedded
// JSON (docs/report.md) and the Markdown are made from it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bench/model/breakdown.hpp"
#include "bench/model/comparison.hpp"
#include "bench/model/growth.hpp"
#include "bench/model/pareto.hpp"
#include "bench/model/pivot.hpp"
#include "bench/model/run.hpp"
#include "bench/model/thinned.hpp"

namespace tare {

/// One way to look at engines on workloads: what a cell tells.
struct EngineTable {
  std::string title;    ///< "total time", "gradient ÷ primal"
  bool ratios = false;  ///< cells tell the ratio to the base instead of the value
  PivotTable table;
};

struct ReportContent {
  std::string title;
  std::int64_t written_unix_ms = 0;
  std::string version;                               ///< of tare
  std::vector<Run> runs;                             ///< summarised
  std::vector<std::vector<ThinnedSamples>> samples;  ///< of "time", beside the runs' results
  std::optional<Comparison> comparison;
  std::vector<GrowthFinding> growth;
  std::vector<EngineTable> engines;
  std::vector<Breakdown> breakdowns;
  std::optional<ParetoFront> pareto;
};

}  // namespace tare
