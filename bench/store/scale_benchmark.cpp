// How the store grows and how fast one series' history is read from a large one. Writes invented runs of
// ordinary shape through the store's own interface, one transaction per run, checks what it reads back, and
// prints the figures; docs/measurements/store.md keeps those of a full-size run.
//
//   store_scale RUNS BENCHMARKS [DIRECTORY]
//
// Each benchmark has three metrics of 30 samples in 3 processes: two noisy times and one exact count; one
// sample in eight met some interference. "Cold" is a new connection after the kernel was asked to drop the
// file from its cache; the disk's own cache is not emptied.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <random>
#include <unistd.h>

#include "bench/store/store.hpp"
#include "bench/support/text.hpp"

namespace tare {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
constexpr int processes = 3;
constexpr int per_process = 10;

double ms_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

class Inventor {
 public:
  Run run(int number) {
    Run run;
    run.started_unix_ms = 1'700'000'000'000 + number * 3'600'000LL;
    run.command = "tare run build/release/bin/suite --precision 1% --processes 3";
    run.directory = "/home/somebody/src/engine";
    run.commit = fmt::format("{:020x}{:020x}", random_(), random_());
    run.seed = random_();
    run.machine.cpu = "Some CPU @ 3.00GHz";
    run.machine.caches = "L1d 32 KiB, L2 512 KiB, L3 32 MiB";
    run.machine.kernel = "Linux 6.1.0 #1 SMP";
    run.binaries = {{"build/release/bin/suite",
                     fmt::format("{:016x}{:016x}", random_(), random_()),
                     {"GCC 12.2.0", "-O3 -DNDEBUG -march=native", "optimised", "0.1.0"}}};
    return run;
  }

  BenchmarkResult result(int number) {
    BenchmarkResult result;
    result.id = {fmt::format("engine/group{}/kernel{}", number / 20, number % 20), {{"n", "1024"}}};
    result.binary = "build/release/bin/suite";
    result.workload.shape = {1024, 16 + number};
    result.workload.dtype = "f64";
    result.checked = true;
    result.cold_ns = 1e5 + static_cast<double>(random_() % 100'000);
    result.reproduce = "tare run build/release/bin/suite --filter " + result.id.full();
    const double level = std::exp2(12 + number % 12);
    result.metrics = {noisy("time", level), noisy("time/backward", level * 3), exact("allocations")};
    if (number % 4 == 0) result.warnings = {{Doubt::outliers, "2 of 30 samples are severe outliers"}};
    return result;
  }

 private:
  std::vector<Sample> samples(double total, double noise) {
    std::normal_distribution<double> relative(1, noise);
    std::vector<Sample> samples;
    for (std::uint32_t process = 0; process < processes; ++process) {
      for (int i = 0; i < per_process; ++i) {
        Sample sample{process, 1024, std::round(total * relative(random_)), {}};
        if (noise > 0 && random_() % 8 == 0) {
          sample.interference.involuntary_switches = 1;
          sample.interference.wait_ns = random_() % 1'000'000;
        }
        samples.push_back(sample);
      }
    }
    return samples;
  }
  Metric noisy(const char* name, double level) {
    Metric metric{name, "ns", Better::less, Nature::noisy, "measured", {21.3, 0.4, 0.31, 0.02}, {}, {}};
    metric.samples = samples(level * 1024, 0.01);
    metric.summary.n = metric.samples.size();
    metric.summary.median = Estimate{level, {}, {}, 0.95, "order statistic"};
    metric.summary.mad = level * 0.0067;
    return metric;
  }
  Metric exact(const char* name) {
    Metric metric{name, "1", Better::less, Nature::exact, "measured", {}, {}, {}};
    metric.samples = samples(3 * 1024, 0);
    metric.summary.n = metric.samples.size();
    metric.summary.median = Estimate{3, {}, {}, 0.95, "exact"};
    metric.summary.mad = 0;
    return metric;
  }
  std::mt19937_64 random_{20261117};
};

void drop_from_cache(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  fsync(file);
  posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
  close(file);
}

/// Milliseconds, or an exception when the history is not what was written.
double timed_history(Store& store, const SeriesKey& key, int runs) {
  const auto start = Clock::now();
  const auto points = store.history(key).value();
  const double ms = ms_since(start);
  if (points.size() != static_cast<std::size_t>(runs)) throw std::runtime_error("the history is incomplete");
  for (const auto& point : points) {
    if (point.metric.samples.size() != std::size_t{processes} * per_process)
      throw std::runtime_error("samples are missing");
  }
  return ms;
}

void measure(const std::string& path, int runs, int benchmarks) {
  Inventor invent;
  const auto start = Clock::now();
  {
    auto store = Store::open(path, Store::Mode::create).value();
    for (int run = 0; run < runs; ++run) {
      std::vector<BenchmarkResult> results;
      for (int i = 0; i < benchmarks; ++i) results.push_back(invent.result(i));
      const auto id = store.begin_run(invent.run(run)).value();
      (void)store.add_results(id, results).value();
      (void)store.finish_run(id, 1).value();
    }
  }
  const double written_ms = ms_since(start);
  const auto bytes = static_cast<double>(fs::file_size(path));
  const double results = 3.0 * runs * benchmarks;
  fmt::print("written    {:.0f} results, {:.0f} samples of {} series in {} runs, {:.1f} s\n", results,
             results * processes * per_process, 3 * benchmarks, runs, written_ms / 1000);
  fmt::print("file       {:.1f} MB, {:.0f} bytes per result\n", bytes / 1e6, bytes / results);

  const auto keys = Store::open(path, Store::Mode::read_only)->series().value();
  std::vector<double> cold, warm;
  for (std::size_t i = 0; i < 21; ++i) {
    const auto& key = keys[i * 7919 % keys.size()];
    drop_from_cache(path);
    const auto opened = Clock::now();
    auto store = Store::open(path, Store::Mode::read_only).value();
    const double open_ms = ms_since(opened);
    cold.push_back(open_ms + timed_history(store, key, runs));
    warm.push_back(timed_history(store, key, runs));
  }
  std::sort(cold.begin(), cold.end());
  std::sort(warm.begin(), warm.end());
  fmt::print(
      "history    of one series, {} points: cold {:.2f} ms (worst of {}: {:.2f}), warm {:.2f} ms (worst "
      "{:.2f})\n",
      runs, cold[cold.size() / 2], cold.size(), cold.back(), warm[warm.size() / 2], warm.back());

  auto store = Store::open(path, Store::Mode::read_write).value();
  const auto loading = Clock::now();
  const auto loaded = store.load_run(store.latest_run().value()).value();
  fmt::print("load       of one run, {} benchmarks: {:.1f} ms\n", loaded.results.size(), ms_since(loading));
  const auto id = store.begin_run(invent.run(runs)).value();
  const auto adding = Clock::now();
  const int added = std::min(benchmarks, 100);
  for (int i = 0; i < added; ++i) (void)store.add_result(id, invent.result(i)).value();
  fmt::print("add        of one benchmark, durable: {:.2f} ms (mean of {})\n", ms_since(adding) / added,
             added);
}

}  // namespace
}  // namespace tare

int main(int count, char** arguments) {
  const int runs = count > 2 ? std::atoi(arguments[1]) : 0;
  const int benchmarks = count > 2 ? std::atoi(arguments[2]) : 0;
  if (runs < 1 || benchmarks < 1) {
    fmt::print(stderr, "usage: store_scale RUNS BENCHMARKS [DIRECTORY]\n");
    return 2;
  }
  const std::filesystem::path parent = count > 3 ? arguments[3] : std::filesystem::temp_directory_path();
  std::string directory = (parent / "store-scale-XXXXXX").string();
  if (mkdtemp(directory.data()) == nullptr) {
    fmt::print(stderr, "cannot create a directory in {}\n", parent.string());
    return 2;
  }
  int status = 0;
  try {
    tare::measure(directory + "/results.db", runs, benchmarks);
  } catch (const std::exception& problem) {
    fmt::print(stderr, "{}\n", problem.what());
    status = 1;
  }
  std::error_code ignored;
  std::filesystem::remove_all(directory, ignored);
  return status;
}
