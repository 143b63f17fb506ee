#include <bench/bench.hpp>
#include <string>

void append(tare::Context& c) {
  const auto n = c.param("n");
  c.items(n);
  c.measure([n] {
    std::string text;
    text.reserve(static_cast<std::size_t>(n));
    for (auto left = n; left > 0; --left) text += 'x';
    tare::keep(text);
  });
}
TARE_BENCHMARK("string/append", append).param("n", tare::list({10, 100, 1000}));
