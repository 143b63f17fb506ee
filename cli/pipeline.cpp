#include "cli/pipeline.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fmt/format.h>
#include <random>
#include <regex>

#include "bench/analyse/summarise.hpp"
#include "bench/measure/instruction_pass.hpp"
#include "bench/measure/machine/environment.hpp"
#include "bench/support/hash.hpp"
#include "bench/support/text.hpp"

namespace tare::cli {
namespace {

bool has_all(const std::vector<std::pair<std::string, std::string>>& wanted, const auto& pairs) {
  return std::all_of(wanted.begin(), wanted.end(), [&](const auto& pair) {
    return std::any_of(pairs.begin(), pairs.end(), [&](const auto& known) {
      return known.first == pair.first && known.second == pair.second;
    });
  });
}

std::string reproduce_command(const Binary& binary, const BenchmarkResult& result, const Plan& plan) {
  std::string pattern;
  for (const char c : result.id.full()) {
    if (std::string_view("\\^$.|?*+()[]{}").find(c) != std::string_view::npos) pattern += '\\';
    pattern += c;
  }
  return fmt::format("tare run {} --filter {} --seed {}", shell_quote(binary.path),
                     shell_quote("^" + pattern + "$"), plan.seed);
}

}  // namespace

Starter process_starter(const Plan& plan, const std::atomic<bool>* cancelled) {
  return [cpu = plan.cpu, cancelled, random = std::mt19937_64(std::random_device{}())](
             const std::string& binary, Instant deadline) mutable {
    return Worker::start({{binary}, Placement::draw(random()), cpu, {}}, deadline, cancelled);
  };
}

Result<std::function<bool(const Listed&)>> matcher(const Selection& selection) {
  try {
    return std::function<bool(const Listed&)>(
        [expression = std::regex(selection.filter), selection](const Listed& listed) {
          return std::regex_search(listed.id.full(), expression) &&
                 has_all(selection.parameters, listed.id.parameters) && has_all(selection.tags, listed.tags);
        });
  } catch (const std::regex_error& problem) {
    return fail(fmt::format("--filter '{}' is not a regular expression: {}", printable(selection.filter),
                            problem.what()));
  }
}

Result<Catalogue> choose(const Selection& selection, const Starter& start) {
  auto matches = matcher(selection);
  if (!matches) return std::move(matches).error();
  Catalogue catalogue;
  for (const auto& path : selection.binaries) {
    Binary binary{path, "", {}};
    std::error_code problem;
    if (std::filesystem::is_directory(path, problem))
      return fail(fmt::format("{} is a directory; name the program in it", path));
    auto listed = list_benchmarks([&](Instant deadline) { return start(path, deadline); }, &binary.build);
    if (!listed) return fail(listed.error().message);
    auto hash = hash_file(path);
    if (!hash) return std::move(hash).error();
    binary.hash = *hash;
    catalogue.offered += listed->size();
    for (auto& entry : *listed) {
      if ((*matches)(entry)) catalogue.benchmarks.push_back({catalogue.binaries.size(), std::move(entry)});
    }
    catalogue.binaries.push_back(std::move(binary));
  }
  if (catalogue.offered == 0) {
    return fail(fmt::format("{} has no benchmark; register some with TARE_BENCHMARK",
                            join(selection.binaries, ", ")));
  }
  if (catalogue.benchmarks.empty()) {
    return fail(fmt::format("none of the {} benchmarks matches; 'tare list {}' shows them", catalogue.offered,
                            join(selection.binaries, " ")));
  }
  return catalogue;
}

std::vector<BenchmarkResult> measure_all(const Catalogue& catalogue, const Plan& plan,
                                         const Precision& precision, const Starter& start,
                                         const PipelineHooks& hooks, const std::atomic<bool>* cancelled) {
  std::vector<BenchmarkResult> results;
  for (std::size_t i = 0; i < catalogue.benchmarks.size(); ++i) {
    if (cancelled != nullptr && *cancelled) break;
    const auto& [binary_index, listed] = catalogue.benchmarks[i];
    const auto& binary = catalogue.binaries[binary_index];
    Hooks inner;
    inner.precise = [&](BenchmarkResult& result) {
      summarise(result);
      const auto* time = result.metric("time");
      return time != nullptr && precise_enough(time->summary, precision.wanted);
    };
    if (hooks.progress) inner.progress = [&](const Progress& progress) { hooks.progress(i, progress); };
    if (inner.progress) inner.progress({});
    auto result = measure_benchmark(
        listed, plan, [&](Instant deadline) { return start(binary.path, deadline); }, inner);
    result.binary = binary.path;
    if (result.outcome == Outcome::ok &&
        std::find(plan.meters.begin(), plan.meters.end(), "instructions") != plan.meters.end()) {
      result.metrics.push_back(count_instructions_of(binary.path, listed.id, plan, cancelled));
    }
    summarise(result);
    if (const auto* time = result.metric("time")) {
      const auto reached = time->summary.time ? time->summary.time->relative_half_width() : std::nullopt;
      if (reached && *reached > precision.wanted) {
        result.warnings.push_back(
            {Doubt::imprecise, fmt::format("±{} reached, ±{} wanted: raise --budget",
                                           format_percent(*reached), format_percent(precision.wanted))});
      }
    }
    if (binary.build.type == "debug") {
      result.warnings.push_back(
          {Doubt::debug_build,
           "compiled without optimisation: its times say little; build it with -O2 or -O3"});
    }
    result.reproduce = reproduce_command(binary, result, plan);
    if (hooks.finished) hooks.finished(result);
    results.push_back(std::move(result));
  }
  return results;
}

int exit_code_of(const std::vector<BenchmarkResult>& results) {
  const bool good = std::all_of(results.begin(), results.end(), [](const BenchmarkResult& r) {
    return r.outcome == Outcome::ok || r.outcome == Outcome::skipped;
  });
  return good ? 0 : 2;
}

Run describe_run(const std::vector<std::string>& arguments, const Plan& plan) {
  Run run;
  run.started_unix_ms = std::chrono::duration_cast<std::chrono::milliseconds>(
                            std::chrono::system_clock::now().time_since_epoch())
                            .count();
  std::vector<std::string> quoted;
  for (const auto& argument : arguments) quoted.push_back(shell_quote(argument));
  run.command = join(quoted, " ");
  std::error_code problem;
  run.directory = std::filesystem::current_path(problem).string();
  run.commit = git_commit(run.directory.empty() ? "." : run.directory);
  run.seed = plan.seed;
  run.machine = observe_machine();
  return run;
}

}  // namespace tare::cli
