// Where results are kept while they are measured: --store, --no-store, --wait, --note, and what to say when
// the store fails half-way. A failing store never stops the measuring.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "bench/store/store.hpp"

namespace tare::cli {

struct KeepingOptions {
  std::string store;
  std::string wait = "30s";
  std::vector<std::string> notes;
  bool none = false;

  void add_to(CLI::App& app);
  [[nodiscard]] Result<Tags> tags() const;
  /// The default store of the directory when no path is given.
  [[nodiscard]] std::string path(const std::string& directory) const;
};

/// The store of one command that measures; a problem is told once, and nothing more is written from then on.
class Keeper {
 public:
  /// Without a store when the options say so.
  static Result<Keeper> open(const KeepingOptions& options, const std::string& directory);

  /// Gives the run its id.
  Status begin(Run& run);
  void add(const Run& run, const BenchmarkResult& result);
  void finish(const Run& run);
  /// For what else belongs to the runs; nullptr when nothing is kept any more.
  Store* store() { return store_ && !problem_ ? &*store_ : nullptr; }
  void trouble(const Error& error);

  [[nodiscard]] bool keeps() const { return store_ && !problem_; }
  [[nodiscard]] bool failed() const { return problem_; }

 private:
  std::optional<Store> store_;
  bool problem_ = false;
};

}  // namespace tare::cli
