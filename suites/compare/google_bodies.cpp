// The bodies of tare calibrate, measured by Google Benchmark: the peer of `tare calibrate --against
// google-benchmark`.
#include <benchmark/benchmark.h>
#include <string>

#include "workloads/calibration.hpp"

namespace {

template <class Work>
void add(const std::string& name) {
  for (const char* share : {"0", "0.0025", "0.005", "0.01", "0.03"}) {
    benchmark::RegisterBenchmark((name + "/" + share).c_str(), [share](benchmark::State& state) {
      Work work(std::stod(share));
      double x = 0.5;
      for (auto _ : state) {
        benchmark::DoNotOptimize(x);
        benchmark::DoNotOptimize(work(x));
      }
    })->UseRealTime();  // so that its budget is wall time, as tare's is
  }
}

}  // namespace

int main(int argc, char** argv) {
  add<workloads::TapeChain>("chain");
  add<workloads::Stream>("stream");
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
