// The list of stored runs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/model/benchmark.hpp"
#include "bench/report/style.hpp"

namespace tare {

struct RunInfo {
  std::int64_t id = 0;
  std::int64_t started_unix_ms = 0;
  std::string commit;
  std::size_t benchmarks = 0;
  std::size_t failed = 0;
  Tags tags;
  std::string fingerprint;  ///< of the machine
  std::string command;
};

/// In the order given. The command takes the room that is left.
std::string runs_report(const std::vector<RunInfo>& runs, const ReportOptions& options = {});

}  // namespace tare
