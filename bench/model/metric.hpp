// A metric of one benchmark: its raw samples, what the harness itself cost, and what the analysis made of
// them.
#pragma once

#include <string>
#include <vector>

#include "bench/model/sample.hpp"
#include "bench/model/summary.hpp"

namespace tare {

enum class Better { less, more, neither };
/// Exact metrics are compared exactly: allocations, instructions, bytes. A share is successes of trials, such
/// as accuracy: a sample's iterations are its trials. It is as exact on the same trials, but has an interval
/// for what others would give.
enum class Nature { noisy, exact, share };

/// The harness's own cost in every sample, with standard errors; both in the metric's unit.
struct Overhead {
  double fixed = 0;
  double fixed_error = 0;
  double per_iteration = 0;
  double per_iteration_error = 0;

  bool operator==(const Overhead&) const = default;
};

struct Metric {
  std::string name;  ///< "time", "time/backward", "allocations", "peak_bytes", or a user's counter
  std::string unit;  ///< "ns", "B", "1", "J", …: of one iteration
  Better better = Better::less;
  Nature nature = Nature::noisy;
  std::string origin =
      "measured";  ///< or "estimated (model)" or "unavailable (why)": always shown for energy
  Overhead overhead;
  std::vector<Sample> samples;
  Summary summary;

  bool operator==(const Metric&) const = default;
  [[nodiscard]] bool available() const { return !origin.starts_with("unavailable"); }
  /// Per iteration, overhead taken off. May be ≤ 0 for a body below the harness's own cost: the caller must
  /// look.
  [[nodiscard]] double value(const Sample& sample) const {
    const auto n = static_cast<double>(sample.iterations);
    return (sample.total - overhead.fixed) / n - overhead.per_iteration;
  }
};

const char* name_of(Better better);
const char* name_of(Nature nature);

}  // namespace tare
