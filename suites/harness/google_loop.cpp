// In a file of its own, so that neither library's headers see the other's.
#include "suites/harness/google_loop.hpp"

#include <benchmark/benchmark.h>
namespace harness {
namespace {

double ns_per_iteration = 0;

class Silent final : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>& runs) override {
    for (const auto& run : runs) ns_per_iteration = run.GetAdjustedRealTime();
  }
};

}  // namespace

double google_loop(std::int64_t iterations, bool barrier) {
  benchmark::ClearRegisteredBenchmarks();
  const auto empty = [](benchmark::State& state) {
    for (auto _ : state) {
    }
  };
  const auto guarded = [](benchmark::State& state) {
    for (auto _ : state) benchmark::ClobberMemory();
  };
  (barrier ? benchmark::RegisterBenchmark("guarded", guarded) : benchmark::RegisterBenchmark("empty", empty))
      ->Iterations(iterations);
  Silent silent;
  benchmark::RunSpecifiedBenchmarks(&silent);
  return ns_per_iteration;
}

}  // namespace harness
