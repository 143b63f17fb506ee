// What is measured of one benchmark, gathered into its result as it arrives, process by process.
#pragma once

#include <string>
#include <vector>

#include "bench/measure/worker.hpp"
#include "bench/model/benchmark.hpp"

namespace tare {

class Gathering {
 public:
  explicit Gathering(const Listed& listed);

  void describe(const Preparation& prepared);
  void add_cold(std::size_t process, std::uint64_t iterations, double total_ns);
  void add_reading(const Preparation& prepared, std::size_t process, std::uint64_t iterations,
                   const Reading& reading);
  void add_metrics(const std::vector<Metric>& metrics, std::size_t process);
  void add_check(const Checked& passed);

  /// What there is so far; metrics are in the order they came.
  BenchmarkResult& result() { return result_; }
  /// Complete and in order.
  BenchmarkResult finish();
  /// A time must not survive a failure: not even one from an earlier process.
  BenchmarkResult fail(const Failure& failure);

 private:
  Metric& time_metric(const std::string& name);
  Metric* find(const std::string& name);

  BenchmarkResult result_;
  Overhead overhead_;
  std::optional<double> error_;
};

/// All phases of a reading together.
double total_ns(const Reading& reading);

}  // namespace tare
