// Counts of values in equal bins between low and high, and how many lay outside. Made by the analysis, drawn
// by the report.
#pragma once

#include <cstddef>
#include <vector>

namespace tare {

struct Histogram {
  double low = 0;
  double high = 0;
  std::vector<std::size_t> counts;
  std::size_t below = 0;
  std::size_t above = 0;

  bool operator==(const Histogram&) const = default;
};

}  // namespace tare
