#include "bench/measure/instruction_pass.hpp"

#include <fmt/format.h>

#include "bench/measure/bare.hpp"
#include "bench/measure/meters/instructions.hpp"

extern char** environ;

namespace tare {

Metric count_instructions_of(const std::string& binary, const BenchmarkId& id, const Plan& plan,
                             const std::atomic<bool>* cancelled) {
  constexpr std::uint64_t n = 10;
  Metric metric{"instructions", "1", Better::less, Nature::exact, "measured (callgrind)", {}, {}, {}};
  ValgrindOptions options;
  options.collect_at_start = false;
  options.limit = std::chrono::ceil<std::chrono::milliseconds>(plan.time_limit);
  std::uint64_t totals[2] = {0, 0};
  for (const std::uint64_t part : {1, 2}) {
    if (cancelled != nullptr && *cancelled) {
      metric.origin = "unavailable (cancelled)";
      return metric;
    }
    std::vector<std::string> environment;
    for (char** entry = environ; *entry != nullptr; ++entry) environment.emplace_back(*entry);
    environment.push_back(fmt::format("{}={}", bare_benchmark_variable, id.full()));
    environment.push_back(fmt::format("{}={:08}", bare_iterations_variable, part * n));
    environment.push_back(fmt::format("{}={}", bare_seed_variable, plan.seed));
    auto total = count_instructions({binary}, environment, options);
    if (!total) {
      metric.origin = fmt::format("unavailable ({})", total.error().message);
      return metric;
    }
    totals[part - 1] = *total;
  }
  if (totals[0] == 0) {
    metric.origin = "unavailable (callgrind counted nothing; was tare built with valgrind's headers?)";
    return metric;
  }
  const auto each = instructions_per_iteration(totals[0], totals[1], n);
  if (each) {
    metric.samples.push_back({0, n, *each * n, {}});
  } else {
    metric.origin = fmt::format("unavailable ({})", each.error().message);
  }
  return metric;
}

}  // namespace tare
