// What proving a comparison on one machine found: how often identical sides were called different, and how
// often a known slowdown was found.
#pragma once

#include <string>
#include <vector>

#include "bench/model/run.hpp"

namespace tare {

struct CalibrationRow {
  std::string scenario;  ///< "identical, chain", "+1 %, chain", …
  std::string tool;      ///< "tare", or the peer
  std::size_t comparisons = 0;
  std::size_t found = 0;  ///< called different
  Estimate share;         ///< of the comparisons
  double budget_seconds = 0;
  std::optional<double> typical_seconds;  ///< median wall time of a comparison
  std::optional<double> typical_pairs;    ///< median number of pairs of processes, of tare's own
  std::string goal;                       ///< "5 %", "≥ 95 %": what the share should be; may be empty

  bool operator==(const CalibrationRow&) const = default;
};

struct Calibration {
  Machine machine;
  int load = 0;  ///< busy processes that ran meanwhile
  std::vector<CalibrationRow> rows;

  bool operator==(const Calibration&) const = default;
};

}  // namespace tare
