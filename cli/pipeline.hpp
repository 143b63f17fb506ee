// The pipeline define → measure → analyse → store, as every command that measures runs it.
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "bench/measure/runner.hpp"
#include "bench/model/roofs.hpp"
#include "bench/model/run.hpp"

namespace tare::cli {

/// What to measure of which binaries.
struct Selection {
  std::vector<std::string> binaries;
  std::string filter;                                           ///< regular expression found in the full name
  std::vector<std::pair<std::string, std::string>> parameters;  ///< each key=value must be there
  std::vector<std::pair<std::string, std::string>> tags;
};

struct Selected {
  std::size_t binary = 0;  ///< index into Catalogue::binaries
  Listed listed;
};

struct Catalogue {
  std::vector<Binary> binaries;
  std::vector<Selected> benchmarks;
  std::size_t offered = 0;  ///< before filtering
};

/// How to start a worker of a binary.
using Starter = std::function<Answer<Worker>(const std::string& binary, Instant deadline)>;
/// A fresh process with a placement of its own.
Starter process_starter(const Plan& plan, const std::atomic<bool>* cancelled);

/// Asks every binary for its benchmarks. An Error when one cannot be asked, or when nothing matches.
Result<Catalogue> choose(const Selection& selection, const Starter& start);
/// Whether one benchmark is selected. An Error for a bad regular expression.
Result<std::function<bool(const Listed&)>> matcher(const Selection& selection);

struct Precision {
  double wanted = 0.01;
};

struct PipelineHooks {
  /// Before each benchmark's samples and while they are taken.
  std::function<void(std::size_t index, const Progress&)> progress;
  /// This machine's roofs, asked for at the first benchmark that has a share of them; without it none is
  /// given.
  std::function<MachineRoofs()> roofs;
  /// A finished and analysed result.
  std::function<void(const BenchmarkResult&)> finished;
};

/// Measures and analyses all of them in order; those that differ in the parameter `in_turns` alone take
/// turns, process by process. A cancelled run ends after the benchmarks under way.
std::vector<BenchmarkResult> measure_all(const Catalogue& catalogue, const Plan& plan,
                                         const Precision& precision, const Starter& start,
                                         const PipelineHooks& hooks, const std::atomic<bool>* cancelled,
                                         const std::string& in_turns = "");

/// 0, or 2 when a benchmark has no result although it should.
int exit_code_of(const std::vector<BenchmarkResult>& results);

/// The run's own facts: machine, commit, command, time. The binaries and results are added by the caller.
Run describe_run(const std::vector<std::string>& arguments, const Plan& plan);

}  // namespace tare::cli
