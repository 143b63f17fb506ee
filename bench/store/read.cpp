// Reading runs and histories. Text columns go through the model's own JSON readers, which check
// every field; a column that does not parse is reported with the run it belongs to.
#include <algorithm>
#include <bit>
#include <charconv>
#include <fmt/format.h>
#include <map>

#include "bench/store/columns.hpp"
#include "bench/store/samples.hpp"
#include "bench/store/store.hpp"
#include "bench/support/text.hpp"

namespace tare {
namespace {

/// An object of columns that hold JSON text; the first that does not parse is the Error.
Result<Json> parse_columns(std::initializer_list<std::pair<const char*, std::string>> columns) {
  Json object = Json::object();
  for (const auto& [name, text] : columns) {
    auto parsed = parse_json(text);
    if (!parsed) return std::move(parsed).error();
    object[name] = std::move(*parsed);
  }
  return object;
}

Error damaged(const std::string& path, std::int64_t run, const Error& cause) {
  return fail(fmt::format("{}: run {} cannot be read: {}; the other runs are not affected", path, run,
                          cause.message));
}

/// The metric of one result row; columns from `first`: origin, fixed, fixed_error, per_iteration,
/// per_iteration_error, samples.
Status read_result(const sqlite::Statement& row, int first, Metric& metric) {
  metric.origin = row.text(first);
  metric.overhead = {row.real(first + 1), row.real(first + 2), row.real(first + 3), row.real(first + 4)};
  return decode_samples(row.blob(first + 5)).transform([&](std::vector<Sample>&& samples) {
    metric.samples = std::move(samples);
    return Done{};
  });
}

/// Columns from `first`: metric, unit, better, nature.
Result<Metric> read_series(const sqlite::Statement& row, int first) {
  return metric_from_json({{"name", row.text(first)},
                           {"unit", row.text(first + 1)},
                           {"better", row.text(first + 2)},
                           {"nature", row.text(first + 3)}});
}

Result<BenchmarkResult> read_measurement(const sqlite::Statement& row) {
  auto json = parse_columns({{"parameters", row.text(1)},
                             {"workload", row.text(2)},
                             {"tags", row.text(7)},
                             {"warnings", row.text(13)}});
  if (!json) return std::move(json).error();
  (*json)["name"] = row.text(0);
  (*json)["outcome"] = row.text(4);
  auto result = benchmark_from_json(*json);
  if (!result) return result;
  result->binary = row.text(3);
  result->message = row.text(5);
  result->label = row.text(6);
  result->throughput = {row.real(8), row.real(9), row.real(10)};
  result->checked = row.integer(11) != 0;
  result->cold_ns = row.optional_real(12);
  result->reproduce = row.text(14);
  return result;
}

/// One view of the store for all the statements of the work, whatever others write meanwhile.
template <class Work>
auto in_one_view(sqlite::Database& database, Work work) -> decltype(work()) {
  auto began = database.execute("SAVEPOINT one_view");
  if (!began) return std::move(began).error();
  auto answer = work();
  auto ended = database.execute("RELEASE one_view");
  if (answer && !ended) return std::move(ended).error();
  return answer;
}

/// By run and position. A statement of its own, because an index holds exactly this; joined to the results,
/// it would cost a visit to a distant page for each of them.
Result<std::map<std::pair<std::int64_t, std::int64_t>, std::string>> binaries_of(sqlite::Database& database,
                                                                                 std::int64_t benchmark) {
  std::map<std::pair<std::int64_t, std::int64_t>, std::string> binaries;
  auto rows = database.prepare("SELECT run, position, binary_path FROM measurement WHERE benchmark = ?");
  if (!rows) return std::move(rows).error();
  rows->bind(benchmark);
  for (;;) {
    auto more = rows->step();
    if (!more) return std::move(more).error();
    if (!*more) return binaries;
    binaries[{rows->integer(0), rows->integer(1)}] = rows->text(2);
  }
}

}  // namespace

SeriesKey series_key(const BenchmarkResult& result, const Metric& metric) {
  return {result.id, result.workload, metric.name, metric.unit, metric.better, metric.nature};
}

Result<std::vector<RunInfo>> Store::runs(std::size_t limit) {
  auto rows = database_.prepare(
      "SELECT id, started_unix_ms, finished_unix_ms, command, directory, commit_name, tags, fingerprint, "
      "(SELECT COALESCE(MAX(position) + 1, 0) FROM measurement WHERE run = id), "
      "(SELECT COUNT(*) FROM measurement WHERE run = id AND outcome NOT IN ('ok', 'skipped')) "
      "FROM run JOIN run_detail ON run_detail.run = id ORDER BY id DESC");
  if (!rows) return std::move(rows).error();
  std::vector<RunInfo> list;
  while (limit == 0 || list.size() < limit) {
    auto row = rows->step();
    if (!row) return std::move(row).error();
    if (!*row) break;
    RunInfo info;
    info.id = rows->integer(0);
    info.started_unix_ms = rows->integer(1);
    if (!rows->is_null(2)) info.finished_unix_ms = rows->integer(2);
    info.command = rows->text(3);
    info.directory = rows->text(4);
    info.commit = rows->text(5);
    auto tags = parse_columns({{"tags", rows->text(6)}});
    if (!tags) return damaged(path(), info.id, tags.error());
    info.tags = field_or(*tags, "tags", Tags{});
    info.fingerprint = rows->text(7);
    info.benchmarks = rows->integer(8);
    info.failed = rows->integer(9);
    list.push_back(std::move(info));
  }
  return list;
}

Result<std::int64_t> Store::latest_run() {
  auto latest = database_.integer("SELECT COALESCE(MAX(id), 0) FROM run");
  if (latest && *latest == 0) {
    return fail(fmt::format("{} holds no runs yet; 'tare run' adds one", path()));
  }
  return latest;
}

Result<std::int64_t> Store::resolve_run(std::string_view text) {
  if (check_baseline_name(text)) {
    auto baseline = find_baseline(text);
    if (!baseline) return fail(fmt::format("'{}' does not name a run: {}", text, baseline.error().message));
    return baseline->run;
  }
  constexpr std::string_view last = "last";
  const bool relative = text.starts_with(last);
  std::string_view digits = text;
  if (relative) digits = text == last ? "0" : text.substr(last.size());
  if (relative && digits.starts_with('~')) {
    digits.remove_prefix(1);
  } else if (relative && text != last) {
    digits = "";
  }
  std::int64_t number = 0;
  const char* const begin = digits.data();
  const char* const end = begin + digits.size();
  const auto parsed = std::from_chars(begin, end, number);
  if (digits.empty() || digits[0] == '-' || parsed.ec != std::errc{} || parsed.ptr != end) {
    return fail(fmt::format(
        "'{}' does not name a run; write its number, last, last~1 for the one before, or a baseline's name",
        printable(text)));
  }
  auto latest = latest_run();
  if (!latest) return latest;
  auto found = database_.prepare(relative ? "SELECT id FROM run ORDER BY id DESC LIMIT 1 OFFSET ?"
                                          : "SELECT id FROM run WHERE id = ?");
  if (!found) return std::move(found).error();
  auto row = found->bind(number).step();
  if (!row) return std::move(row).error();
  if (!*row) {
    return fail(fmt::format("there is no run {} in {}; the newest is {}", text, path(), *latest));
  }
  return found->integer(0);
}

Result<Run> Store::load_run(std::int64_t id) {
  return in_one_view(database_, [&] { return load_run_in_view(id); });
}

Result<Run> Store::load_run_in_view(std::int64_t id) {
  auto rows = database_.prepare(
      "SELECT started_unix_ms, commit_name, seed, command, directory, tags, machine, binaries, findings "
      "FROM run "
      "JOIN run_detail ON run_detail.run = id WHERE id = ?");
  if (!rows) return std::move(rows).error();
  auto row = rows->bind(id).step();
  if (!row) return std::move(row).error();
  if (!*row) {
    return fail(fmt::format("there is no run {} in {}; name one that it holds, or last", id, path()));
  }
  auto json = parse_columns({{"tags", rows->text(5)},
                             {"machine", rows->text(6)},
                             {"binaries", rows->text(7)},
                             {"findings", rows->text(8)}});
  if (!json) return damaged(path(), id, json.error());
  (*json)["schema"] = 1;
  auto run = run_from_json(*json);
  if (!run) return damaged(path(), id, run.error());
  run->id = id;
  run->started_unix_ms = rows->integer(0);
  run->commit = rows->text(1);
  run->seed = std::bit_cast<std::uint64_t>(rows->integer(2));
  run->command = rows->text(3);
  run->directory = rows->text(4);

  auto measurements = database_.prepare(
      "SELECT name, parameters, workload, binary_path, outcome, message, label, tags, items, bytes, flops, "
      "checked, cold_ns, warnings, reproduce FROM measurement JOIN benchmark ON benchmark.id = benchmark "
      "WHERE run = ? ORDER BY position");
  if (!measurements) return std::move(measurements).error();
  measurements->bind(id);
  for (;;) {
    auto more = measurements->step();
    if (!more) return std::move(more).error();
    if (!*more) break;
    auto result = read_measurement(*measurements);
    if (!result) return damaged(path(), id, result.error());
    run->results.push_back(std::move(*result));
  }
  auto loaded = load_metrics(*run);
  if (!loaded) return std::move(loaded).error();
  return run;
}

Status Store::load_metrics(Run& run) {
  auto rows = database_.prepare(
      "SELECT position, metric, unit, better, nature, origin, fixed, fixed_error, per_iteration, "
      "per_iteration_error, samples FROM result JOIN series ON series.id = series "
      "WHERE run = ? ORDER BY position, ordinal");
  if (!rows) return std::move(rows).error();
  rows->bind(run.id);
  for (;;) {
    auto more = rows->step();
    if (!more) return std::move(more).error();
    if (!*more) return ok();
    const auto position = static_cast<std::size_t>(rows->integer(0));
    if (position >= run.results.size())
      return damaged(path(), run.id, fail("a result belongs to no benchmark"));
    auto& result = run.results[position];
    auto metric = read_series(*rows, 1);
    if (!metric) return damaged(path(), run.id, metric.error());
    auto read = read_result(*rows, 5, *metric);
    if (!read) {
      return damaged(path(), run.id,
                     fail(fmt::format("{}, {}: {}", result.id.full(), metric->name, read.error().message)));
    }
    result.metrics.push_back(std::move(*metric));
  }
}

Result<std::vector<SeriesKey>> Store::series(std::string_view benchmark) {
  auto rows = database_.prepare(
      "SELECT name, parameters, workload, metric, unit, better, nature FROM series "
      "JOIN benchmark ON benchmark.id = benchmark ORDER BY series.id");
  if (!rows) return std::move(rows).error();
  std::vector<SeriesKey> keys;
  for (;;) {
    auto more = rows->step();
    if (!more) return std::move(more).error();
    if (!*more) return keys;
    auto metric = read_series(*rows, 3);
    if (!metric) return std::move(metric).error();
    auto json = parse_columns({{"parameters", rows->text(1)}, {"workload", rows->text(2)}});
    if (!json) return std::move(json).error();
    (*json)["name"] = rows->text(0);
    auto result = benchmark_from_json(*json);
    if (!result) return std::move(result).error();
    if (benchmark.empty() || result->id.full() == benchmark) keys.push_back(series_key(*result, *metric));
  }
}

Result<std::vector<HistoryPoint>> Store::history(const SeriesKey& key) {
  return in_one_view(database_, [&] { return history_in_view(key); });
}

Result<std::vector<HistoryPoint>> Store::history_in_view(const SeriesKey& key) {
  std::vector<HistoryPoint> points;
  auto found = database_.prepare(
      "SELECT series.id, benchmark FROM series JOIN benchmark ON benchmark.id = benchmark WHERE name = ? AND "
      "parameters = ? AND workload = ? AND metric = ? AND unit = ? AND better = ? AND nature = ?");
  if (!found) return std::move(found).error();
  auto known = found
                   ->bind(key.id.name, parameters_column(key.id), workload_column(key.workload), key.metric,
                          key.unit, name_of(key.better), name_of(key.nature))
                   .step();
  if (!known) return std::move(known).error();
  if (!*known) return points;
  auto binaries = binaries_of(database_, found->integer(1));
  if (!binaries) return std::move(binaries).error();

  auto rows = database_.prepare(
      "SELECT run, position, started_unix_ms, commit_name, fingerprint, median, mad, origin, fixed, "
      "fixed_error, per_iteration, per_iteration_error, samples FROM result JOIN run ON run.id = run "
      "WHERE series = ? ORDER BY run, position");
  if (!rows) return std::move(rows).error();
  rows->bind(found->integer(0));
  for (;;) {
    auto more = rows->step();
    if (!more) return std::move(more).error();
    if (!*more) return points;
    auto& point = points.emplace_back();
    point.run = rows->integer(0);
    point.started_unix_ms = rows->integer(2);
    point.commit = rows->text(3);
    point.fingerprint = rows->text(4);
    point.binary = (*binaries)[{point.run, rows->integer(1)}];
    point.median = rows->optional_real(5);
    point.mad = rows->optional_real(6);
    point.metric.name = key.metric;
    point.metric.unit = key.unit;
    point.metric.better = key.better;
    point.metric.nature = key.nature;
    auto read = read_result(*rows, 7, point.metric);
    if (!read) return damaged(path(), point.run, read.error());
  }
}

Status Store::verify() {
  auto found = database_.text("PRAGMA integrity_check(1)");
  if (!found) return std::move(found).error();
  if (*found == "ok") return ok();
  std::replace(found->begin(), found->end(), '\n', ' ');
  return fail(fmt::format("{}: file is corrupt: {}; move it away or choose another store with --store",
                          path(), *found));
}

}  // namespace tare
