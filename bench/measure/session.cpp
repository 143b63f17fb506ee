#include "bench/measure/session.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <random>

namespace tare {

Answer<Session> Session::begin(Worker worker, Gathering& gathering, std::size_t process, std::uint64_t seed,
                               Instant limit) {
  Session session(std::move(worker), gathering, process, limit);
  auto prepared = session.worker_.prepare(gathering.result().id, seed, limit);
  if (!prepared) return prepared.error();
  session.prepared_ = *prepared;
  gathering.describe(*prepared);

  // The very first call of the body, before anything warmed it.
  if (prepared->cold_ns) {
    gathering.add_cold(process, 1, *prepared->cold_ns);
  } else {
    auto cold = session.worker_.sample({prepared->granularity, 1}, limit);
    if (!cold) return cold.error();
    gathering.add_cold(process, prepared->granularity, total_ns(cold->front()));
  }
  if (auto good = session.check(); !good) return good.error();
  return session;
}

Answer<Done> Session::check() {
  if (!prepared_.has_check) return Done{};
  // A seed that nobody could have prepared for.
  const std::uint64_t seed = std::random_device{}() | static_cast<std::uint64_t>(std::random_device{}())
                                                          << 32;
  auto checked = worker_.check(seed, limit_);
  if (!checked) return checked.error();
  if (!checked->passed) {
    return Failure{Outcome::check_failed,
                   fmt::format("the check failed (seed {}): {}", seed, checked->message)};
  }
  gathering_->add_check(*checked);
  return Done{};
}

Answer<Session::Calibrated> Session::calibrate(double target_ns) {
  std::uint64_t iterations = prepared_.granularity;
  for (;;) {
    auto reading = worker_.sample({iterations, 1}, limit_);
    if (!reading) return reading.error();
    // Preparation, or a body that tells tiny times, costs wall time too: the sample is as long as the
    // longer.
    const double elapsed = std::max(total_ns(reading->front()), reading->front().wall_ns);
    const auto next = next_iterations(iterations, prepared_.granularity, elapsed, target_ns);
    if (next == iterations) return Calibrated{iterations, elapsed};
    iterations = next;
  }
}

Answer<Done> Session::sample(std::uint64_t iterations, std::uint64_t count) {
  auto readings = worker_.sample({iterations, count}, limit_);
  if (!readings) return readings.error();
  for (const auto& reading : *readings) gathering_->add_reading(prepared_, process_, iterations, reading);
  return Done{};
}

Answer<Done> Session::warm(std::uint64_t iterations) {
  auto readings = worker_.sample({iterations, 1}, limit_);
  if (!readings) return readings.error();
  return Done{};
}

Answer<Done> Session::meters(const Plan& plan, std::uint64_t iterations) {
  for (const auto& meter : plan.meters) {
    if (meter == "instructions") continue;  // counted in a process of its own, see instruction_pass.hpp
    // Counts are exact from the first iteration on; times and energy want as long a pass as a sample.
    const auto wanted = meter == "allocations" ? std::min<std::uint64_t>(iterations, 1000) : iterations;
    const auto granularity = prepared_.granularity;
    const auto rounded = (wanted + granularity - 1) / granularity * granularity;
    auto metrics = worker_.meter({meter, {rounded, plan.watts_per_core}}, limit_);
    if (!metrics) return metrics.error();
    gathering_->add_metrics(*metrics, process_);
  }
  return Done{};
}

Answer<Done> Session::end() {
  if (auto good = check(); !good) return good.error();
  auto counters = worker_.finish(limit_);
  if (!counters) return counters.error();
  gathering_->add_metrics(*counters, process_);
  return Done{};
}

}  // namespace tare
