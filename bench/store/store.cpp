// Opening and writing. Reading is in read.cpp.
#include "bench/store/store.hpp"

#include <bit>
#include <filesystem>
#include <fmt/format.h>

#include "bench/store/columns.hpp"
#include "bench/store/samples.hpp"
#include "bench/store/schema.hpp"
#include "bench/support/hash.hpp"

namespace tare {
namespace fs = std::filesystem;
using sqlite::Access;
using sqlite::Database;
using sqlite::Transaction;

namespace {

Error no_such_run(const Database& database, std::int64_t run) {
  return fail(fmt::format("there is no run {} in {}; name one that it holds, or last", run, database.path()));
}

/// The id the first statement finds, or that of the row the second one adds.
template <class... Values>
Result<std::int64_t> find_or_add(Database& database, const char* find, const char* add,
                                 const Values&... values) {
  auto known = database.prepare(find);
  if (!known) return std::move(known).error();
  auto row = known->bind(values...).step();
  if (!row) return std::move(row).error();
  if (*row) return known->integer(0);
  auto added = database.prepare(add).and_then([&](auto&& s) { return s.bind(values...).run(); });
  if (!added) return std::move(added).error();
  return database.last_insert_id();
}

/// One row changed, or there was no such run.
template <class... Values>
Status change_run(Database& database, std::int64_t run, const char* sql, const Values&... values) {
  auto transaction = Transaction::begin(database);
  if (!transaction) return std::move(transaction).error();
  auto changed = database.prepare(sql).and_then([&](auto&& s) { return s.bind(values..., run).run(); });
  if (!changed) return changed;
  auto count = database.integer("SELECT changes()");
  if (!count) return std::move(count).error();
  if (*count == 0) return no_such_run(database, run);
  return transaction->commit();
}

}  // namespace

Result<Store> Store::open(const std::string& path, Mode mode, std::chrono::milliseconds patience) {
  std::error_code problem;
  if (mode == Mode::create) {
    const auto folder = fs::path(path).parent_path();
    if (!folder.empty()) fs::create_directories(folder, problem);
    if (problem) {
      return fail(
          fmt::format("cannot create the directory {} for the results store: {}; "
                      "make its parent writable or choose another store with --store",
                      folder.string(), problem.message()));
    }
  } else if (!path.empty() && fs::status(path, problem).type() == fs::file_type::not_found) {
    return fail(
        fmt::format("there is no results store at {}; 'tare run' creates one, "
                    "or name another with --store",
                    path));
  }
  const auto access = mode == Mode::read_only    ? Access::read_only
                      : mode == Mode::read_write ? Access::read_write
                                                 : Access::create;
  auto database = Database::open(path, access, patience);
  if (!database) return std::move(database).error();
  if (mode != Mode::read_only) {
    auto migrated = migrate(*database);
    if (!migrated) return std::move(migrated).error();
    return Store(std::move(*database));
  }
  auto version = check_schema(*database);
  if (!version) return std::move(version).error();
  if (*version < schema_version) {
    return fail(
        fmt::format("{} has schema {}, this tare reads {}; any command that writes to it, "
                    "such as 'tare run', brings it up to date",
                    database->path(), *version, schema_version));
  }
  return Store(std::move(*database));
}

Result<std::int64_t> Store::begin_run(const Run& run) {
  auto transaction = Transaction::begin(database_);
  if (!transaction) return std::move(transaction).error();
  auto added =
      database_
          .prepare("INSERT INTO run (started_unix_ms, commit_name, fingerprint, seed) VALUES (?, ?, ?, ?)")
          .and_then([&](auto&& s) {
            return s
                .bind(run.started_unix_ms, run.commit, run.machine.fingerprint(),
                      std::bit_cast<std::int64_t>(run.seed))
                .run();
          });
  if (!added) return std::move(added).error();
  const auto id = database_.last_insert_id();
  added =
      database_
          .prepare(
              "INSERT INTO run_detail (run, command, directory, tags, machine, findings, "
              "binaries) VALUES (?, ?, ?, ?, ?, ?, ?)")
          .and_then([&](auto&& s) {
            return s
                .bind(id, run.command, run.directory, tags_column(run.tags), to_text(to_json(run.machine)),
                      to_text(to_json(run.findings)), binaries_column(run.binaries))
                .run();
          });
  if (!added) return std::move(added).error();
  return transaction->commit().transform([&](Done) { return id; });
}

Status Store::set_binaries(std::int64_t run, const std::vector<Binary>& binaries) {
  return change_run(database_, run, "UPDATE run_detail SET binaries = ? WHERE run = ?",
                    binaries_column(binaries));
}

Status Store::finish_run(std::int64_t run, std::int64_t finished_unix_ms) {
  return change_run(database_, run, "UPDATE run SET finished_unix_ms = ? WHERE id = ?", finished_unix_ms);
}

Status Store::add_result(std::int64_t run, const BenchmarkResult& result) {
  return add_results(run, {&result, 1});
}

Status Store::add_results(std::int64_t run, std::span<const BenchmarkResult> results) {
  auto transaction = Transaction::begin(database_);
  if (!transaction) return std::move(transaction).error();
  for (const auto& result : results) {
    auto added = add_in_transaction(run, result);
    if (!added) return added;
  }
  return transaction->commit();
}

Result<std::int64_t> Store::benchmark_id(const BenchmarkResult& result) {
  return find_or_add(database_, "SELECT id FROM benchmark WHERE name = ? AND parameters = ? AND workload = ?",
                     "INSERT INTO benchmark (name, parameters, workload) VALUES (?, ?, ?)", result.id.name,
                     parameters_column(result.id), workload_column(result.workload));
}

Result<std::int64_t> Store::series_id(std::int64_t benchmark, const Metric& metric) {
  return find_or_add(
      database_,
      "SELECT id FROM series WHERE benchmark = ? AND metric = ? AND unit = ? AND better = ? AND nature = ?",
      "INSERT INTO series (benchmark, metric, unit, better, nature) VALUES (?, ?, ?, ?, ?)", benchmark,
      metric.name, metric.unit, name_of(metric.better), name_of(metric.nature));
}

Status Store::add_in_transaction(std::int64_t run, const BenchmarkResult& r) {
  auto benchmark = benchmark_id(r);
  if (!benchmark) return std::move(benchmark).error();

  auto place = database_.prepare(
      "SELECT (SELECT COUNT(*) FROM run WHERE id = ?), "
      "(SELECT COUNT(*) FROM measurement WHERE benchmark = ? AND run = ? AND binary_path = ?), "
      "(SELECT COALESCE(MAX(position) + 1, 0) FROM measurement WHERE run = ?)");
  if (!place) return std::move(place).error();
  auto row = place->bind(run, *benchmark, run, r.binary, run).step();
  if (!row) return std::move(row).error();
  if (place->integer(0) == 0) return no_such_run(database_, run);
  if (place->integer(1) != 0) {
    return fail(
        fmt::format("{} of {} is already stored in run {}; results are only ever added: begin a new run",
                    r.id.full(), r.binary.empty() ? "this binary" : r.binary, run));
  }
  const auto position = place->integer(2);

  auto added =
      database_
          .prepare(
              "INSERT INTO measurement (run, position, benchmark, binary_path, outcome, message, label, "
              "tags, "
              "items, bytes, flops, checked, cold_ns, warnings, reproduce) "
              "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
          .and_then([&](auto&& s) {
            return s
                .bind(run, position, *benchmark, r.binary, name_of(r.outcome), r.message, r.label,
                      tags_column(r.tags), r.throughput.items, r.throughput.bytes, r.throughput.flops,
                      std::int64_t{r.checked}, r.cold_ns, warnings_column(r.warnings), r.reproduce)
                .run();
          });
  if (!added) return added;

  for (std::size_t ordinal = 0; ordinal < r.metrics.size(); ++ordinal) {
    const auto& metric = r.metrics[ordinal];
    if (r.metric(metric.name) != &metric) {
      return fail(
          fmt::format("{} has two metrics named '{}'; give each its own name", r.id.full(), metric.name));
    }
    auto series = series_id(*benchmark, metric);
    if (!series) return std::move(series).error();
    const auto& summary = metric.summary;
    auto stored =
        database_
            .prepare(
                "INSERT INTO result (series, run, position, ordinal, n, median, mad, origin, fixed, "
                "fixed_error, "
                "per_iteration, per_iteration_error, samples) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
            .and_then([&](auto&& s) {
              return s
                  .bind(*series, run, position, static_cast<std::int64_t>(ordinal),
                        static_cast<std::int64_t>(summary.n),
                        summary.median ? std::optional(summary.median->point) : std::nullopt, summary.mad,
                        metric.origin, metric.overhead.fixed, metric.overhead.fixed_error,
                        metric.overhead.per_iteration, metric.overhead.per_iteration_error,
                        encode_samples(metric.samples))
                  .run();
            });
    if (!stored) return stored;
  }
  return ok();
}

std::string default_store_path(const std::string& directory) {
  std::error_code ignored;
  const auto start = fs::absolute(directory, ignored).lexically_normal();
  auto project = start;
  for (auto here = start;; here = here.parent_path()) {
    if (fs::is_directory(here / ".tare", ignored) || fs::exists(here / ".git", ignored)) {
      project = here;
      break;
    }
    if (here == here.parent_path()) break;
  }
  return (project / ".tare" / "results.db").string();
}

}  // namespace tare
