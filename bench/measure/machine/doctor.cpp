#include "bench/measure/machine/doctor.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "bench/support/text.hpp"

namespace tare {
namespace {

Finding unknown(std::string topic, std::string observed, std::string advice) {
  return {std::move(topic), Health::unknown, std::move(observed), std::move(advice)};
}

Finding good(std::string topic, std::string observed) {
  return {std::move(topic), Health::good, std::move(observed), ""};
}

Finding judge_load(const Machine& machine, const Observations& seen) {
  // One busy CPU in five already shares caches and clock frequency; above two in three, ours is shared too.
  constexpr double quiet = 0.2;
  constexpr double crowded = 0.67;
  constexpr double idle_process = 0.05;
  if (!seen.load) return unknown("load", "no load average", "check with top that nothing else runs");
  const double share = *seen.load / std::max(machine.threads, 1);
  const bool busy = seen.busiest && seen.busiest->cpus >= quiet;
  std::string observed = fmt::format("load average {:.2f} on {} CPUs", *seen.load, machine.threads);
  if (seen.busiest && seen.busiest->cpus >= idle_process)
    observed +=
        fmt::format("; busiest other process: {} ({:.2f} CPUs)", seen.busiest->name, seen.busiest->cpus);
  if (share < quiet && !busy) return good("load", observed);
  const std::string advice = busy ? fmt::format("end {} or wait until it is done", seen.busiest->name)
                                  : "wait until the machine is quiet, or end what else runs";
  return {"load", share < crowded ? Health::caution : Health::bad, observed, advice};
}

Finding judge_interruptions(const Observations& seen) {
  constexpr double noticeable = 0.01;
  constexpr double severe = 0.1;
  if (!seen.noise)
    return unknown("interruptions", "not measured", "let the doctor measure the noise, which takes a second");
  const Interference& during = seen.during_noise;
  const double busy_ns = seen.noise->median_ns * static_cast<double>(seen.noise->samples);
  const double waited = busy_ns > 0 ? static_cast<double>(during.wait_ns) / busy_ns : 0;
  const std::string observed =
      fmt::format("{} involuntary switches, {} waiting for a CPU, in {} of work", during.involuntary_switches,
                  format_duration(static_cast<double>(during.wait_ns)), format_duration(busy_ns));
  if (waited < noticeable) return good("interruptions", observed);
  return {"interruptions", waited < severe ? Health::caution : Health::bad, observed,
          "others take this CPU away: end them, or reserve CPUs (isolcpus=, cset shield) and pin to them "
          "(taskset)"};
}

Finding judge_governor(const Machine& machine) {
  if (machine.governor.empty())
    return unknown("governor", "the machine does not show its frequency governor",
                   machine.hypervisor.empty() ? "nothing to do; watch for a drift over the samples"
                                              : "nothing to do here: the virtual machine's host decides");
  if (machine.governor == "performance") return good("governor", machine.governor);
  return {"governor", Health::caution, machine.governor,
          "the clock frequency follows the load, so short benchmarks run slow: cpupower frequency-set -g "
          "performance"};
}

Finding judge_turbo(const Machine& machine) {
  if (machine.turbo.empty())
    return unknown("turbo", "the machine does not show whether turbo is on",
                   "nothing to do; compare side by side, never with an old run");
  if (machine.turbo == "off") return good("turbo", "off");
  return {"turbo", Health::caution, machine.turbo,
          "the frequency depends on heat and on the other cores; for steady times write 1 to "
          "/sys/devices/system/cpu/intel_pstate/no_turbo or 0 to /sys/devices/system/cpu/cpufreq/boost"};
}

Finding judge_smt(const Machine& machine) {
  if (machine.smt.empty())
    return unknown("smt", "the machine does not show whether cores are shared by two threads",
                   "compare 'cores' and 'threads' of the machine by hand");
  if (machine.smt != "on") return good("smt", machine.smt);
  return {"smt", Health::caution, "on: two threads share a core",
          "pin the benchmark to a core whose sibling is idle, or write off to "
          "/sys/devices/system/cpu/smt/control"};
}

Finding judge_aslr(const Machine& machine) {
  if (machine.aslr.empty())
    return unknown("aslr", "unknown whether addresses are randomised",
                   "check /proc/sys/kernel/randomize_va_space; it should be 2");
  if (machine.aslr == "on") return good("aslr", "on: results average over memory placements");
  return {"aslr", Health::caution, machine.aslr,
          "every process gets the same memory placement, whose luck then looks like an effect: run without "
          "setarch -R and set sysctl kernel.randomize_va_space=2"};
}

Finding judge_virtualisation(const Machine& machine, const Observations& seen) {
  constexpr double much_stolen = 0.01;
  const double stolen = seen.steal_share.value_or(0);
  if (machine.hypervisor.empty() && stolen == 0) return good("virtualisation", "none seen");
  const std::string name = machine.hypervisor.empty() ? "a hidden hypervisor" : machine.hypervisor;
  std::string observed = seen.steal_share ? fmt::format("{}; {} of the CPU time since boot went to others",
                                                        name, format_percent(stolen))
                                          : name + "; steal time is not shown";
  return {"virtualisation", stolen > much_stolen ? Health::bad : Health::caution, std::move(observed),
          stolen > much_stolen
              ? "neighbours take CPU time: use a dedicated host, or count instructions instead of time"
              : "neighbours may disturb: compare interleaved, use many processes, or count "
                "instructions instead of time"};
}

Finding judge_clock(const Machine& machine, const Observations& seen) {
  constexpr double slow_read_ns = 200;  // a system call instead of a read in user space
  constexpr double coarse_ns = 1000;
  std::string observed = machine.clock_source.empty() ? "source unknown" : machine.clock_source;
  if (seen.clock)
    observed += fmt::format("; steps of {}, one reading costs {}", format_duration(seen.clock->resolution_ns),
                            format_duration(seen.clock->read_ns));
  const bool slow_source = machine.clock_source == "hpet" || machine.clock_source == "acpi_pm" ||
                           machine.clock_source == "jiffies" || machine.clock_source == "refined-jiffies";
  const bool coarse = seen.clock && seen.clock->resolution_ns > coarse_ns;
  const bool slow = seen.clock && seen.clock->read_ns > slow_read_ns;
  if (slow_source || coarse)
    return {"clock", Health::bad, observed,
            "short samples are not measurable: choose the tsc clock source (boot with clocksource=tsc if the "
            "processor's is reliable)"};
  if (slow)
    return {"clock", Health::caution, observed,
            "reading the clock is slow; samples must be longer, which tare does by itself"};
  if (!seen.clock && machine.clock_source.empty())
    return unknown("clock", observed, "run tare doctor on the machine");
  return good("clock", observed);
}

Finding judge_counters(const Observations& seen) {
  if (!seen.counters) return unknown("counters", "not tried", "run tare doctor on the machine");
  if (seen.counters->empty()) return good("counters", "hardware counters can be read");
  const std::size_t advice = seen.counters->find("; ");
  if (advice == std::string::npos)
    return {"counters", Health::caution, *seen.counters, "count instructions with valgrind instead"};
  return {"counters", Health::caution, seen.counters->substr(0, advice), seen.counters->substr(advice + 2)};
}

Finding judge_energy(const Observations& seen) {
  if (seen.energy == "measured") return good("energy", "RAPL can be read");
  return unknown("energy", seen.energy.empty() ? "not tried" : seen.energy,
                 "energy can only be estimated here: give --watts-per-core");
}

Finding judge_memory(const Observations& seen) {
  constexpr double little = 0.1;
  constexpr double hardly_any = 0.03;
  constexpr double pressed = 0.01;
  if (!seen.memory_available_share)
    return unknown("memory", "not shown", "check with free that memory is available");
  std::string observed = fmt::format("{} available", format_percent(*seen.memory_available_share));
  if (seen.swap_used_bytes > 0)
    observed += fmt::format(", {} swapped out", format_bytes(static_cast<double>(seen.swap_used_bytes)));
  const bool waiting = seen.memory_pressure.value_or(0) > pressed;
  if (waiting)
    observed +=
        fmt::format(", processes waited for memory {} of the time", format_percent(*seen.memory_pressure));
  const std::string advice = "end what uses memory: page faults and swapping will be in the times";
  if (*seen.memory_available_share < hardly_any || (waiting && seen.swap_used_bytes > 0))
    return {"memory", Health::bad, observed, advice};
  if (*seen.memory_available_share < little || waiting) return {"memory", Health::caution, observed, advice};
  return good("memory", observed);
}

Finding judge_throttling(const Observations& seen) {
  if (!seen.throttle_events)
    return unknown("throttling", "the machine does not count thermal throttling",
                   "watch for results that slow down over the samples");
  if (*seen.throttle_events == 0) return good("throttling", "never since boot");
  return {"throttling", Health::caution, fmt::format("{} times since boot", *seen.throttle_events),
          "the processor gets too hot: improve the cooling, switch turbo off, or let it rest between runs"};
}

Finding judge_power(const Observations& seen) {
  if (!seen.on_battery) return good("power", "no battery");
  if (!*seen.on_battery) return good("power", "on mains");
  return {"power", Health::bad, "on battery",
          "plug it in: on battery the processor saves power and times change"};
}

Finding judge_limits(const Machine& machine, const Observations& seen) {
  std::vector<std::string> observed;
  if (seen.allowed_cpus && *seen.allowed_cpus != machine.threads)
    observed.push_back(fmt::format("may use {} of {} CPUs", *seen.allowed_cpus, machine.threads));
  const double usable = seen.allowed_cpus.value_or(std::max(machine.threads, 1));
  const bool limited = seen.cpu_quota && *seen.cpu_quota < usable;
  if (limited)
    observed.push_back(
        fmt::format("the control group allows {} CPUs of time", format_number(*seen.cpu_quota)));
  if (observed.empty()) return good("limits", "none");
  if (!limited) return good("limits", join(observed, ", "));
  // Below one CPU even a single thread is stopped in every period; above, only parallel work is.
  return {
      "limits", *seen.cpu_quota < 1 ? Health::bad : Health::caution, join(observed, ", "),
      "the kernel stops the process when its time is used up: run outside the container's limit (cpu.max)"};
}

Finding judge_noise(const Observations& seen, const ComparisonSize& comparison) {
  constexpr double quiet = 0.01;
  constexpr double noisy = 0.05;
  if (!seen.noise)
    return unknown("noise", "not measured", "let the doctor measure the noise, which takes a second");
  const std::string observed = fmt::format(
      "{} between {} samples of {}; {} processes × {} samples a side could see a change of {} at best",
      format_percent(seen.noise->relative), seen.noise->samples, format_duration(seen.noise->median_ns),
      comparison.processes, comparison.samples_per_side,
      format_percent(smallest_change(seen.noise->relative, comparison)));
  if (seen.noise->relative < quiet) return good("noise", observed);
  return {"noise", seen.noise->relative < noisy ? Health::caution : Health::bad, observed,
          "remove the causes above, take more processes, or gate on allocations and instructions, which are "
          "exact"};
}

}  // namespace

std::vector<Finding> judge(const Machine& machine, const Observations& seen,
                           const ComparisonSize& comparison) {
  return {judge_load(machine, seen),
          judge_interruptions(seen),
          judge_governor(machine),
          judge_turbo(machine),
          judge_smt(machine),
          judge_aslr(machine),
          judge_virtualisation(machine, seen),
          judge_clock(machine, seen),
          judge_counters(seen),
          judge_energy(seen),
          judge_memory(seen),
          judge_throttling(seen),
          judge_power(seen),
          judge_limits(machine, seen),
          judge_noise(seen, comparison)};
}

std::vector<Finding> examine(const Machine& machine, const std::filesystem::path& root,
                             const ExamineOptions& options) {
  return judge(machine, observe(root, options), options.comparison);
}

}  // namespace tare
