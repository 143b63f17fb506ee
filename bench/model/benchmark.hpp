// One benchmark's identity and everything measured of it in one run.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bench/model/metric.hpp"
#include "bench/model/workload.hpp"

namespace tare {

using Parameters = std::vector<std::pair<std::string, std::string>>;  ///< in the order of registration
using Tags = std::map<std::string, std::string>;

struct BenchmarkId {
  std::string name;
  Parameters parameters;

  bool operator==(const BenchmarkId&) const = default;
  /// "sort/doubles/n=1024": what filters match and tables show.
  [[nodiscard]] std::string full() const;
};

/// Per iteration; zero means not stated.
struct Throughput {
  double items = 0;
  double bytes = 0;
  double flops = 0;

  bool operator==(const Throughput&) const = default;
};

enum class Outcome {
  ok,
  skipped,       ///< by the benchmark itself, with a reason
  failed,        ///< an exception, or the body was never measured
  check_failed,  ///< the answer was wrong: no time is given
  crashed,       ///< the worker ended by a signal or exit
  timed_out,
  cancelled,  ///< by the user, before it was finished
};

struct BenchmarkResult {
  BenchmarkId id;
  std::string binary;  ///< path of the binary it came from
  std::string label;
  Tags tags;
  Workload workload;
  Throughput throughput;
  Outcome outcome = Outcome::ok;
  std::string message;            ///< why, when the outcome is not ok
  bool checked = false;           ///< a correctness check rode along and passed before and after timing
  std::optional<double> cold_ns;  ///< the very first call, in the first process
  std::vector<Metric> metrics;
  std::vector<Warning> warnings;
  std::string reproduce;  ///< the command that measures just this again

  bool operator==(const BenchmarkResult&) const = default;
  [[nodiscard]] const Metric* metric(std::string_view name) const;
  /// The metric where it was measured and has a value.
  [[nodiscard]] const Metric* usable(std::string_view name) const;
};

const char* name_of(Outcome outcome);

}  // namespace tare
