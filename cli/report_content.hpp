// Gathers what a report shows from the store: runs, their analysis, a comparison, breakdowns, the machine.
#pragma once

#include <string>
#include <vector>

#include "bench/compare/compare.hpp"
#include "bench/compare/pareto.hpp"
#include "bench/report/content.hpp"
#include "bench/store/store.hpp"

namespace tare::cli {

struct ReportRequest {
  std::vector<std::string> runs;     ///< as resolve_run() takes them
  std::vector<std::string> compare;  ///< none, or two
  std::string title;                 ///< empty: made from the runs
  CompareOptions options;
  ParetoRequest pareto;  ///< without metrics: time, accuracy (or else the first metric of which more is
                         ///< better) and memory, where they are
};

/// An Error for a run that is not there, is empty, or in which nothing was measured.
Result<ReportContent> gather(Store& store, const ReportRequest& request);

}  // namespace tare::cli
