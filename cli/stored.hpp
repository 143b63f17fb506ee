// Opening the store and finding things in it: what the commands that read it, or change it, share.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

#include "bench/compare/compare.hpp"
#include "bench/compare/process_values.hpp"
#include "bench/store/store.hpp"

namespace tare::cli {

void add_store_option(CLI::App& app, std::string& path);
/// The default store when the path is empty. The Error says how to make one when there is none yet.
Result<Store> open_store(const std::string& path, Store::Mode mode = Store::Mode::read_only);

/// The benchmark of this full name, or else all whose name contains it: nobody types a whole path.
std::vector<BenchmarkResult> benchmarks_named(const Run& run, const std::string& name);

/// Only the results whose full name matches; an empty expression keeps all. An Error when none is left.
Status keep_matching(Run& run, const std::string& expression);

/// Two stored runs with their comparison: as it was measured live when they were and nothing is left out,
/// otherwise made now.
struct StoredComparison {
  Run before;  ///< summarised, as is the other
  Run after;
  Comparison comparison;
};
/// `chosen` may leave benchmarks out; nullptr keeps all.
Result<StoredComparison> compare_stored(Store& store, const std::string& before, const std::string& after,
                                        const CompareOptions& options,
                                        const std::function<bool(const BenchmarkResult&)>& chosen);

/// One metric of one benchmark of a stored run, process by process.
struct StoredValues {
  std::int64_t run = 0;
  std::string benchmark;
  std::string unit;
  std::vector<ProcessValue> values;  ///< at least one

  [[nodiscard]] std::vector<double> logs() const;
};
Result<StoredValues> stored_values(Store& store, const std::string& run, const std::string& benchmark,
                                   const std::string& metric);

}  // namespace tare::cli
