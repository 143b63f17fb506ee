// Bodies bound by memory, and one that leaves the core to a device of its own.
#include <cstring>
#include <vector>

#include "bench/bench.hpp"

namespace {

TARE_BENCHMARK("memcpy",
               [](tare::Context& c) {
                 const auto n = c.param<std::size_t>("bytes");
                 const std::vector<char> from(n, 'x');
                 std::vector<char> to(n);
                 c.bytes(2.0 * static_cast<double>(n));
                 c.measure([&] {
                   std::memcpy(to.data(), from.data(), n);
                   tare::clobber();
                 });
               })
    .param("bytes", tare::range(4'096, 16'777'216, 64))
    .tag("kind", "memory");

TARE_BENCHMARK("vector/grow", [](tare::Context& c) {
  c.label("reallocates as it grows; compare with vector/reserved");
  c.items(1000);
  c.measure([] {
    std::vector<int> values;
    for (int i = 0; i < 1000; ++i) values.push_back(i);
    tare::keep(values);
  });
}).tag("kind", "memory");

TARE_BENCHMARK("vector/reserved", [](tare::Context& c) {
  c.items(1000);
  c.measure([] {
    std::vector<int> values;
    values.reserve(1000);
    for (int i = 0; i < 1000; ++i) values.push_back(i);
    tare::keep(values);
  });
}).tag("kind", "memory");

}  // namespace
