// What a benchmark function receives. Its shape gives set-up and tear-down for free: what stands before
// measure() runs once per process before the first sample, what stands after it (and every destructor) once
// after the last.
//
//   void sort_doubles(tare::Context& c) {
//     const auto n = c.param("n");
//     auto data = random_doubles(n);
//     std::vector<double> work;
//     c.items(n);
//     c.measure([&] { work = data; std::sort(work.begin(), work.end()); tare::keep(work); });
//   }
//   TARE_BENCHMARK("sort/doubles", sort_doubles).param("n", tare::range(1'000, 1'000'000, 10));
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/define/body.hpp"
#include "bench/define/phases.hpp"
#include "bench/model/benchmark.hpp"
#include "bench/model/breakdown.hpp"

namespace tare {

/// The answer of a correctness check. `error` is reported as the metric "error" when given.
struct CheckResult {
  bool passed = true;
  std::string message;
  std::optional<double> error;
};

struct Counter {
  std::string name;
  double value = 0;
  std::string unit = "1";
  Better better = Better::less;
  Nature nature = Nature::exact;
  std::uint64_t trials = 1;  ///< of a share, which is the value over these
};

/// Thrown by Context::skip().
struct Skipped {
  std::string reason;
};

/// What a benchmark said about itself, gathered by its Context.
struct Notes {
  Workload workload;
  Throughput throughput;
  std::string label;
  std::vector<Counter> counters;
  std::function<CheckResult(std::uint64_t seed)> check;
  std::function<std::vector<ModeBreakdown>()> explain;
  std::function<ProgramText()> program;
  std::function<void()> before_sample;
  std::function<void()> after_sample;
  Synchronise synchronise;
  bool measured = false;
};

class Context {
 public:
  Context(BenchmarkId id, std::uint64_t seed, Driver& driver);

  /// A parameter's value. Throws when the benchmark has no such parameter or the value is not a T.
  template <class T = std::int64_t>
  [[nodiscard]] T param(std::string_view key) const {
    if constexpr (std::integral<T>) {
      return static_cast<T>(integer(key));
    } else if constexpr (std::floating_point<T>) {
      return static_cast<T>(real(key));
    } else {
      return T(text(key));
    }
  }
  /// On which the harness runs the body.
  [[nodiscard]] int threads() const { return threads_; }
  /// For the benchmark's data: the same in every process of a run, changed with --seed.
  [[nodiscard]] std::uint64_t seed() const { return notes_.workload.seed; }

  /// What is computed; threads and seed are filled already. A body that brings threads of its own says how
  /// many here.
  Workload& workload() { return notes_.workload; }
  /// Work done by one iteration (on all threads together), for rates.
  Context& items(double n);
  Context& bytes(double n);
  Context& flops(double n);
  Context& label(std::string text);
  /// A figure of the benchmark's own: tape bytes, error, accuracy. A second call with the same name replaces
  /// it.
  Context& counter(Counter counter);
  /// Successes among trials that are the same in every process, such as right answers on held-out data: more
  /// is better. Throws unless there are trials, and no more successes than these.
  Context& share(std::string name, std::uint64_t successes, std::uint64_t trials);

  /// Returns bool or CheckResult, takes nothing or a seed it has not seen before. It runs before and after
  /// timing; when it fails, no time is given.
  template <class F>
  Context& check(F function) {
    notes_.check = [function = std::move(function)](std::uint64_t seed) mutable -> CheckResult {
      auto answer = [&] {
        if constexpr (std::invocable<F&, std::uint64_t>) {
          return function(seed);
        } else {
          return function();
        }
      }();
      if constexpr (std::convertible_to<decltype(answer), bool> &&
                    !std::same_as<std::decay_t<decltype(answer)>, CheckResult>) {
        return {static_cast<bool>(answer), answer ? "" : "the check answered false", {}};
      } else {
        return answer;
      }
    };
    return *this;
  }
  /// Runs the program once in each way there is, and tells what each operation cost, for tare explain; and
  /// optionally the program as text. Both are called between samples only.
  Context& explain(std::function<std::vector<ModeBreakdown>()> trace,
                   std::function<ProgramText()> program = {});
  /// Not timed, around every sample (a batch of iterations).
  Context& before_sample(std::function<void()> function);
  Context& after_sample(std::function<void()> function);
  /// Waits for an asynchronous device; called before the clock starts and before it stops.
  Context& synchronise(std::function<void()> function);

  [[noreturn]] void skip(std::string reason);

  /// Measures the body, which takes nothing, or its thread's number when several threads run it.
  template <class F>
  void measure(F&& body) {
    begin();
    if (threads() > 1) {
      detail::ThreadedBody<std::remove_reference_t<F>> erased(body, notes_.synchronise, threads());
      driver_.drive(erased);
    } else if constexpr (std::invocable<F&, int>) {
      auto first = [&] { body(0); };
      detail::PlainBody erased(first, notes_.synchronise);
      driver_.drive(erased);
    } else {
      detail::PlainBody erased(body, notes_.synchronise);
      driver_.drive(erased);
    }
  }
  /// The body returns how long it took (a std::chrono::duration), by a clock of its own.
  template <class F>
  void measure_told(F&& body) {
    begin();
    detail::ToldBody erased(body);
    driver_.drive(erased);
  }
  /// Phases timed apart over a state made by `make`; see bench/define/phases.hpp.
  template <class Make>
  auto phases(Make make) {
    begin();
    return Phases<std::invoke_result_t<Make&>>(std::move(make), notes_.synchronise, driver_);
  }

  [[nodiscard]] const BenchmarkId& id() const { return id_; }
  [[nodiscard]] const Notes& notes() const { return notes_; }
  [[nodiscard]] Notes& notes() { return notes_; }

 private:
  [[nodiscard]] const std::string& text(std::string_view key) const;
  [[nodiscard]] std::int64_t integer(std::string_view key) const;
  [[nodiscard]] double real(std::string_view key) const;
  void begin();

  BenchmarkId id_;
  int threads_ = 1;
  Notes notes_;
  Driver& driver_;
};

}  // namespace tare
