// The smallest benchmarks: a lambda and a line each; nanoseconds, so that the harness's own cost matters.
#include <string>
#include <unordered_map>

#include "bench/bench.hpp"

namespace {

TARE_BENCHMARK("hash/string",
               [](tare::Context& c) {
                 const std::string text(c.param<std::size_t>("length"), 'x');
                 c.bytes(static_cast<double>(text.size()));
                 c.measure([&] { tare::keep(std::hash<std::string>{}(tare::opaque(&text)[0])); });
               })
    .param("length", tare::list({8, 64, 1024}))
    .tag("kind", "hash");

TARE_BENCHMARK("map/find", [](tare::Context& c) {
  std::unordered_map<int, int> map;
  for (int i = 0; i < 10'000; ++i) map[i * 7] = i;
  int key = 0;
  c.items(1);
  c.measure([&] {
    key = key < 69'000 ? key + 7 : 0;
    tare::keep(map.find(key)->second);
  });
}).tag("kind", "hash");

TARE_BENCHMARK("string/append", [](tare::Context& c) {
  c.label("allocates when the string outgrows its buffer");
  c.measure([] {
    std::string text;
    for (int i = 0; i < 100; ++i) text += 'x';
    tare::keep(text);
  });
}).tag("kind", "memory");

}  // namespace
