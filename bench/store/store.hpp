// The results store: every run, benchmark and raw sample, kept in one file. Results are only ever added; only
// the names of baselines can be changed.
//
// One benchmark is one transaction, durable when add_result() returns: killing the process at any instant
// loses at most the benchmark under way (what holds on a loss of power: sqlite.hpp). Several processes may
// read and write one store at once; writers wait for each other. A Store belongs to one thread and must not
// be carried over a fork.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bench/model/breakdown.hpp"
#include "bench/model/comparison.hpp"
#include "bench/model/run.hpp"
#include "bench/store/sqlite.hpp"
#include "bench/support/result.hpp"

namespace tare {

/// What makes one metric of one run continue the same metric of an earlier run.
struct SeriesKey {
  BenchmarkId id;
  Workload workload;
  std::string metric;
  std::string unit;
  Better better = Better::less;
  Nature nature = Nature::noisy;

  bool operator==(const SeriesKey&) const = default;
};
SeriesKey series_key(const BenchmarkResult& result, const Metric& metric);

struct HistoryPoint {
  std::int64_t run = 0;
  std::int64_t started_unix_ms = 0;
  std::string commit;
  std::string fingerprint;
  std::string binary;
  std::optional<double> median;  ///< as the summary had it when the result was stored
  std::optional<double> mad;
  Metric metric;  ///< with overhead and samples; its summary is left empty
};

class Store {
 public:
  enum class Mode {
    read_only,   ///< must exist
    read_write,  ///< must exist; an older schema is brought up to date
    create,      ///< made with its directory when it does not exist
  };
  /// `patience` is how long to wait for another process's lock before giving up.
  static Result<Store> open(const std::string& path, Mode mode,
                            std::chrono::milliseconds patience = std::chrono::seconds(30));

  /// Everything of the run but id and results; gives the new id.
  Result<std::int64_t> begin_run(const Run& run);
  /// For what is known only once the workers answered.
  Status set_binaries(std::int64_t run, const std::vector<Binary>& binaries);
  Status add_result(std::int64_t run, const BenchmarkResult& result);
  /// All or none: one transaction, for imports.
  Status add_results(std::int64_t run, std::span<const BenchmarkResult> results);
  Status finish_run(std::int64_t run, std::int64_t finished_unix_ms);

  /// Newest first; a limit of 0 means all.
  Result<std::vector<RunInfo>> runs(std::size_t limit = 0);
  /// With all samples; summaries are left empty, to be analysed again.
  Result<Run> load_run(std::int64_t run);
  Result<std::int64_t> latest_run();
  /// "last", "last~2" (two before the last), a run's number or a baseline's name.
  Result<std::int64_t> resolve_run(std::string_view text);
  /// Of benchmarks with this full name ("sort/n=8"); empty means all.
  Result<std::vector<SeriesKey>> series(std::string_view benchmark = {});
  /// Oldest first; empty for a series that was never measured.
  Result<std::vector<HistoryPoint>> history(const SeriesKey& key);

  /// Without `replace`, a name that is taken is refused. The commit is the run's own, whatever is given.
  Status save_baseline(const Baseline& baseline, bool replace = false);
  /// By name.
  Result<std::vector<Baseline>> baselines();
  Result<Baseline> find_baseline(std::string_view name);
  /// The run stays.
  Status remove_baseline(std::string_view name);

  /// Of two runs that the store holds; gives its number.
  Result<std::int64_t> add_comparison(const Comparison& comparison);
  /// The newest of these two runs; empty when they were never compared live.
  Result<std::optional<Comparison>> find_comparison(std::int64_t before, std::int64_t after);
  /// How much identical programs differed in the comparisons made on this machine; empty when there are none.
  Result<std::optional<NoiseFloor>> noise_floor(const std::string& fingerprint);

  /// Keeps the bytes once, however often they are put; gives their hash.
  Result<std::string> put_artifact(std::span<const std::byte> bytes);
  Result<std::vector<std::byte>> get_artifact(const std::string& hash);

  /// Why a benchmark of the run takes its time, kept as an artifact of the run.
  Status add_breakdown(std::int64_t run, const Breakdown& breakdown);
  /// In the order they were added; of one benchmark explained twice, the later one.
  Result<std::vector<Breakdown>> breakdowns(std::int64_t run);

  /// Reads the whole file and says what is wrong with it.
  Status verify();
  [[nodiscard]] const std::string& path() const { return database_.path(); }

 private:
  explicit Store(sqlite::Database database) : database_(std::move(database)) {}
  Result<std::string> put_in_transaction(std::span<const std::byte> bytes);
  Status add_in_transaction(std::int64_t run, const BenchmarkResult& result);
  Result<std::int64_t> benchmark_id(const BenchmarkResult& result);
  Result<std::int64_t> series_id(std::int64_t benchmark, const Metric& metric);
  Result<Run> load_run_in_view(std::int64_t run);
  Result<std::vector<HistoryPoint>> history_in_view(const SeriesKey& key);
  Status load_metrics(Run& run);
  sqlite::Database database_;
};

/// Whether a baseline may have this name: nothing that resolve_run() or a path could mean.
Status check_baseline_name(std::string_view name);

/// ".tare/results.db" beside the project: in the nearest of the directory and its ancestors that has a .tare
/// directory or a .git entry; otherwise in the directory itself.
std::string default_store_path(const std::string& directory);

}  // namespace tare
