// Where the steady part of one process's samples begins, and whether there is one.
//
// Method, after Barrett et al., "Virtual machine warmup blows hot and cold" (2017): take spikes off, describe
// the series, read the class off the description. A spike is a value far from the medians of the three
// samples before it and after it. The candidates are piecewise constant levels (dynamic programming, at most
// six, three samples or more each), a straight line, and an exponential decay; penalised likelihood decides
// between them. Each has AR(1) errors of its own, so that wandering noise is not taken for a change.
//
// - flat: no change, or only a short burst that ends where it began.
// - warming: a decay, or levels of which the last is the fastest and holds a quarter of the samples or more.
// - slowing: the levels or the line rise.
// - no_steady_state: anything else, a series still falling at its end included.
//
// A change of less than 0.5 % of the median is no change.
//
// By simulation (detection_test.cpp; noise of 2 %, changes of 20 %, 20 to 200 samples) at least 95 % of the
// series are classed rightly, whether the noise is normal, log-normal, AR(1) with φ = 0.6 or has 5 % of
// spikes. Short of that: 20 samples of a drift in AR(1) noise (92 %), four levels in 20 or 30 samples with
// spikes (85, 93 %). Smaller changes need more samples: four levels 12 % apart are found in half of the
// series of 20, in all of 50.
//
// Limits: one or two slow samples at the start are outliers to this method (the first call is reported
// apart); fewer than 10 samples are always flat, and fewer than 20 are classed with caution: changes are
// often missed. A random walk is not told from several levels.
#pragma once

#include <cstddef>

#include "bench/analyse/estimators.hpp"
#include "bench/model/summary.hpp"

namespace tare {

struct WarmUp {
  Steadiness steadiness = Steadiness::flat;
  std::size_t begin = 0;  ///< first sample of the steady part; 0 unless warming

  bool operator==(const WarmUp&) const = default;
};

/// Of values of which a smaller one is faster, in the order they were taken.
WarmUp find_warm_up(Values series);

}  // namespace tare
