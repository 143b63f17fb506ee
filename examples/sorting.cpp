// Parameters, throughput, a correctness check on fresh data, and set-up that is not timed.
#include <algorithm>
#include <random>
#include <vector>

#include "bench/bench.hpp"

namespace {

std::vector<double> random_doubles(std::size_t n, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> uniform(0, 1);
  std::vector<double> values(n);
  for (auto& value : values) value = uniform(random);
  return values;
}

void sort_doubles(tare::Context& c) {
  const auto n = c.param<std::size_t>("n");
  const auto data = random_doubles(n, c.seed());
  c.workload().shape = {static_cast<std::int64_t>(n)};
  c.workload().dtype = "f64";
  c.workload().data_hash = tare::hash_bytes(std::as_bytes(std::span(data)));
  c.items(static_cast<double>(n));
  c.check([n](std::uint64_t seed) {
    auto fresh = random_doubles(n, seed);
    std::sort(fresh.begin(), fresh.end());
    return std::is_sorted(fresh.begin(), fresh.end());
  });
  // Copying must not be timed, and a sorted vector must not be sorted again: a state per call, prepared
  // apart.
  c.phases([&] { return data; })
      .prepare([&](std::vector<double>& work) { std::copy(data.begin(), data.end(), work.begin()); })
      .phase("sort", [](std::vector<double>& work) { std::sort(work.begin(), work.end()); })
      .measure();
}
TARE_BENCHMARK("sort/doubles", sort_doubles)
    .param("n", tare::range(100, 100'000, 10))
    .tag("kind", "algorithm");

}  // namespace
