// Benchmarks that behave and misbehave on purpose. Times are told, so that no test depends on the machine's
// speed.
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <errno.h>
#include <stdexcept>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "bench/bench.hpp"

namespace {

using namespace std::chrono_literals;

void told(tare::Context& c) {
  // Alternates around the parameter, so that intervals have a width.
  const auto ms = c.param("ms");
  int call = 0;
  c.items(10);
  c.measure_told([ms, call]() mutable { return std::chrono::microseconds(1000 * ms + (call++ % 3 - 1)); });
}
TARE_BENCHMARK("good/told", told).param("ms", tare::list({1, 2})).tag("kind", "good");

TARE_BENCHMARK("good/phases", [](tare::Context& c) {
  c.phases([] { return 0; })
      .prepare([](int& x) { x = 1; })
      .phase("forward", [](int& x) { tare::keep(x += 1); })
      .phase("backward", [](int& x) { tare::keep(x += 1); })
      .measure();
}).tag("kind", "good");

TARE_BENCHMARK("good/checked", [](tare::Context& c) {
  c.check([] { return tare::CheckResult{true, "", 1e-12}; });
  c.workload().shape = {2, 3};
  c.workload().dtype = "f32";
  c.counter({"tape_entries", 42});
  c.measure_told([] { return 1ms; });
}).tag("kind", "good");

TARE_BENCHMARK("work/stated", [](tare::Context& c) {
  c.flops(1e6).bytes(1e6);
  c.workload().dtype = "f32";
  c.measure_told([ms = c.param("length")] { return std::chrono::milliseconds(ms); });
}).param("length", tare::list({1, 2}));

// An invented program: a product and two operations on large arrays, which a graph makes one of.
std::vector<tare::ModeBreakdown> invented(int& execution) {
  const auto op = [](const char* name, tare::OpKind kind, double start, double ns, double flops,
                     double bytes) {
    tare::OpCost cost;
    cost.name = name;
    cost.kind = kind;
    cost.shapes = {{64, 64}};
    cost.start_ns = start;
    cost.duration_ns = ns;
    cost.flops = flops;
    cost.bytes = bytes;
    return cost;
  };
  using enum tare::OpKind;
  // Around the middle, so that intervals have a width; the first, to warm up, is far off.
  const double late = ++execution == 1 ? 50e6 : 1e5 * (execution % 3 - 1);
  return {
      {"eager",
       {op("matmul", matmul, 0, 85e6, 1e9, 1e6), op("layer_norm", other, 85e6, 10e6, 1e6, 1e8),
        op("relu", other, 95e6, 5e6 + late, 1e6, 5e7)},
       102e6 + late,
       200},
      {"graph",
       {op("matmul", matmul, 0, 85e6, 1e9, 1e6), op("layer_norm+relu", other, 85e6, 5e6 + late, 2e6, 5e7)},
       90e6 + late,
       20}};
}
TARE_BENCHMARK("explained/invented", [](tare::Context& c) {
  int execution = 0;
  c.explain([&] { return invented(execution); },
            [] { return tare::ProgramText{"0  matmul\n1  layer_norm+relu\n", "digraph invented {}\n"}; });
  c.measure_told([] { return 1ms; });
}).tag("kind", "explained");
TARE_BENCHMARK("explained/changing", [](tare::Context& c) {
  int execution = 0;
  c.explain([&] {
    auto modes = invented(execution);
    if (execution == 3) modes[0].ops.pop_back();
    return modes;
  });
  c.measure_told([] { return 1ms; });
});
TARE_BENCHMARK("explained/throws", [](tare::Context& c) {
  c.explain([]() -> std::vector<tare::ModeBreakdown> { throw std::runtime_error("no trace today"); });
  c.measure_told([] { return 1ms; });
});

TARE_BENCHMARK("good/allocates", [](tare::Context& c) {
  c.measure([] { tare::keep(std::vector<char>(1000)); });
}).tag("kind", "good");

TARE_BENCHMARK("bad/check", [](tare::Context& c) {
  c.check([] { return tare::CheckResult{false, "gradient off by 3", 3.0}; });
  c.measure_told([] { return 1ms; });
});
TARE_BENCHMARK("bad/throws",
               [](tare::Context& c) { c.measure([] { throw std::runtime_error("thrown on purpose"); }); });
TARE_BENCHMARK("bad/never", [](tare::Context&) {});
TARE_BENCHMARK("bad/segfault", [](tare::Context& c) {
  std::fprintf(stderr, "about to crash\n");
  std::signal(SIGSEGV, SIG_DFL);  // a sanitizer would turn it into an exit
  c.measure([] { std::raise(SIGSEGV); });
});
TARE_BENCHMARK("bad/exit", [](tare::Context& c) { c.measure([] { std::_Exit(7); }); });
TARE_BENCHMARK("bad/hang", [](tare::Context& c) { c.measure([] { std::this_thread::sleep_for(1h); }); });
TARE_BENCHMARK("bad/skip", [](tare::Context& c) { c.skip("no device here"); });
TARE_BENCHMARK("loud/stdout", [](tare::Context& c) {
  const std::vector<char> megabyte(1 << 20, 'x');
  bool written = false;
  c.measure_told([&] {
    for (int i = 0; !written && i < 1024; ++i) std::fwrite(megabyte.data(), 1, megabyte.size(), stdout);
    written = true;
    return 1ms;
  });
});
TARE_BENCHMARK("loud/stderr", [](tare::Context& c) {
  const std::vector<char> megabyte(1 << 20, 'y');
  bool written = false;
  c.measure_told([&] {
    for (int i = 0; !written && i < 64; ++i) std::fwrite(megabyte.data(), 1, megabyte.size(), stderr);
    written = true;
    return 1ms;
  });
});
TARE_BENCHMARK("slow/second", [](tare::Context& c) { c.measure([] { std::this_thread::sleep_for(1s); }); });

// For comparisons: what a copy of this program does depends on the words in its file name.
bool named(const char* word) {
  return std::strstr(program_invocation_short_name, word) != nullptr;
}

TARE_BENCHMARK("side/time", [](tare::Context& c) {
  const auto us = named("slower") ? 1100 : named("faster") ? 500 : named("zero") ? 0 : 1000;
  int call = 0;
  c.workload().batch = named("batch") ? 2 : 1;
  c.counter({"entries", named("entries") ? 43.0 : 42.0, named("unit") ? "B" : "1"});
  if (named("wrong")) c.check([] { return tare::CheckResult{false, "wrong on purpose", 1.0}; });
  c.measure_told([us, call]() mutable {
    if (named("crash") && call > 3) {
      std::signal(SIGSEGV, SIG_DFL);  // a sanitizer would turn it into an exit
      std::raise(SIGSEGV);
    }
    return std::chrono::nanoseconds(1000 * us + (us > 0 ? call++ % 3 - 1 : 0));
  });
});
TARE_BENCHMARK("side/allocates", [](tare::Context& c) {
  c.measure([] {
    for (int i = 0; i < (named("allocs") ? 3 : 2); ++i) tare::keep(std::vector<char>(100));
  });
});
// A load that is there during this side's samples only.
TARE_BENCHMARK("side/loaded", [](tare::Context& c) {
  const pid_t busy = named("loaded") ? ::fork() : -1;
  if (busy == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (volatile unsigned spin = 0;;) spin = spin + 1;
  }
  const auto tell = [busy](int signal) {
    if (busy > 0) ::kill(busy, signal);
  };
  tell(SIGSTOP);
  c.before_sample([&] { tell(SIGCONT); });
  c.after_sample([&] { tell(SIGSTOP); });
  c.measure([] {
    for (volatile unsigned spin = 0; spin < 10'000'000;) spin = spin + 1;
  });
  tell(SIGKILL);
  if (busy > 0) ::waitpid(busy, nullptr, 0);
});
[[maybe_unused]] const bool registered = [] {
  if (named("extra"))
    TARE_BENCHMARK("side/extra", [](tare::Context& c) { c.measure_told([] { return 1ms; }); });
  return true;
}();

}  // namespace
