// What a chart shows of one metric's samples: few enough to draw, in the order they were taken, each with its
// mark; and the distribution of all of them, so that thinning hides no shape.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "bench/model/histogram.hpp"

namespace tare {

struct ThinnedSamples {
  std::size_t taken = 0;                 ///< samples in all
  std::size_t every = 1;                 ///< each so-manieth of a process is here; 0: none
  std::vector<double> values;            ///< per iteration, the overhead taken off
  std::vector<std::uint32_t> processes;  ///< beside the values
  std::string marks;    ///< beside the values: '.' steady, 'w' warm-up, 'o' mild and 'x' severe outlier
  Histogram histogram;  ///< of all samples after the warm-up

  bool operator==(const ThinnedSamples&) const = default;
};

}  // namespace tare
