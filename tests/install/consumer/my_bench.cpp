#include <bench/bench.hpp>
#include <cmath>

static void sine(tare::Context& c) {
  double x = 1;
  c.measure([&] { tare::keep(x = std::sin(x)); });
}
TARE_BENCHMARK("sine", sine);
