// Comparisons whose truth is known, run through the same code as every other comparison: identical sides, and
// sides of which one does a stated share more.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "bench/model/calibration.hpp"
#include "bench/support/result.hpp"

namespace tare::cli {

struct Scenario {
  std::string body = "chain";  ///< "chain", "stream" or "allocate"
  double slowdown =
      0;  ///< of the after side: 0, 0.0025, 0.005, 0.01 or 0.03; for "allocate": one more allocation
  std::size_t comparisons = 100;
  std::size_t suite = 1;  ///< benchmarks that are compared and corrected together
  std::chrono::nanoseconds budget = std::chrono::seconds(1);  ///< for each benchmark

  [[nodiscard]] std::string name() const;
};

using Tick = std::function<void(std::size_t done, std::size_t found)>;

/// By tare itself.
Result<CalibrationRow> calibrate(const Scenario& scenario, const Tick& tick,
                                 const std::atomic<bool>& cancelled);

/// By Google Benchmark with the same wall time for both sides together: nine repetitions of each side, one
/// side after the other, and the Mann-Whitney test at 5 % that its compare script makes; of real and of CPU
/// time.
Result<std::vector<CalibrationRow>> calibrate_google(const Scenario& scenario, const Tick& tick,
                                                     const std::atomic<bool>& cancelled);

/// Processes that keep the CPUs busy as long as this lives.
class BusyLoad {
 public:
  explicit BusyLoad(int processes);
  ~BusyLoad();
  BusyLoad(const BusyLoad&) = delete;
  BusyLoad& operator=(const BusyLoad&) = delete;

 private:
  std::vector<int> pids_;
};

}  // namespace tare::cli
