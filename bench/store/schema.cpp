#include "bench/store/schema.hpp"

#include <array>
#include <fmt/format.h>

namespace tare {
namespace {

constexpr std::int64_t application_id = 0x74617265;  // "tare"

constexpr const char* version_1 = R"sql(
CREATE TABLE run (
  id INTEGER PRIMARY KEY,
  started_unix_ms BIGINT NOT NULL,
  commit_name TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  seed BIGINT NOT NULL
);
CREATE TABLE run_detail (
  run INTEGER PRIMARY KEY REFERENCES run (id),
  command TEXT NOT NULL,
  directory TEXT NOT NULL,
  tags TEXT NOT NULL,
  machine TEXT NOT NULL,
  binaries TEXT NOT NULL
);
CREATE TABLE benchmark (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  parameters TEXT NOT NULL,
  workload TEXT NOT NULL,
  UNIQUE (name, parameters, workload)
);
CREATE TABLE series (
  id INTEGER PRIMARY KEY,
  benchmark BIGINT NOT NULL REFERENCES benchmark (id),
  metric TEXT NOT NULL,
  unit TEXT NOT NULL,
  better TEXT NOT NULL,
  nature TEXT NOT NULL,
  UNIQUE (benchmark, metric, unit, better, nature)
);
CREATE TABLE measurement (
  run BIGINT NOT NULL REFERENCES run (id),
  position BIGINT NOT NULL,
  benchmark BIGINT NOT NULL REFERENCES benchmark (id),
  binary_path TEXT NOT NULL,
  outcome TEXT NOT NULL,
  message TEXT NOT NULL,
  label TEXT NOT NULL,
  tags TEXT NOT NULL,
  items DOUBLE PRECISION,
  bytes DOUBLE PRECISION,
  flops DOUBLE PRECISION,
  checked BIGINT NOT NULL,
  cold_ns DOUBLE PRECISION,
  warnings TEXT NOT NULL,
  reproduce TEXT NOT NULL,
  PRIMARY KEY (run, position)
) WITHOUT ROWID;
CREATE UNIQUE INDEX measurement_once ON measurement (benchmark, run, binary_path);
CREATE TABLE result (
  series BIGINT NOT NULL REFERENCES series (id),
  run BIGINT NOT NULL,
  position BIGINT NOT NULL,
  ordinal BIGINT NOT NULL,
  n BIGINT NOT NULL,
  median DOUBLE PRECISION,
  mad DOUBLE PRECISION,
  origin TEXT NOT NULL,
  fixed DOUBLE PRECISION,
  fixed_error DOUBLE PRECISION,
  per_iteration DOUBLE PRECISION,
  per_iteration_error DOUBLE PRECISION,
  samples BLOB NOT NULL,
  PRIMARY KEY (series, run, position),
  FOREIGN KEY (run, position) REFERENCES measurement (run, position)
) WITHOUT ROWID;
CREATE INDEX result_by_run ON result (run, position, series);
)sql";

constexpr const char* version_2 = R"sql(
ALTER TABLE run ADD COLUMN finished_unix_ms BIGINT;
CREATE TABLE artifact (
  hash TEXT PRIMARY KEY,
  bytes BLOB NOT NULL
);
)sql";

constexpr const char* version_3 = R"sql(
CREATE TABLE baseline (
  name TEXT PRIMARY KEY,
  run BIGINT NOT NULL REFERENCES run (id),
  saved_unix_ms BIGINT NOT NULL,
  note TEXT NOT NULL
);
)sql";

constexpr const char* version_4 = R"sql(
CREATE TABLE comparison (
  id INTEGER PRIMARY KEY,
  before_run BIGINT NOT NULL REFERENCES run (id),
  after_run BIGINT NOT NULL REFERENCES run (id),
  identical BIGINT NOT NULL,
  content TEXT NOT NULL
);
CREATE INDEX comparison_by_runs ON comparison (before_run, after_run);
)sql";

constexpr const char* version_5 = R"sql(
CREATE TABLE run_artifact (
  run BIGINT NOT NULL REFERENCES run (id),
  kind TEXT NOT NULL,
  position BIGINT NOT NULL,
  hash TEXT NOT NULL REFERENCES artifact (hash),
  PRIMARY KEY (run, kind, position)
) WITHOUT ROWID;
)sql";

constexpr const char* version_6 = R"sql(
ALTER TABLE run_detail ADD COLUMN findings TEXT NOT NULL DEFAULT '[]';
)sql";

constexpr std::array migrations{version_1, version_2, version_3, version_4, version_5, version_6};
static_assert(migrations.size() == schema_version);

}  // namespace

Result<int> check_schema(sqlite::Database& database) {
  auto version = database.integer("PRAGMA user_version");
  if (!version) return std::move(version).error();
  auto owner = database.integer("PRAGMA application_id");
  if (!owner) return std::move(owner).error();
  auto tables = database.integer("SELECT COUNT(*) FROM sqlite_schema");
  if (!tables) return std::move(tables).error();
  const bool empty = *version == 0 && *tables == 0 && *owner == 0;
  if (!empty && (*owner != application_id || *version < 1)) {
    return fail(
        fmt::format("{}: file is not a tare store but another program's SQLite database; "
                    "choose another store with --store",
                    database.path()));
  }
  if (*version > schema_version) {
    return fail(
        fmt::format("{} was written by a newer tare (schema {}, this tare knows up to {}); "
                    "update tare or choose another store with --store",
                    database.path(), *version, schema_version));
  }
  return static_cast<int>(*version);
}

Status migrate(sqlite::Database& database, int version) {
  auto found = check_schema(database);
  if (!found) return std::move(found).error();
  if (*found >= version) return ok();
  auto transaction = sqlite::Transaction::begin(database);
  if (!transaction) return std::move(transaction).error();
  // Again under the lock: another process may have done it in between.
  found = check_schema(database);
  if (!found) return std::move(found).error();
  for (int next = *found + 1; next <= version; ++next) {
    auto applied = database.execute(migrations[static_cast<std::size_t>(next - 1)]);
    if (!applied) return applied;
    auto marked = database.execute(
        fmt::format("PRAGMA user_version = {}; PRAGMA application_id = {}", next, application_id));
    if (!marked) return marked;
  }
  return transaction->commit();
}

}  // namespace tare
