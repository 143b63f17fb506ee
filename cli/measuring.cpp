#include "cli/measuring.hpp"

#include <chrono>

#include "bench/measure/machine/roofs.hpp"
#include "cli/terminal.hpp"

namespace tare::cli {

void measure_with_progress(Run& run, const Catalogue& catalogue, const Plan& plan, const Precision& precision,
                           const Starter& start, Keeper& keeper, const std::atomic<bool>& cancelled,
                           const std::string& in_turns) {
  ProgressLine line;
  const auto begun = std::chrono::steady_clock::now();
  const auto& benchmarks = catalogue.benchmarks;
  PipelineHooks hooks;
  hooks.progress = [&](std::size_t index, const Progress& progress) {
    const double spent = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
    line.draw(progress_text(index, benchmarks.size(), progress.fraction, spent,
                            benchmarks[index].listed.id.full(), progress.process, 200));
  };
  hooks.finished = [&](const BenchmarkResult& result) {
    if (!keeper.keeps()) return;
    line.clear();
    keeper.add(run, result);
  };
  hooks.roofs = [&] {
    line.draw("measuring what this machine can do at best, once");
    return cached_roofs(run.machine);
  };
  run.results = measure_all(catalogue, plan, precision, start, hooks, &cancelled, in_turns);
  line.clear();
  if (!cancelled) keeper.finish(run);
}

}  // namespace tare::cli
