#include "bench/measure/runner.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <random>

namespace tare {
namespace {

using std::chrono::steady_clock;

constexpr auto start_limit = std::chrono::seconds(10);

/// What the first process finds out and the others use again.
struct Calibration {
  std::uint64_t iterations = 0;
  double sample_ns = 0;
};

class Measurement {
 public:
  Measurement(const Listed& listed, const Plan& plan, const StartWorker& start, const Hooks& hooks)
      : plan_(plan), start_(start), hooks_(hooks), id_(listed.id), begun_(steady_clock::now()) {
    result_.id = listed.id;
    result_.tags = listed.tags;
    result_.label = listed.label;
  }

  BenchmarkResult run() {
    Standing standing;
    while (wants_another_process(plan_, standing)) {
      const auto process_begun = steady_clock::now();
      if (auto done = one_process(standing.processes); !done) {
        // A time must not survive a failure: not even one from an earlier process.
        result_.outcome = done.error().outcome;
        result_.message = done.error().message;
        result_.metrics.clear();
        result_.cold_ns.reset();
        result_.checked = false;
        return std::move(result_);
      }
      const auto now = steady_clock::now();
      ++standing.processes;
      standing.spent = now - begun_;
      standing.longest_process =
          std::max(standing.longest_process, std::chrono::nanoseconds(now - process_begun));
      standing.precise =
          standing.processes >= plan_.least_processes && hooks_.precise && hooks_.precise(result_);
    }
    order_metrics();
    return std::move(result_);
  }

 private:
  Instant limit() const { return begun_ + plan_.time_limit; }

  Answer<Done> one_process(std::size_t process) {
    auto worker = start_(std::min<Instant>(steady_clock::now() + start_limit, limit()));
    if (!worker) return worker.error();
    auto prepared = worker->prepare(id_, plan_.seed, limit());
    if (!prepared) return prepared.error();
    describe(*prepared);

    // The very first call of the body, before anything warmed it.
    if (prepared->cold_ns) {
      add_sample("cold_time", process, 1, *prepared->cold_ns, {});
    } else {
      auto cold = worker->sample({prepared->granularity, 1}, limit());
      if (!cold) return cold.error();
      add_sample("cold_time", process, prepared->granularity, total(cold->front()), {});
    }

    if (auto good = check(*worker, *prepared); !good) return good.error();
    if (calibration_.iterations == 0) {
      if (auto good = calibrate(*worker, *prepared); !good) return good.error();
    }
    if (auto good = take_samples(*worker, *prepared, process); !good) return good.error();
    // Twice, so that a count meant to be exact is seen to differ.
    if (process < 2) {
      if (auto good = run_meters(*worker, *prepared, process); !good) return good.error();
    }
    if (auto good = check(*worker, *prepared); !good) return good.error();

    auto counters = worker->finish(limit());
    if (!counters) return counters.error();
    merge(*counters, process);
    return Done{};
  }

  void describe(const Preparation& prepared) {
    result_.workload = prepared.workload;
    result_.throughput = prepared.throughput;
    if (!prepared.label.empty()) result_.label = prepared.label;
    overhead_ = prepared.overhead;
  }

  static double total(const Reading& reading) {
    double sum = 0;
    for (const double phase : reading.totals) sum += phase;
    return sum;
  }

  Answer<Done> check(Worker& worker, const Preparation& prepared) {
    if (!prepared.has_check) return Done{};
    const std::uint64_t seed = random_();
    auto checked = worker.check(seed, limit());
    if (!checked) return checked.error();
    if (!checked->passed) {
      return Failure{Outcome::check_failed,
                     fmt::format("the check failed (seed {}): {}", seed, checked->message)};
    }
    result_.checked = true;
    if (checked->error) error_ = std::max(error_.value_or(0), *checked->error);
    return Done{};
  }

  Answer<Done> calibrate(Worker& worker, const Preparation& prepared) {
    const double target = target_sample_ns(plan_, prepared.resolution_ns, prepared.overhead.fixed);
    std::uint64_t iterations = prepared.granularity;
    for (;;) {
      auto reading = worker.sample({iterations, 1}, limit());
      if (!reading) return reading.error();
      // Preparation, or a body that tells tiny times, costs wall time too: the sample is as long as the
      // longer.
      const double elapsed = std::max(total(reading->front()), reading->front().wall_ns);
      calibration_ = {iterations, elapsed};
      const auto next = next_iterations(iterations, prepared.granularity, elapsed, target);
      if (next == iterations) return Done{};
      iterations = next;
    }
  }

  Answer<Done> take_samples(Worker& worker, const Preparation& prepared, std::size_t process) {
    const auto share = share_of_process(plan_);
    const auto begun = steady_clock::now();
    const std::size_t most = plan_.samples.value_or(plan_.most_samples);
    for (std::size_t taken = 0; taken < most;) {
      const auto count = samples_at_once(calibration_.sample_ns, most - taken);
      auto readings = worker.sample({calibration_.iterations, count}, limit());
      if (!readings) return readings.error();
      for (const auto& reading : *readings) add_reading(prepared, process, reading);
      taken += count;
      report_progress(process);
      if (!plan_.samples && steady_clock::now() - begun >= share) break;
    }
    return Done{};
  }

  void add_reading(const Preparation& prepared, std::size_t process, const Reading& reading) {
    if (prepared.phases.size() > 1) {
      for (std::size_t i = 0; i < prepared.phases.size(); ++i) {
        add_sample("time/" + prepared.phases[i], process, calibration_.iterations, reading.totals[i],
                   reading.interference);
      }
    }
    add_sample("time", process, calibration_.iterations, total(reading), reading.interference);
    if (prepared.phases.size() > 1) {
      const auto phases = static_cast<double>(prepared.phases.size());
      auto& sum = metric("time").overhead;
      sum = {phases * overhead_.fixed, phases * overhead_.fixed_error, phases * overhead_.per_iteration,
             phases * overhead_.per_iteration_error};
    }
  }

  Answer<Done> run_meters(Worker& worker, const Preparation& prepared, std::size_t process) {
    for (const auto& meter : plan_.meters) {
      if (meter == "instructions") continue;  // counted in a process of its own, see instruction_pass.hpp
      // Counts are exact from the first iteration on; times and energy want as long a pass as a sample.
      const bool counts = meter == "allocations";
      const auto wanted =
          counts ? std::min<std::uint64_t>(calibration_.iterations, 1000) : calibration_.iterations;
      const auto iterations =
          (wanted + prepared.granularity - 1) / prepared.granularity * prepared.granularity;
      auto metrics = worker.meter({meter, {iterations, plan_.watts_per_core}}, limit());
      if (!metrics) return metrics.error();
      merge(*metrics, process);
    }
    return Done{};
  }

  Metric& metric(const std::string& name) {
    auto& all = result_.metrics;
    const auto found = std::find_if(all.begin(), all.end(), [&](const Metric& m) { return m.name == name; });
    if (found != all.end()) return *found;
    return all.emplace_back(Metric{name, "ns", Better::less, Nature::noisy, "measured", overhead_, {}, {}});
  }

  void add_sample(const std::string& name, std::size_t process, std::uint64_t iterations, double sum,
                  const Interference& interference) {
    metric(name).samples.push_back({static_cast<std::uint32_t>(process), iterations, sum, interference});
  }

  void merge(const std::vector<Metric>& metrics, std::size_t process) {
    for (const auto& given : metrics) {
      auto& all = result_.metrics;
      auto found =
          std::find_if(all.begin(), all.end(), [&](const Metric& m) { return m.name == given.name; });
      if (found == all.end()) {
        all.push_back(given);
        all.back().samples.clear();
        found = std::prev(all.end());
      }
      for (auto sample : given.samples) {
        sample.process = static_cast<std::uint32_t>(process);
        found->samples.push_back(sample);
      }
    }
  }

  void order_metrics() {
    if (error_) {
      result_.metrics.push_back(
          {"error", "1", Better::less, Nature::noisy, "measured", {}, {{0, 1, *error_, {}}}, {}});
    }
    const auto rank = [](const Metric& m) {
      return m.name == "time" ? 0 : m.name.starts_with("time/") ? 1 : 2;
    };
    std::stable_sort(result_.metrics.begin(), result_.metrics.end(),
                     [&](const Metric& a, const Metric& b) { return rank(a) < rank(b); });
    if (const auto* cold = result_.metric("cold_time"); cold != nullptr && !cold->samples.empty()) {
      result_.cold_ns = cold->samples.front().total / static_cast<double>(cold->samples.front().iterations);
    }
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
  BenchmarkId id_;
  Instant begun_;
  BenchmarkResult result_;
  Calibration calibration_;
  Overhead overhead_;
  std::optional<double> error_;
  std::random_device random_device_;
  std::mt19937_64 random_{random_device_()};
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
