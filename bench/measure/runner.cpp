#include "bench/measure/runner.hpp"

#include <algorithm>

#include "bench/measure/session.hpp"

namespace tare {
namespace {

using std::chrono::steady_clock;

class Measurement {
 public:
  Measurement(const Entrant& entrant, const Plan& plan)
      : plan_(plan), start_(entrant.start), hooks_(entrant.hooks), gathering_(entrant.listed) {}

  [[nodiscard]] bool wants_more() const { return !failed_ && wants_another_process(plan_, standing_); }

  void measure_process() {
    begun_ = steady_clock::now();
    if (auto done = one_process(standing_.processes); !done) {
      failed_ = gathering_.fail(done.error());
      return;
    }
    const std::chrono::nanoseconds taken = steady_clock::now() - begun_;
    ++standing_.processes;
    standing_.spent += taken;
    standing_.longest_process = std::max(standing_.longest_process, taken);
    standing_.precise =
        standing_.processes >= plan_.least_processes && hooks_.precise && hooks_.precise(gathering_.result());
  }

  BenchmarkResult finish() { return failed_ ? std::move(*failed_) : gathering_.finish(); }

 private:
  /// The time of other benchmarks that take turns with this one does not count.
  [[nodiscard]] Instant limit() const { return begun_ + plan_.time_limit - standing_.spent; }

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
    const std::chrono::duration<double> spent = standing_.spent + (steady_clock::now() - begun_);
    const double fraction = plan_.processes
                                ? static_cast<double>(process + 1) / static_cast<double>(*plan_.processes)
                                : spent / std::chrono::duration<double>(plan_.budget);
    hooks_.progress({process, std::min(fraction, 1.0)});
  }

  const Plan& plan_;
  const StartWorker& start_;
  const Hooks& hooks_;
  Gathering gathering_;
  MeasuredSoFar standing_;
  Instant begun_;  ///< the process under way
  std::optional<BenchmarkResult> failed_;
  /// Found by the first process, used again by the others.
  Session::Calibrated calibrated_;
};

}  // namespace

std::vector<BenchmarkResult> measure_in_turns(std::span<const Entrant> entrants, const Plan& plan) {
  std::vector<Measurement> measurements;
  measurements.reserve(entrants.size());
  std::vector<std::size_t> order(entrants.size());
  for (std::size_t i = 0; i < entrants.size(); ++i) {
    measurements.emplace_back(entrants[i], plan);
    order[i] = i;
  }
  for (bool any = true; any; std::ranges::reverse(order)) {
    any = false;
    for (const auto i : order) {
      if (!measurements[i].wants_more()) continue;
      measurements[i].measure_process();
      any = true;
    }
  }
  std::vector<BenchmarkResult> results;
  for (auto& measurement : measurements) results.push_back(measurement.finish());
  return results;
}

Answer<std::vector<Listed>> list_benchmarks(const StartWorker& start, Build* build) {
  const auto deadline = steady_clock::now() + start_limit;
  auto worker = start(deadline);
  if (!worker) return worker.error();
  if (build != nullptr) *build = worker->hello().build;
  return worker->list(deadline);
}

}  // namespace tare
