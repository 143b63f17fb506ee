#include "cli/report_content.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <fmt/format.h>
#include <set>

#include "bench/analyse/growth.hpp"
#include "bench/analyse/pivot.hpp"
#include "bench/analyse/summarise.hpp"
#include "bench/analyse/thinning.hpp"
#include "bench/define/build.hpp"
#include "bench/report/run_view.hpp"
#include "bench/support/text.hpp"
#include "cli/stored.hpp"

namespace tare::cli {
namespace {

/// A page about nothing would look like good news.
Status worth_reporting(const Run& run) {
  if (run.results.empty()) {
    return fail(fmt::format(
        "run {} holds no benchmarks: it was ended before the first was finished; 'tare runs' lists others",
        run.id));
  }
  const bool measured = std::any_of(run.results.begin(), run.results.end(),
                                    [](const BenchmarkResult& r) { return r.outcome == Outcome::ok; });
  if (measured) return ok();
  return fail(fmt::format("nothing was measured in run {} ({}) 'tare show {}' says why", run.id,
                          count_sentence(run), run.id));
}

Result<Run> load(Store& store, const std::string& name) {
  auto id = store.resolve_run(name);
  if (!id) return std::move(id).error();
  auto run = store.load_run(*id);
  if (!run) return run;
  if (auto good = worth_reporting(*run); !good) return std::move(good).error();
  for (auto& result : run->results) summarise(result);
  return run;
}

/// An engine that is absent here needs no column.
void drop_empty_columns(PivotTable& table) {
  for (std::size_t i = table.columns.size(); i-- > 0;) {
    const auto measured = [i](const PivotRow& row) { return row.cells[i].value.has_value(); };
    if (std::any_of(table.rows.begin(), table.rows.end(), measured)) continue;
    const auto at = static_cast<std::ptrdiff_t>(i);
    table.columns.erase(table.columns.begin() + at);
    if (i < table.means.size()) table.means.erase(table.means.begin() + at);
    for (auto& row : table.rows) row.cells.erase(row.cells.begin() + at);
  }
}

std::vector<EngineTable> engine_tables(const std::vector<BenchmarkResult>& results) {
  struct Look {
    const char* title;
    const char* metric;
    const char* base;
    bool ratios;
  };
  constexpr std::array looks{Look{"total time", "time", "best", false},
                             Look{"gradient ÷ primal", "time", "primal", true},
                             Look{"forward", "time/forward", "best", false},
                             Look{"backward", "time/backward", "best", false},
                             Look{"allocations", "allocations", "best", false},
                             Look{"tape bytes", "tape_bytes", "best", false},
                             Look{"gradient error", "gradient_error", "best", false}};
  std::vector<EngineTable> tables;
  for (const auto& look : looks) {
    auto table = pivot(results, {"engine", look.metric, "", look.base});
    if (!table || table->columns.size() < 2) continue;
    std::erase_if(table->rows, [&](const PivotRow& row) {
      return std::none_of(row.cells.begin(), row.cells.end(), [&](const PivotCell& cell) {
        return look.ratios ? cell.ratio.has_value() : cell.value.has_value();
      });
    });
    drop_empty_columns(*table);
    if (!table->rows.empty()) tables.push_back({look.title, look.ratios, std::move(*table)});
  }
  return tables;
}

/// What a page can show unasked; empty when there is no trade to be made.
ParetoRequest obvious_trade(const std::vector<BenchmarkResult>& results, ParetoRequest request) {
  const auto holders = [&](const std::string& name) {
    return std::count_if(results.begin(), results.end(), [&](const BenchmarkResult& r) {
      const auto* metric = r.metric(name);
      return r.outcome == Outcome::ok && metric != nullptr && metric->summary.time;
    });
  };
  std::string quality = holders("accuracy") > 1 ? "accuracy" : "";
  for (const auto& result : results) {
    for (const auto& metric : result.metrics) {
      if (quality.empty() && metric.better == Better::more && holders(metric.name) > 1) quality = metric.name;
    }
  }
  if (quality.empty()) return request;
  request.metrics = {"time", quality};
  if (holders("peak_bytes") >= holders(quality)) request.metrics.emplace_back("peak_bytes");
  return request;
}

Result<std::optional<ParetoFront>> pareto_for(const std::vector<BenchmarkResult>& results,
                                              const ParetoRequest& asked) {
  const bool explicit_wish = !asked.metrics.empty() || !asked.constraints.empty() || !asked.of.empty();
  const auto request = asked.metrics.empty() ? obvious_trade(results, asked) : asked;
  if (request.metrics.empty() && !explicit_wish) return std::optional<ParetoFront>{};
  auto front = pareto_of(results, request);
  if (!front) {
    if (explicit_wish) return std::move(front).error();
    return std::optional<ParetoFront>{};
  }
  return std::optional(std::move(*front));
}

/// The last two parts tell "old/bench" from "new/bench".
std::string short_path(const std::string& name) {
  const std::filesystem::path path(name);
  const auto folder = path.parent_path().filename();
  return folder.empty() ? name : (folder / path.filename()).string();
}

std::string title_of(const ReportContent& content) {
  if (content.comparison) {
    const auto& before = content.comparison->before;
    const auto& after = content.comparison->after;
    const auto from = short_path(before.name), to = short_path(after.name);
    return from == to ? fmt::format("{}: run {} → run {}", from, before.run, after.run)
                      : fmt::format("{} → {}", from, to);
  }
  std::vector<std::string> ids;
  for (const auto& run : content.runs) ids.push_back(std::to_string(run.id));
  auto title = fmt::format("{} {}", ids.size() == 1 ? "Run" : "Runs", join(ids, ", "));
  std::set<std::string> binaries;
  for (const auto& run : content.runs) {
    for (const auto& binary : run.binaries)
      binaries.insert(std::filesystem::path(binary.path).filename().string());
  }
  if (!binaries.empty() && binaries.size() <= 3)
    title += fmt::format(": {}", join({binaries.begin(), binaries.end()}, ", "));
  return title;
}

}  // namespace

Result<ReportContent> gather(Store& store, const ReportRequest& request) {
  ReportContent content;
  if (!request.compare.empty()) {
    auto compared = compare_stored(store, request.compare[0], request.compare[1], request.options, nullptr);
    if (!compared) return std::move(compared).error();
    for (const auto* run : {&compared->before, &compared->after}) {
      if (auto good = worth_reporting(*run); !good) return std::move(good).error();
    }
    content.comparison = std::move(compared->comparison);
    content.runs = {std::move(compared->before), std::move(compared->after)};
  }
  for (const auto& name : request.runs) {
    auto run = load(store, name);
    if (!run) return std::move(run).error();
    const bool known = std::any_of(content.runs.begin(), content.runs.end(),
                                   [&](const Run& other) { return other.id == run->id; });
    if (!known) content.runs.push_back(std::move(*run));
  }

  std::size_t benchmarks = 0;
  for (const auto& run : content.runs) benchmarks += run.results.size();
  const auto most = samples_per_benchmark(benchmarks);
  for (const auto& run : content.runs) {
    auto& drawn = content.samples.emplace_back();
    for (const auto& result : run.results) {
      const auto* time = result.metric("time");
      drawn.push_back(time != nullptr && result.outcome == Outcome::ok ? thin(*time, most)
                                                                       : ThinnedSamples{});
    }
    auto breakdowns = store.breakdowns(run.id);
    if (!breakdowns) return std::move(breakdowns).error();
    content.breakdowns.insert(content.breakdowns.end(), breakdowns->begin(), breakdowns->end());
  }
  const auto& newest = content.runs.back().results;
  content.growth = find_growth(newest);
  content.engines = engine_tables(newest);
  auto front = pareto_for(newest, request.pareto);
  if (!front) return std::move(front).error();
  content.pareto = std::move(*front);
  content.title = request.title.empty() ? title_of(content) : request.title;
  content.version = version();
  content.written_unix_ms = std::chrono::duration_cast<std::chrono::milliseconds>(
                                std::chrono::system_clock::now().time_since_epoch())
                                .count();
  return content;
}

}  // namespace tare::cli
