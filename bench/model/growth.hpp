// How a benchmark's time grows along one of its parameters: what the analysis found and the report shows.
#pragma once

#include <string>
#include <vector>

#include "bench/model/summary.hpp"

namespace tare {

struct GrowthPoint {
  double n = 0;
  Estimate time;

  bool operator==(const GrowthPoint&) const = default;
};

struct GrowthFinding {
  std::string benchmark;  ///< name and the parameters that stayed the same: "sort/doubles/kind=a"
  std::string parameter;  ///< the one that varied
  double first = 0;       ///< its smallest and largest value
  double last = 0;
  Estimate exponent;                     ///< k of c · nᵏ
  std::string closest;                   ///< "n log n": the best of the usual suspects
  double residual = 0;                   ///< of that one, root mean square, relative
  double factor = 0;                     ///< c of c · nᵏ, in ns
  std::vector<GrowthPoint> points = {};  ///< what was fitted, by n

  bool operator==(const GrowthFinding&) const = default;
};

}  // namespace tare
