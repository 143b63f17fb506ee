// A histogram as plain values: bins of equal width, and what lies beyond the last of them.
#pragma once

#include <cstddef>
#include <vector>

namespace tare {

struct Histogram {
  double low = 0;    ///< where the first bin begins
  double width = 0;  ///< of every bin; 0 when all values are equal and stand in one bin
  std::vector<std::size_t> counts;
  std::size_t below = 0;  ///< values left of the first bin
  std::size_t above = 0;  ///< values right of the last bin

  bool operator==(const Histogram&) const = default;
};

}  // namespace tare
