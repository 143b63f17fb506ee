// Energy of a pass: read where the machine tells it, estimated where the user gave a figure, absent
// otherwise.
//
// Method: Linux's powercap interface to RAPL (Intel, and AMD from Zen on). The package domains are added up,
// nothing else: core and uncore are parts of a package, and psys contains the packages, so adding them would
// count energy twice. A counter that wrapped once during the pass is corrected with its stated range. If any
// package cannot be read (it needs root since Linux 5.10), nothing is called measured. The estimate is
// CPU seconds × watts per core, with the watts from the user (--watts-per-core): a model, and labelled so.
//
// Limits: a package is the whole chip, other processes included; memory and board are not in it. The counter
// is refreshed about every millisecond, so a pass should last a second or more, and less than one range
// (at 200 W usually over 20 minutes): more than one wrap cannot be seen.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bench/measure/meters/descriptor.hpp"

namespace tare {

class EnergyMeter {
 public:
  /// `powercap` is the folder of the domains. Throws std::invalid_argument for watts that are not positive.
  static EnergyMeter open(std::optional<double> watts_per_core = std::nullopt,
                          const std::string& powercap = "/sys/class/powercap");

  [[nodiscard]] bool measured() const { return !packages_.empty(); }
  [[nodiscard]] bool available() const { return measured() || watts_per_core_.has_value(); }
  /// For Metric::origin: "measured", "estimated (cpu time × 5 W per core)" or "unavailable (why)".
  [[nodiscard]] const std::string& origin() const { return origin_; }

  void start() noexcept;
  /// Joules since start(); empty when unavailable or when a counter could not be read.
  std::optional<double> stop() noexcept;

 private:
  struct Package {
    Descriptor energy;
    std::uint64_t range_uj = 0;
    std::optional<std::uint64_t> before_uj;
  };
  std::vector<Package> packages_;
  std::optional<double> watts_per_core_;
  std::int64_t cpu_before_ns_ = 0;
  std::string origin_;
};

/// Microjoules between two readings of a counter that starts again from 0 after `range`.
/// Empty when it went backwards and the range is unknown or smaller than the first reading.
std::optional<std::uint64_t> energy_between(std::uint64_t before, std::uint64_t after,
                                            std::uint64_t range) noexcept;

}  // namespace tare
