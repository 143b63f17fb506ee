// The measured code, type-erased so that one call runs a whole batch: the loop and the clock reads are
// compiled together with the user's lambda, and nothing between them throws, allocates, locks or makes a
// system call. The same loop runs under the clock (time) or under a meter (probe), so that both see exactly
// the same region.
#pragma once

#include <chrono>
#include <concepts>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "bench/define/barrier.hpp"
#include "bench/define/clock.hpp"
#include "bench/define/team.hpp"

namespace tare {

/// What a meter sees: start and stop at the places where the clock would be read.
class Probe {
 public:
  virtual ~Probe() = default;
  virtual void start() = 0;
  virtual void stop(std::size_t phase) = 0;
  /// Whether phases run over one state after the other instead of over a batch: for what is live at once.
  [[nodiscard]] virtual bool one_at_a_time() const { return false; }
};

/// Runs a body as any meter would, and sees nothing.
class NoProbe final : public Probe {
 public:
  void start() override {}
  void stop(std::size_t) override {}
};

class Body {
 public:
  virtual ~Body() = default;
  /// One name per timed phase; a plain body has one, named "".
  [[nodiscard]] virtual const std::vector<std::string>& phases() const = 0;
  /// Iteration counts must be multiples of this: the size of a batch of prepared states.
  [[nodiscard]] virtual std::uint64_t granularity() const { return 1; }
  /// The body tells its own time: the clock's cost is not in it.
  [[nodiscard]] virtual bool told() const { return false; }
  /// Runs n iterations; writes nanoseconds for the whole batch, one value per phase.
  virtual void time(std::uint64_t n, double* totals) = 0;
  /// Of the very first iteration, when it took place before the first sample was asked for.
  [[nodiscard]] virtual std::optional<double> cold_ns() const { return std::nullopt; }
  virtual void probe(std::uint64_t n, Probe& probe) = 0;
};

/// Run before the clock stops, so that work launched on another device is waited for.
using Synchronise = std::function<void()>;

namespace detail {

/// Gauge for timing: adds what passes between start and stop to the phase's total.
struct ClockGauge {
  double* totals;
  double begun = 0;
  [[gnu::always_inline]] void start() {
    clobber();
    begun = clock_ns();
    clobber();
  }
  [[gnu::always_inline]] void stop(std::size_t phase) {
    clobber();
    totals[phase] += clock_ns() - begun;
  }
};

/// The one timed loop. The counter passes through a register the optimiser cannot see into, so that an empty
/// body still loops and two iterations are never merged.
template <class F>
[[gnu::always_inline]] inline void loop(std::uint64_t n, F&& body) {
  for (std::uint64_t left = n; left != 0; --left) {
    body();
    asm volatile("" : "+r"(left));
  }
}

inline const std::vector<std::string>& one_phase() {
  static const std::vector<std::string> names{""};
  return names;
}

template <class F>
class PlainBody final : public Body {
 public:
  PlainBody(F& body, const Synchronise& synchronise) : body_(body), synchronise_(synchronise) {}
  const std::vector<std::string>& phases() const override { return one_phase(); }
  void time(std::uint64_t n, double* totals) override {
    ClockGauge gauge{totals};
    run(n, gauge);
  }
  void probe(std::uint64_t n, Probe& probe) override { run(n, probe); }

 private:
  template <class Gauge>
  [[gnu::always_inline]] void run(std::uint64_t n, Gauge& gauge) {
    if (synchronise_) synchronise_();
    gauge.start();
    loop(n, body_);
    if (synchronise_) synchronise_();
    gauge.stop(0);
  }
  F& body_;
  const Synchronise& synchronise_;
};

/// The body returns the time each call took: a std::chrono::duration.
template <class F>
class ToldBody final : public Body {
 public:
  explicit ToldBody(F& body) : body_(body) {}
  const std::vector<std::string>& phases() const override { return one_phase(); }
  bool told() const override { return true; }
  void time(std::uint64_t n, double* totals) override {
    for (std::uint64_t i = 0; i < n; ++i) {
      totals[0] += std::chrono::duration<double, std::nano>(body_()).count();
    }
  }
  void probe(std::uint64_t n, Probe& probe) override {
    probe.start();
    for (std::uint64_t i = 0; i < n; ++i) (void)body_();
    probe.stop(0);
  }

 private:
  F& body_;
};

/// n iterations on each of several threads at once; the time is from the common start to the last thread's
/// end.
template <class F>
class ThreadedBody final : public Body {
 public:
  ThreadedBody(F& body, const Synchronise& synchronise, int threads)
      : body_(body), synchronise_(synchronise), team_(threads) {}
  const std::vector<std::string>& phases() const override { return one_phase(); }
  void time(std::uint64_t n, double* totals) override {
    ClockGauge gauge{totals};
    run(n, gauge);
  }
  void probe(std::uint64_t n, Probe& probe) override { run(n, probe); }

 private:
  template <class Gauge>
  void run(std::uint64_t n, Gauge& gauge) {
    if (synchronise_) synchronise_();
    struct Task {
      F& body;
      std::uint64_t n;
    } task{body_, n};
    team_.prepare(
        [](void* data, int thread) {
          auto& [body, count] = *static_cast<Task*>(data);
          if constexpr (std::invocable<F&, int>) {
            loop(count, [&] { body(thread); });
          } else {
            loop(count, body);
          }
        },
        &task);
    gauge.start();
    team_.run();
    if (synchronise_) synchronise_();
    gauge.stop(0);
    team_.rethrow();
  }
  F& body_;
  const Synchronise& synchronise_;
  Team team_;
};

}  // namespace detail
}  // namespace tare
