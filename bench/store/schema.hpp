// The store's tables and their versions.
//
// PRAGMA user_version holds the version; migrations stand in one ordered list and are applied together in one
// transaction, so a store is of one version or another, never between. A published migration is never edited:
// a change is a new entry at the end. PRAGMA application_id tells a tare store from any other SQLite file.
//
//   run          one invocation: the few columns that a history reads for each of its points
//   run_detail   the rest of it, long texts
//   benchmark    what was measured: name, parameters and workload together
//   series       one metric of one benchmark over all runs
//   measurement  one benchmark in one run: outcome, message, warnings…
//   result       one metric of one measurement, with its samples; ordered by (series, run), so that a series'
//                history is one range of neighbouring rows
//   baseline     a name for a run
//   artifact     bytes kept under the hash of their content
//   run_artifact which artifacts belong to a run, by kind, in the order they were added
#pragma once

#include <optional>
#include <string>

#include "bench/store/sqlite.hpp"

namespace tare {

inline constexpr int schema_version = 6;

/// The version of an open store, 0 for an empty file. Files of another program, and stores of a newer tare,
/// are refused.
Result<int> check_schema(sqlite::Database& database);
/// Brings the store to the version; does nothing when it is there already.
Status migrate(sqlite::Database& database, int version = schema_version);

}  // namespace tare
