#include "cli/stored.hpp"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <regex>

#include "bench/analyse/summarise.hpp"
#include "bench/support/text.hpp"

namespace tare::cli {
namespace {

constexpr std::size_t most_named = 4;

/// "a, b, c and 3 more".
std::string some_of(const std::vector<std::string>& names) {
  std::vector<std::string> shown;
  for (std::size_t i = 0; i < std::min(names.size(), most_named); ++i) shown.push_back(printable(names[i]));
  const auto more = names.size() - shown.size();
  return join(shown, ", ") + (more > 0 ? fmt::format(" and {} more", more) : "");
}

Result<BenchmarkResult> only_benchmark(const Run& run, const std::string& name) {
  auto found = benchmarks_named(run, name);
  if (found.size() == 1) return std::move(found.front());
  if (found.empty())
    return fail(fmt::format("run {} has no benchmark named '{}'; 'tare show {}' lists its {}", run.id,
                            printable(name), run.id, run.results.size()));
  std::vector<std::string> names;
  for (const auto& result : found) names.push_back(result.id.full());
  return fail(fmt::format("'{}' matches {} benchmarks of run {}: {}; name one", printable(name), found.size(),
                          run.id, some_of(names)));
}

Result<Run> stored_side(Store& store, const std::string& name) {
  auto id = store.resolve_run(name);
  if (!id) {
    return fail(
        fmt::format("{}; '{}' is neither a file nor a stored run (see 'tare runs', 'tare baseline list')",
                    id.error().message, printable(name)));
  }
  auto run = store.load_run(*id);
  if (run)
    for (auto& result : run->results) summarise(result);
  return run;
}

}  // namespace

void add_store_option(CLI::App& app, std::string& path) {
  app.add_option("--store", path, "The results database, instead of .tare/results.db")->type_name("PATH");
}

Result<Store> open_store(const std::string& path, Store::Mode mode) {
  std::error_code problem;
  const auto chosen =
      path.empty() ? default_store_path(std::filesystem::current_path(problem).string()) : path;
  if (path.empty() && !std::filesystem::exists(chosen, problem)) {
    return fail(fmt::format("there is no store yet ({}); 'tare run BINARY' makes one", chosen));
  }
  return Store::open(chosen, mode);
}

std::vector<BenchmarkResult> benchmarks_named(const Run& run, const std::string& name) {
  std::vector<BenchmarkResult> found;
  for (const auto& result : run.results) {
    const auto full = result.id.full();
    if (full == name) return {result};
    if (full.find(name) != std::string::npos) found.push_back(result);
  }
  return found;
}

Status keep_matching(Run& run, const std::string& expression) {
  try {
    const std::regex filter(expression);
    std::erase_if(run.results, [&](const BenchmarkResult& result) {
      return !std::regex_search(result.id.full(), filter);
    });
  } catch (const std::regex_error& problem) {
    return fail(
        fmt::format("--filter '{}' is no regular expression: {}", printable(expression), problem.what()));
  }
  if (!run.results.empty()) return ok();
  return fail(fmt::format("no benchmark of run {} matches '{}'", run.id, printable(expression)));
}

Result<StoredComparison> compare_stored(Store& store, const std::string& before, const std::string& after,
                                        const CompareOptions& options,
                                        const std::function<bool(const BenchmarkResult&)>& chosen) {
  auto first = stored_side(store, before);
  if (!first) return std::move(first).error();
  auto second = stored_side(store, after);
  if (!second) return std::move(second).error();
  StoredComparison all{std::move(*first), std::move(*second), {}};
  // Sides that were measured together are best compared as they were: interleaved.
  if (!chosen) {
    auto live = store.find_comparison(all.before.id, all.after.id);
    if (!live) return std::move(live).error();
    if (*live) {
      all.comparison = std::move(**live);
      conclude(all.comparison, options);
      return all;
    }
  }
  for (auto* run : {&all.before, &all.after}) {
    if (chosen) std::erase_if(run->results, [&](const BenchmarkResult& result) { return !chosen(result); });
  }
  all.comparison = compare_runs(all.before, all.after, options);
  all.comparison.before.name = before;
  all.comparison.after.name = after;
  if (all.comparison.benchmarks.empty()) {
    return fail(fmt::format("{} and {} have no benchmark in common; 'tare show RUN' lists them",
                            printable(before), printable(after)));
  }
  return all;
}

std::vector<double> StoredValues::logs() const {
  std::vector<double> all;
  for (const auto& value : values) all.push_back(value.best_log);
  return all;
}

Result<StoredValues> stored_values(Store& store, const std::string& run, const std::string& benchmark,
                                   const std::string& metric) {
  auto id = store.resolve_run(run);
  if (!id) return std::move(id).error();
  auto loaded = store.load_run(*id);
  if (!loaded) return std::move(loaded).error();
  auto result = only_benchmark(*loaded, benchmark);
  if (!result) return std::move(result).error();
  const auto name = printable(result->id.full());
  const auto* found = result->metric(metric);
  if (found == nullptr) {
    std::vector<std::string> names;
    for (const auto& one : result->metrics) names.push_back(one.name);
    return fail(fmt::format("{} of run {} has no metric '{}'; {}", name, *id, printable(metric),
                            names.empty() ? fmt::format("its outcome is {}", name_of(result->outcome))
                                          : "it has " + some_of(names)));
  }
  StoredValues stored{*id, result->id.full(), found->unit, process_values(*found)};
  if (stored.values.empty())
    return fail(fmt::format("{} of {} in run {} has no values above zero", printable(metric), name, *id));
  return stored;
}

}  // namespace tare::cli
