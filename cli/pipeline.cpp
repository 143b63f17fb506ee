#include "cli/pipeline.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fmt/format.h>
#include <map>
#include <random>
#include <regex>

#include "bench/analyse/summarise.hpp"
#include "bench/measure/instruction_pass.hpp"
#include "bench/measure/machine/doctor.hpp"
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

bool states_its_work(const BenchmarkResult& result) {
  return result.outcome == Outcome::ok && result.throughput.flops > 0 && result.throughput.bytes > 0 &&
         result.workload.dtype == "f32";
}

/// The share of what this machine could do, as a metric of its own.
void add_share_of_roof(BenchmarkResult& result, const MachineRoofs& roofs) {
  const auto share = share_of_roof(roofs, result);
  if (!share) return;
  result.metrics.push_back({"roof_share",
                            "1",
                            Better::more,
                            Nature::noisy,
                            "estimated (stated flops and bytes, measured roofs)",
                            {},
                            {{0, 1, *share, {}}},
                            {}});
  auto& metric = result.metrics.back();
  metric.summary = summarise(metric);
}

void add_warnings(BenchmarkResult& result, const Binary& binary, const Precision& precision) {
  if (const auto* time = result.metric("time")) {
    const auto reached = time->summary.time ? time->summary.time->relative_half_width() : std::nullopt;
    if (reached && *reached > precision.wanted) {
      result.warnings.push_back(
          {Doubt::imprecise, fmt::format("±{} reached, ±{} wanted: raise --budget", format_percent(*reached),
                                         format_percent(precision.wanted))});
    }
  }
  if (binary.build.type == "debug") {
    result.warnings.push_back(
        {Doubt::debug_build,
         "compiled without optimisation: its times say little; build it with -O2 or -O3"});
  }
}

/// Those that take turns stand together, where the first of them stands.
std::vector<std::vector<std::size_t>> groups_of(const Catalogue& catalogue, const std::string& in_turns) {
  std::vector<std::vector<std::size_t>> groups;
  std::map<std::string, std::size_t> known;
  for (std::size_t i = 0; i < catalogue.benchmarks.size(); ++i) {
    const auto& [binary, listed] = catalogue.benchmarks[i];
    auto id = listed.id;
    const bool takes_turns =
        std::erase_if(id.parameters, [&](const auto& parameter) { return parameter.first == in_turns; }) > 0;
    const auto [at, fresh] = takes_turns
                                 ? known.try_emplace(fmt::format("{} {}", binary, id.full()), groups.size())
                                 : std::pair(known.end(), true);
    if (fresh) groups.emplace_back();
    (takes_turns ? groups[at->second] : groups.back()).push_back(i);
  }
  return groups;
}

Entrant entrant_of(const Catalogue& catalogue, std::size_t i, const Precision& precision,
                   const Starter& start, const PipelineHooks& hooks) {
  const auto& [binary, listed] = catalogue.benchmarks[i];
  Hooks inner;
  inner.precise = [&precision](BenchmarkResult& result) {
    summarise(result);
    const auto* time = result.metric("time");
    return time != nullptr && precise_enough(time->summary, precision.wanted);
  };
  if (hooks.progress) inner.progress = [i, &hooks](const Progress& progress) { hooks.progress(i, progress); };
  return {
      listed,
      [&start, &path = catalogue.binaries[binary].path](Instant deadline) { return start(path, deadline); },
      std::move(inner)};
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
                                         const PipelineHooks& hooks, const std::atomic<bool>* cancelled,
                                         const std::string& in_turns) {
  std::vector<BenchmarkResult> results;
  std::optional<MachineRoofs> roofs;
  for (const auto& group : groups_of(catalogue, in_turns)) {
    if (cancelled != nullptr && *cancelled) break;
    std::vector<Entrant> entrants;
    for (const auto i : group) entrants.push_back(entrant_of(catalogue, i, precision, start, hooks));
    if (hooks.progress) hooks.progress(group.front(), {});
    auto measured = measure_in_turns(entrants, plan);
    for (std::size_t k = 0; k < group.size(); ++k) {
      const auto& [binary_index, listed] = catalogue.benchmarks[group[k]];
      const auto& binary = catalogue.binaries[binary_index];
      auto& result = results.emplace_back(std::move(measured[k]));
      result.binary = binary.path;
      if (result.outcome == Outcome::ok &&
          std::find(plan.meters.begin(), plan.meters.end(), "instructions") != plan.meters.end()) {
        result.metrics.push_back(count_instructions_of(binary.path, listed.id, plan, cancelled));
      }
      summarise(result);
      if (hooks.roofs && states_its_work(result)) {
        if (!roofs) roofs = hooks.roofs();
        add_share_of_roof(result, *roofs);
      }
      add_warnings(result, binary, precision);
      result.reproduce = reproduce_command(binary, result, plan);
      if (hooks.finished) hooks.finished(result);
    }
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
  ExamineOptions quick;
  quick.noise_time = std::chrono::milliseconds(0);
  run.findings = examine(run.machine, "/", quick);
  return run;
}

}  // namespace tare::cli
