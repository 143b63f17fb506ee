// One worker with one benchmark prepared: the steps that every way of measuring takes, in the order
//   begin (first call, check) · calibrate · sample … · meters · end (check again, counters).
// What they learn goes into the benchmark's gathering.
#pragma once

#include "bench/measure/gathering.hpp"
#include "bench/measure/plan.hpp"
#include "bench/measure/worker.hpp"

namespace tare {

class Session {
 public:
  /// Prepares the benchmark; the gathering and the limit must outlive the session.
  static Answer<Session> begin(Worker worker, Gathering& gathering, std::size_t process, std::uint64_t seed,
                               Instant limit);

  [[nodiscard]] const Preparation& prepared() const { return prepared_; }
  [[nodiscard]] const Worker& worker() const { return worker_; }
  /// Iterations that make a sample last that long, and how long it then lasts.
  struct Calibrated {
    std::uint64_t iterations = 0;
    double sample_ns = 0;
  };
  Answer<Calibrated> calibrate(double target_ns);
  /// At least so many iterations, in whole batches: a batch may be of another size in every process.
  [[nodiscard]] std::uint64_t whole_batches(std::uint64_t iterations) const {
    const auto batch = prepared_.granularity;
    return (iterations + batch - 1) / batch * batch;
  }
  /// Takes samples and gathers them.
  Answer<Done> sample(std::uint64_t iterations, std::uint64_t count);
  /// One sample that is not kept, to bring caches and predictors to where they stay.
  Answer<Done> warm(std::uint64_t iterations);
  /// The meters of the plan, except those that run in a process of their own.
  Answer<Done> meters(const Plan& plan, std::uint64_t iterations);
  Answer<Done> end();

 private:
  Session(Worker worker, Gathering& gathering, std::size_t process, Instant limit)
      : worker_(std::move(worker)), gathering_(&gathering), process_(process), limit_(limit) {}
  Answer<Done> check();

  Worker worker_;
  Gathering* gathering_;
  std::size_t process_;
  Instant limit_;
  Preparation prepared_;
};

}  // namespace tare
