#include "bench/measure/machine/doctor.hpp"

#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tare {
namespace {

using testing::HasSubstr;

Machine quiet_machine() {
  Machine machine;
  machine.cpu = "Invented 3000";
  machine.cores = 4;
  machine.threads = 4;
  machine.governor = "performance";
  machine.turbo = "off";
  machine.smt = "off";
  machine.aslr = "on";
  machine.clock_source = "tsc";
  return machine;
}

Observations quiet_observations() {
  Observations seen;
  seen.load = 0.1;
  seen.busiest = BusyProcess{"idle", 0.001};
  seen.steal_share = 0;
  seen.clock = ClockQuality{1, 20};
  seen.counters = "";
  seen.energy = "measured";
  seen.memory_available_share = 0.8;
  seen.memory_pressure = 0;
  seen.throttle_events = 0;
  seen.allowed_cpus = 4;
  seen.noise = MachineNoise{1000, 1e6, 0.002};
  return seen;
}

Finding about(const std::string& topic, const Machine& machine, const Observations& seen) {
  for (const Finding& finding : judge(machine, seen))
    if (finding.topic == topic) return finding;
  return {};
}

TEST(Doctor, finds_nothing_wrong_with_a_quiet_machine) {
  const auto findings = judge(quiet_machine(), quiet_observations());
  EXPECT_EQ(findings.size(), 15U);
  for (const Finding& finding : findings) {
    EXPECT_EQ(finding.health, Health::good) << finding.topic << ": " << finding.observed;
    EXPECT_EQ(finding.advice, "") << finding.topic;
    EXPECT_NE(finding.observed, "") << finding.topic;
  }
}

TEST(Doctor, says_of_an_unknown_machine_that_it_is_unknown_and_what_to_do) {
  for (const Finding& finding : judge(Machine{}, Observations{})) {
    EXPECT_TRUE(finding.health == Health::unknown || finding.health == Health::good) << finding.topic;
    EXPECT_EQ(finding.advice.empty(), finding.health == Health::good) << finding.topic;
  }
}

struct Case {
  const char* name;
  const char* topic;
  std::function<void(Machine&, Observations&)> change;
  Health health;
  const char* observed;
  const char* advice;
};

class DoctorCase : public testing::TestWithParam<Case> {};

TEST_P(DoctorCase, is_judged_with_advice) {
  Machine machine = quiet_machine();
  Observations seen = quiet_observations();
  GetParam().change(machine, seen);
  const Finding finding = about(GetParam().topic, machine, seen);
  EXPECT_EQ(finding.health, GetParam().health) << finding.observed;
  EXPECT_THAT(finding.observed, HasSubstr(GetParam().observed));
  EXPECT_THAT(finding.advice, HasSubstr(GetParam().advice));
  EXPECT_EQ(finding.advice.empty(), finding.health == Health::good);
  for (const Finding& other : judge(machine, seen))
    EXPECT_TRUE(other.topic == finding.topic || other.health == Health::good) << other.topic;
}

INSTANTIATE_TEST_SUITE_P(
    Table, DoctorCase,
    testing::Values(
        Case{"some_load", "load", [](Machine&, Observations& o) { o.load = 1.0; }, Health::caution,
             "1.00 on 4", "wait"},
        Case{"full_load", "load", [](Machine&, Observations& o) { o.load = 4.0; }, Health::bad, "4.00 on 4",
             "wait"},
        Case{"a_busy_process", "load",
             [](Machine&, Observations& o) { o.busiest = BusyProcess{"cc1plus", 0.98}; }, Health::caution,
             "cc1plus (0.98 CPUs)", "end cc1plus"},
        Case{"waiting", "interruptions",
             [](Machine&, Observations& o) { o.during_noise.wait_ns = 50'000'000; }, Health::caution,
             "50.0 ms waiting", "taskset"},
        Case{"waiting_long", "interruptions",
             [](Machine&, Observations& o) { o.during_noise.wait_ns = 500'000'000; }, Health::bad,
             "500 ms waiting", "taskset"},
        Case{"powersave", "governor", [](Machine& m, Observations&) { m.governor = "powersave"; },
             Health::caution, "powersave", "cpupower"},
        Case{"mixed_governors", "governor",
             [](Machine& m, Observations&) { m.governor = "performance, powersave"; }, Health::caution,
             "powersave", "cpupower"},
        Case{"no_governor", "governor", [](Machine& m, Observations&) { m.governor = ""; }, Health::unknown,
             "governor", "nothing to do"},
        Case{"turbo_on", "turbo", [](Machine& m, Observations&) { m.turbo = "on"; }, Health::caution, "on",
             "no_turbo"},
        Case{"turbo_unknown", "turbo", [](Machine& m, Observations&) { m.turbo = ""; }, Health::unknown,
             "turbo", "side"},
        Case{"smt_on", "smt", [](Machine& m, Observations&) { m.smt = "on"; }, Health::caution,
             "share a core", "sibling"},
        Case{"aslr_off", "aslr", [](Machine& m, Observations&) { m.aslr = "off"; }, Health::caution, "off",
             "randomize_va_space=2"},
        Case{"aslr_partial", "aslr", [](Machine& m, Observations&) { m.aslr = "partial"; }, Health::caution,
             "partial", "randomize_va_space=2"},
        Case{"virtual_machine", "virtualisation", [](Machine& m, Observations&) { m.hypervisor = "KVM"; },
             Health::caution, "KVM", "interleaved"},
        Case{"stolen", "virtualisation",
             [](Machine& m, Observations& o) { m.hypervisor = "KVM", o.steal_share = 0.05; }, Health::bad,
             "5.0 %", "dedicated"},
        Case{"stolen_by_nobody", "virtualisation", [](Machine&, Observations& o) { o.steal_share = 0.001; },
             Health::caution, "hidden hypervisor", "instructions"},
        Case{"hpet", "clock", [](Machine& m, Observations&) { m.clock_source = "hpet"; }, Health::bad, "hpet",
             "tsc"},
        Case{"coarse_clock", "clock", [](Machine&, Observations& o) { o.clock = ClockQuality{4e6, 20}; },
             Health::bad, "4.00 ms", "tsc"},
        Case{"slow_clock", "clock", [](Machine&, Observations& o) { o.clock = ClockQuality{1, 900}; },
             Health::caution, "900 ns", "longer"},
        Case{"no_counters", "counters",
             [](Machine&, Observations& o) { o.counters = "no PMU; use valgrind"; }, Health::caution,
             "no PMU", "use valgrind"},
        Case{"no_counters_no_advice", "counters", [](Machine&, Observations& o) { o.counters = "no PMU"; },
             Health::caution, "no PMU", "valgrind"},
        Case{"no_energy", "energy", [](Machine&, Observations& o) { o.energy = "unavailable (no RAPL)"; },
             Health::unknown, "no RAPL", "--watts-per-core"},
        Case{"little_memory", "memory", [](Machine&, Observations& o) { o.memory_available_share = 0.05; },
             Health::caution, "5.0 % available", "swapping"},
        Case{"hardly_any_memory", "memory",
             [](Machine&, Observations& o) { o.memory_available_share = 0.01; }, Health::bad,
             "1.0 % available", "swapping"},
        Case{"swapping", "memory",
             [](Machine&, Observations& o) { o.memory_pressure = 0.2, o.swap_used_bytes = 1 << 30; },
             Health::bad, "1.00 GiB swapped out", "swapping"},
        Case{"old_swap", "memory", [](Machine&, Observations& o) { o.swap_used_bytes = 1 << 20; },
             Health::good, "1.00 MiB swapped out", ""},
        Case{"throttled", "throttling", [](Machine&, Observations& o) { o.throttle_events = 12; },
             Health::caution, "12 times", "cooling"},
        Case{"battery", "power", [](Machine&, Observations& o) { o.on_battery = true; }, Health::bad,
             "battery", "plug"},
        Case{"mains", "power", [](Machine&, Observations& o) { o.on_battery = false; }, Health::good, "mains",
             ""},
        Case{"half_a_cpu", "limits", [](Machine&, Observations& o) { o.cpu_quota = 0.5; }, Health::bad, "0.5",
             "cpu.max"},
        Case{"two_cpus", "limits", [](Machine&, Observations& o) { o.cpu_quota = 2; }, Health::caution, "2",
             "cpu.max"},
        Case{"enough_cpus", "limits", [](Machine&, Observations& o) { o.cpu_quota = 8; }, Health::good,
             "none", ""},
        Case{"pinned", "limits", [](Machine&, Observations& o) { o.allowed_cpus = 1; }, Health::good,
             "1 of 4", ""},
        Case{"some_noise", "noise",
             [](Machine&, Observations& o) { o.noise = MachineNoise{1000, 1e6, 0.02}; }, Health::caution,
             "2.0 %", "processes"},
        Case{"much_noise", "noise", [](Machine&, Observations& o) { o.noise = MachineNoise{1000, 1e6, 0.2}; },
             Health::bad, "20 %", "exact"}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(Doctor, states_the_smallest_visible_change_for_the_size_asked_for) {
  const ComparisonSize size{.processes = 5, .samples_per_side = 7};
  const Finding noise = judge(quiet_machine(), quiet_observations(), size).back();
  EXPECT_EQ(noise.topic, "noise");
  EXPECT_THAT(noise.observed, HasSubstr("5 processes × 7 samples"));
}

TEST(Doctor, examines_this_machine) {
  const auto findings =
      examine(quiet_machine(), "/", {.noise_time = std::chrono::milliseconds(5), .comparison = {}});
  EXPECT_EQ(findings.size(), 15U);
}

}  // namespace
}  // namespace tare
