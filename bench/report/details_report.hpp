// Everything known about one benchmark of a run: what it computed, where, every statistic of every metric
// with the method behind it, what could not be measured and why, all doubts, and how to measure it again.
#pragma once

#include <map>
#include <string>

#include "bench/model/histogram.hpp"
#include "bench/model/run.hpp"
#include "bench/report/style.hpp"

namespace tare {

/// histograms: of the per-iteration values, by the metric's name; metrics without one are shown without a
/// chart.
std::string details_report(const Run& run, const BenchmarkResult& result,
                           const std::map<std::string, Histogram>& histograms,
                           const ReportOptions& options = {});

}  // namespace tare
