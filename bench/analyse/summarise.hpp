// From raw samples to a Summary.
//
// Per process the warm-up is found and left out. The headline is the mean of the process medians with a t
// interval over the processes: samples inside one process share one memory placement, so that only processes
// repeat the experiment. The mean over all samples has a t interval over process means; the median over all
// samples has ranks as wide as the effective number of samples demands (dependence within, clustering between
// processes). With one process the headline is its median with the dependence-corrected order-statistic
// interval, and the summary says so (Doubt::one_process). The overhead's standard error widens every
// interval.
//
// An exact metric has its common value as point and a degenerate interval; when values differ the point is
// their median, the interval their range, and Doubt::changed_count tells.
//
// What is not clearly above the harness's own cost gets Doubt::below_resolution and no location at all: no
// time, mean, median or quantile. A metric without samples or marked unavailable has an empty summary.
//
// Coverage of the nominal 95 %, simulated in headline_coverage_test.cpp on normal process levels:
//
// - Headline and mean, 5 processes of 20 samples, any share between processes: 95 to 96 %.
// - Median over all samples, the same: 95 to 99 %, wide when samples depend on each other.
// - Headline of one process, 50 samples: 95 % for the one memory placement it had.
// - Stopping at the first of 5 … 10 processes that is precise_enough: 93 % at worst (a precision that takes
// about
//   nine processes), 95 % when five suffice or ten do not.
#pragma once

#include "bench/model/benchmark.hpp"

namespace tare {

Summary summarise(const Metric& metric);

/// Fills the summary of every metric.
void summarise(BenchmarkResult& result);

/// Whether the headline's interval reaches at most `precision` (a fraction, 0.01 is 1 %) to either side of
/// its point. Never without an interval; always for an exact metric that did not change.
bool precise_enough(const Summary& summary, double precision);

}  // namespace tare
