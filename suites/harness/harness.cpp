// What the harness itself costs, beside Google Benchmark in the same processes.
//   tare run build/release/bin/harness --meters none
// loop/* are told times of each library's own loop with one barrier in it, so that every iteration takes
// place; the ratio of the two is the claim. loop/google-empty shows why the barrier is there. prepared/*
// measures a body of about 20 ns whose set-up costs many times as much: phases must read what a loop without
// any set-up reads.
#include <array>
#include <cmath>

#include "bench/bench.hpp"
#include "bench/measure/worker.hpp"
#include "suites/harness/google_loop.hpp"

namespace {

constexpr std::int64_t iterations = 1'000'000;

using Nanoseconds = std::chrono::duration<double, std::nano>;

TARE_BENCHMARK("loop/tare", [](tare::Context& c) {
  c.label("our loop around a barrier, nothing subtracted");
  c.measure_told([] {
    auto barrier = [] { tare::clobber(); };
    const tare::Synchronise none;
    tare::detail::PlainBody body(barrier, none);
    double total = 0;
    body.time(iterations, &total);
    return Nanoseconds(total / iterations);
  });
});

TARE_BENCHMARK("loop/google", [](tare::Context& c) {
  c.label("Google Benchmark's loop around a barrier");
  c.measure_told([] { return Nanoseconds(harness::google_loop(iterations, true)); });
});

TARE_BENCHMARK("loop/google-empty", [](tare::Context& c) {
  c.label("Google Benchmark's loop around nothing: the compiler removes it");
  c.measure_told([] { return Nanoseconds(harness::google_loop(iterations, false)); });
});

/// About 20 ns that no compiler shortens: a chain of dependent multiplications, which goes on from state to
/// state, so that no processor overlaps two calls in one loop and not in the other.
double chain = 1;

struct State {
  std::array<double, 8> values{};
  void prepare() {
    for (auto& value : values) value = std::sin(value + 1.0);
  }
  void run() {
    double x = chain + values[0] * 1e-300;
    for (int i = 0; i < 16; ++i) tare::keep(x = x * 1.0000001);
    chain = x > 2 ? 1 : x;
  }
};

TARE_BENCHMARK("prepared/loop", [](tare::Context& c) {
  c.label("the body alone, no set-up: the truth");
  State state;
  state.prepare();
  c.measure([&] { state.run(); });
});

TARE_BENCHMARK("prepared/phases", [](tare::Context& c) {
  c.label("the same body, each call on freshly prepared state");
  c.phases([] { return State{}; })
      .prepare([](State& state) { state.prepare(); })
      .phase("run", [](State& state) { state.run(); })
      .measure();
});

/// Started by start/first-sample in a process of its own.
TARE_BENCHMARK("start/target", [](tare::Context& c) { c.measure([] { tare::clobber(); }); });

TARE_BENCHMARK("start/first-sample", [](tare::Context& c) {
  c.label("from launching a process to its first sample in our hands");
  c.measure_told([] {
    const auto begun = std::chrono::steady_clock::now();
    const auto deadline = begun + std::chrono::seconds(10);
    auto worker = tare::Worker::start({{"/proc/self/exe"}, {}, {}, {}}, deadline, nullptr);
    if (!worker) throw std::runtime_error(worker.error().message);
    if (auto prepared = worker->prepare({"start/target", {}}, 1, deadline); !prepared) {
      throw std::runtime_error(prepared.error().message);
    }
    if (auto sample = worker->sample({1, 1}, deadline); !sample)
      throw std::runtime_error(sample.error().message);
    return std::chrono::steady_clock::now() - begun;
  });
});

}  // namespace
