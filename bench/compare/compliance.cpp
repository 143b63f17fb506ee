#include "bench/compare/compliance.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "bench/support/text.hpp"
#include "bench/support/toml.hpp"

namespace tare {
namespace {

Result<std::string> filled(std::string text, const std::map<std::string, std::string>& values) {
  for (auto open = text.find('{'); open != std::string::npos; open = text.find('{', open)) {
    const auto close = text.find('}', open);
    if (close == std::string::npos)
      return fail(fmt::format("'{}' opens a brace and does not close it", printable(text)));
    const auto key = text.substr(open + 1, close - open - 1);
    const auto value = values.find(key);
    if (value == values.end())
      return fail(fmt::format("'{}' needs a value for {}: --set {}=…", printable(text), printable(key),
                              printable(key)));
    text.replace(open, close - open + 1, value->second);
    open += value->second.size();
  }
  return text;
}

TaskFinding judged(const TaskTarget& target, const Run& run, const std::string& quantile) {
  TaskFinding finding;
  finding.target = target;
  const auto found = std::find_if(run.results.begin(), run.results.end(),
                                  [&](const BenchmarkResult& r) { return r.id.full() == target.benchmark; });
  if (found == run.results.end()) {
    finding.problem = fmt::format("{} was not measured", target.benchmark);
    return finding;
  }
  if (found->outcome != Outcome::ok) {
    finding.problem = found->message.empty() ? name_of(found->outcome) : found->message;
    return finding;
  }
  const auto* accuracy = found->usable("accuracy");
  const auto* latency = found->usable(quantile == "mean" ? "time" : "latency_" + quantile);
  if (accuracy == nullptr || latency == nullptr) {
    finding.problem = fmt::format("{} has no {}", target.benchmark,
                                  accuracy == nullptr ? "accuracy" : "latency " + quantile);
    return finding;
  }
  finding.accuracy = accuracy->summary.time;
  finding.latency = latency->summary.time;
  const auto point = [&](const char* name) -> std::optional<double> {
    const auto* metric = found->usable(name);
    return metric == nullptr ? std::nullopt : std::optional(metric->summary.time->point);
  };
  finding.p50_ns = point("latency_p50");
  finding.p90_ns = point("latency_p90");
  finding.p99_ns = point("latency_p99");
  if (const auto* time = found->usable("time")) {
    finding.mean_ns = time->summary.time->point;
    finding.deviation_ns = time->summary.deviation;
    finding.longest_ns = time->summary.maximum;
    if (found->throughput.items > 0)
      finding.items_per_second = found->throughput.items / *finding.mean_ns * 1e9;
  }
  finding.accuracy_met = finding.accuracy->point >= target.accuracy;
  finding.latency_met = finding.latency->point <= target.latency_ns;
  return finding;
}

}  // namespace

std::size_t Compliance::compliant() const {
  return static_cast<std::size_t>(
      std::count_if(findings.begin(), findings.end(), [](const TaskFinding& f) { return f.compliant(); }));
}

Result<std::vector<TaskTarget>> parse_tasks(std::string_view text, std::string_view name,
                                            const std::map<std::string, std::string>& values) {
  const auto file = toml::parse(text, name);
  if (!file) {
    const auto& where = file.error().source().begin;
    return fail(
        fmt::format("{}:{}:{}: {}", name, where.line, where.column, printable(file.error().description())));
  }
  const auto* list = file.table()["task"].as_array();
  if (list == nullptr || list->empty()) return fail(fmt::format("{}: there is no [[task]]", name));
  std::vector<TaskTarget> tasks;
  for (const auto& entry : *list) {
    const auto* table = entry.as_table();
    const auto wrong = [&](std::string what) {
      return fail(fmt::format("{}: task {}: {}", name, tasks.size() + 1, what));
    };
    if (table == nullptr) return wrong("is no table");
    const auto title = (*table)["name"].value<std::string>();
    const auto benchmark = (*table)["benchmark"].value<std::string>();
    const auto accuracy = (*table)["accuracy"].value<double>();
    const auto latency = (*table)["latency"].value<std::string>();
    if (!title || !benchmark || !accuracy || !latency)
      return wrong("needs name, benchmark, accuracy and latency");
    if (table->size() != 4) return wrong("has more than name, benchmark, accuracy and latency");
    if (!(*accuracy >= 0 && *accuracy <= 1))
      return wrong(fmt::format("an accuracy of {} is not between 0 and 1", *accuracy));
    const auto limit = parse_duration(*latency);
    if (!limit) return wrong("latency: " + limit.error().message);
    auto full = filled(*benchmark, values);
    if (!full) return wrong(full.error().message);
    tasks.push_back({*title, std::move(*full), *accuracy, static_cast<double>(limit->count())});
  }
  return tasks;
}

Result<Compliance> comply(const Run& run, const std::vector<TaskTarget>& tasks, const std::string& quantile) {
  const std::vector<std::string> known{"p50", "p90", "p99", "mean"};
  if (std::find(known.begin(), known.end(), quantile) == known.end())
    return fail(
        fmt::format("there is no latency '{}'; there are {}", printable(quantile), join(known, ", ")));
  Compliance compliance;
  compliance.quantile = quantile;
  compliance.run = run.id;
  compliance.started_unix_ms = run.started_unix_ms;
  compliance.seed = run.seed;
  compliance.version = run.binaries.empty() ? "" : run.binaries.front().build.tare;
  for (const auto& task : tasks) compliance.findings.push_back(judged(task, run, quantile));
  return compliance;
}

}  // namespace tare
