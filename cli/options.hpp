// Command-line options that several commands share, parsed with clear errors.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "bench/measure/plan.hpp"
#include "cli/pipeline.hpp"

namespace tare::cli {

/// --filter, --param, --tag.
struct SelectionOptions {
  std::string filter;
  std::vector<std::string> parameters;
  std::vector<std::string> tags;

  void add_to(CLI::App& app);
  Result<Selection> selection(std::vector<std::string> binaries) const;
};

/// --budget, --precision, --processes, --samples, --time-limit, --meters, --watts-per-core, --seed, --pin.
struct PlanOptions {
  std::string budget = "3s";
  std::string precision = "1%";
  std::string time_limit = "60s";
  std::string meters = "allocations,cpu,memory";
  std::uint64_t seed = 1;
  std::size_t processes = 0;
  std::size_t samples = 0;
  int cpu = -1;
  double watts_per_core = 0;

  void add_to(CLI::App& app);
  /// Those that make sense for comparisons too: all but --precision, --samples and --watts-per-core. `wall`
  /// is what the option for the wall time is called.
  void add_common_to(CLI::App& app, const std::string& wall = "--budget");
  Result<Plan> plan() const;
  Result<Precision> wanted() const;
};

}  // namespace tare::cli
