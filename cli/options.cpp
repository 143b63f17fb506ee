#include "cli/options.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <sched.h>

#include "bench/measure/passes.hpp"
#include "bench/support/text.hpp"

namespace tare::cli {

void SelectionOptions::add_to(CLI::App& app) {
  app.add_option("--filter", filter, "Only benchmarks whose name contains a match of this regular expression")
      ->type_name("RE");
  app.add_option("--param", parameters,
                 "Only benchmarks with this parameter value; may be given several times")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  app.add_option("--tag", tags, "Only benchmarks with this tag; may be given several times")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
}

Result<Selection> SelectionOptions::selection(std::vector<std::string> binaries) const {
  Selection chosen{std::move(binaries), filter, {}, {}};
  for (const auto& text : parameters) {
    auto pair = parse_assignment(text);
    if (!pair) return fail("--param: " + pair.error().message);
    chosen.parameters.push_back(*pair);
  }
  for (const auto& text : tags) {
    auto pair = parse_assignment(text);
    if (!pair) return fail("--tag: " + pair.error().message);
    chosen.tags.push_back(*pair);
  }
  return chosen;
}

void PlanOptions::add_common_to(CLI::App& app, const std::string& wall) {
  app.add_option(wall, budget, "Wall time for one benchmark, such as 10s or 500ms")->capture_default_str();
  app.add_option("--time-limit", time_limit, "Kill a benchmark that takes longer than this")
      ->capture_default_str();
  app.add_option("--processes", processes, "Exactly this many processes per benchmark, instead of by budget")
      ->check(CLI::PositiveNumber);
  app.add_option(
         "--meters", meters,
         fmt::format("Meters to read in passes of their own: {}, or none", join(known_meters(), ", ")))
      ->capture_default_str();
  app.add_option("--seed", seed, "Seed of the benchmarks' data")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  app.add_option("--pin", cpu, "Run every worker on this CPU")->type_name("CPU");
}

void PlanOptions::add_to(CLI::App& app) {
  add_common_to(app);
  app.add_option("--precision", precision, "Stop early when the interval is this narrow (half width)")
      ->capture_default_str();
  app.add_option("--samples", samples, "Exactly this many samples per process, instead of by budget")
      ->check(CLI::PositiveNumber);
  app.add_option("--watts-per-core", watts_per_core,
                 "Estimate energy as CPU time times this, where it cannot be measured");
}

Result<Plan> PlanOptions::plan() const {
  Plan plan;
  auto wall = parse_duration(budget);
  if (!wall) return fail("--budget: " + wall.error().message);
  plan.budget = *wall;
  auto limit = parse_duration(time_limit);
  if (!limit) return fail("--time-limit: " + limit.error().message);
  // A limit left at its default must not cut a longer budget short.
  plan.time_limit =
      std::max<std::chrono::nanoseconds>(*limit, time_limit == "60s" ? 2 * plan.budget : *limit);
  if (processes > 0) plan.processes = processes;
  if (samples > 0) plan.samples = samples;
  plan.seed = seed;
  if (!(watts_per_core >= 0 && watts_per_core < 10'000))
    return fail("--watts-per-core: must be between 0 and 10000");
  plan.watts_per_core = watts_per_core;
  plan.meters.clear();
  for (const auto& name : split(meters, ',')) {
    const auto meter = std::string(trim(name));
    if (meter.empty() || meter == "none") continue;
    const auto& known = known_meters();
    if (std::find(known.begin(), known.end(), meter) == known.end()) {
      return fail(
          fmt::format("--meters: there is no meter '{}'; there are {}", printable(meter), join(known, ", ")));
    }
    plan.meters.push_back(meter);
  }
  if (cpu != -1) {
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    if (::sched_getaffinity(0, sizeof allowed, &allowed) != 0 || cpu < 0 || cpu >= CPU_SETSIZE ||
        !CPU_ISSET(static_cast<std::size_t>(cpu), &allowed)) {
      return fail(
          fmt::format("--pin: this process may not run on CPU {}; 'nproc' tells how many there are", cpu));
    }
    plan.cpu = cpu;
  }
  return plan;
}

Result<Precision> PlanOptions::wanted() const {
  auto fraction = parse_fraction(precision);
  if (!fraction) return fail("--precision: " + fraction.error().message);
  return Precision{*fraction};
}

}  // namespace tare::cli
