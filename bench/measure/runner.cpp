#include "bench/measure/runner.hpp"

#include <algorithm>

#include "bench/measure/session.hpp"

namespace tare {
namespace {

using std::chrono::steady_clock;

class Measurement {
 public:
  Measurement(const Listed& listed, const Plan& plan, const StartWorker& start, const Hooks& hooks)
      : plan_(plan), start_(start), hooks_(hooks), gathering_(listed), begun_(steady_clock::now()) {}

  BenchmarkResult run() {
    Standing standing;
    while (wants_another_process(plan_, standing)) {
      const auto process_begun = steady_clock::now();
      if (auto done = one_process(standing.processes); !done) return gathering_.fail(done.error());
      const auto now = steady_clock::now();
      ++standing.processes;
      standing.spent = now - begun_;
      standing.longest_process =
          std::max(standing.longest_process, std::chrono::nanoseconds(now - process_begun));
      standing.precise = standing.processes >= plan_.least_processes && hooks_.precise &&
                         hooks_.precise(gathering_.result());
    }
    return gathering_.finish();
  }

 private:
  Instant limit() const { return begun_ + plan_.time_limit; }

  Answer<Done> one_process(std::size_t process) {
    auto worker = start_(std::min<Instant>(steady_clock::now() + start_limit, limit()));
    if (!worker) return worker.error();
    auto session = Session::begin(std::move(*worker), gathering_, process, plan_.seed, limit());
    if (!session) return session.error();
    if (calibrated_.iterations == 0) {
      const auto& prepared = session->prepared();
      auto found =
          session->calibrate(target_sample_ns(plan_, prepared.resolution_ns, prepared.overhead.fixed));
      if (!found) return found.error();
      calibrated_ = *found;
    }
    if (auto good = take_samples(*session, process); !good) return good.error();
    // Twice, so that a count meant to be exact is seen to differ.
    if (process < 2) {
      if (auto good = session->meters(plan_, calibrated_.iterations); !good) return good.error();
    }
    return session->end();
  }

  Answer<Done> take_samples(Session& session, std::size_t process) {
    const auto share = share_of_process(plan_);
    const auto begun = steady_clock::now();
    const std::size_t most = plan_.samples.value_or(plan_.most_samples);
    for (std::size_t taken = 0; taken < most;) {
      const auto count = samples_at_once(calibrated_.sample_ns, most - taken);
      if (auto good = session.sample(session.whole_batches(calibrated_.iterations), count); !good)
        return good.error();
      taken += count;
      report_progress(process);
      if (!plan_.samples && steady_clock::now() - begun >= share) break;
    }
    return Done{};
  }

  void report_progress(std::size_t process) const {
    if (!hooks_.progress) return;
    const auto spent = std::chrono::duration<double>(steady_clock::now() - begun_);
    const double fraction = plan_.processes
                                ? static_cast<double>(process + 1) / static_cast<double>(*plan_.processes)
                                : spent / std::chrono::duration<double>(plan_.budget);
    hooks_.progress({process, std::min(fraction, 1.0)});
  }

  const Plan& plan_;
  const StartWorker& start_;
  const Hooks& hooks_;
  Gathering gathering_;
  Instant begun_;
  /// Found by the first process, used again by the others.
  Session::Calibrated calibrated_;
};

}  // namespace

BenchmarkResult measure_benchmark(const Listed& listed, const Plan& plan, const StartWorker& start,
                                  const Hooks& hooks) {
  return Measurement(listed, plan, start, hooks).run();
}

Answer<std::vector<Listed>> list_benchmarks(const StartWorker& start, Build* build) {
  const auto deadline = steady_clock::now() + start_limit;
  auto worker = start(deadline);
  if (!worker) return worker.error();
  if (build != nullptr) *build = worker->hello().build;
  return worker->list(deadline);
}

}  // namespace tare
