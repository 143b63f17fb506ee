#include "bench/measure/plan.hpp"

#include <algorithm>
#include <cmath>

namespace tare {

std::chrono::nanoseconds share_of_process(const Plan& plan) {
  const auto processes = plan.processes.value_or(plan.most_processes);
  return plan.budget / static_cast<std::int64_t>(std::max<std::size_t>(processes, 1));
}

double target_sample_ns(const Plan& plan, double resolution_ns, double clock_cost_ns) {
  const double fiftieth = static_cast<double>(share_of_process(plan).count()) / 50;
  return std::max({std::clamp(fiftieth, 100e3, 50e6), 1000 * resolution_ns, 1000 * clock_cost_ns});
}

std::uint64_t next_iterations(std::uint64_t iterations, std::uint64_t granularity, double elapsed_ns,
                              double target_ns) {
  constexpr std::uint64_t most = 1'000'000'000'000;
  if (elapsed_ns >= target_ns || iterations >= most) return iterations;
  // Ten percent more than predicted, so that the next try is long enough.
  const double factor = elapsed_ns > 0 ? std::clamp(1.1 * target_ns / elapsed_ns, 2.0, 10.0) : 10.0;
  const auto wanted = static_cast<std::uint64_t>(std::ceil(static_cast<double>(iterations) * factor));
  return (wanted + granularity - 1) / granularity * granularity;
}

bool wants_another_process(const Plan& plan, const MeasuredSoFar& standing) {
  if (standing.processes == 0) return true;
  if (plan.processes) return standing.processes < *plan.processes;
  if (standing.processes >= plan.most_processes) return false;
  if (standing.spent + standing.longest_process > plan.budget) return false;
  return standing.processes < plan.least_processes || !standing.precise;
}

std::uint64_t samples_at_once(double sample_ns, std::size_t still_wanted) {
  const double fit = sample_ns > 0 ? 20e6 / sample_ns : 1000.0;
  return static_cast<std::uint64_t>(
      std::clamp(std::floor(fit), 1.0, static_cast<double>(std::max<std::size_t>(still_wanted, 1))));
}

}  // namespace tare
