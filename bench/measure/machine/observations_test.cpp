#include "bench/measure/machine/observations.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bench/measure/machine/made_up_tree.hpp"

namespace tare {
namespace {

using testing::HasSubstr;

const ExamineOptions quickly{.noise_time = std::chrono::milliseconds(0), .comparison = {}};

TEST(ProcessStat, survives_any_name) {
  const auto use =
      parse_process_stat("42 (evil) (name) R 1 1 1 0 -1 4194304 100 0 0 0 70 30 0 0 20 0 1 0 5 0 0");
  ASSERT_TRUE(use);
  EXPECT_EQ(use->name, "evil) (name");
  EXPECT_EQ(use->ticks, 100U);
  EXPECT_FALSE(parse_process_stat("42 (x) R 1 2"));
  EXPECT_FALSE(parse_process_stat(")("));
  EXPECT_FALSE(parse_process_stat(""));
}

TEST(CpuMax, is_quota_over_period) {
  EXPECT_EQ(parse_cpu_max("50000 100000"), 0.5);
  EXPECT_EQ(parse_cpu_max("250000 100000"), 2.5);
  EXPECT_FALSE(parse_cpu_max("max 100000"));
  EXPECT_FALSE(parse_cpu_max(""));
  EXPECT_FALSE(parse_cpu_max("100 0"));
}

TEST(Observing, a_laptop_on_battery_in_a_limited_container) {
  MadeUpTree tree;
  tree.put("proc/loadavg", "1.50 0.70 0.30 2/300 1234\n")
      .put("proc/stat", "cpu  100 0 100 700 0 0 0 100 50 0\n")
      .put("proc/meminfo", "MemTotal: 1000 kB\nMemAvailable: 250 kB\nSwapTotal: 500 kB\nSwapFree: 100 kB\n")
      .put("proc/pressure/memory", "some avg10=2.50 avg60=1.00 avg300=0.00 total=5\n")
      .put("proc/self/status", "Name:\tx\nCpus_allowed_list:\t0-1,4\n")
      .put("proc/self/cgroup", "0::/outer/inner\n")
      .put("sys/fs/cgroup/cpu.max", "400000 100000\n")
      .put("sys/fs/cgroup/outer/cpu.max", "150000 100000\n")
      .put("sys/fs/cgroup/outer/inner/cpu.max", "max 100000\n")
      .put("sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count", "3\n")
      .put("sys/devices/system/cpu/cpu1/thermal_throttle/core_throttle_count", "4\n")
      .put("sys/class/power_supply/AC/type", "Mains\n")
      .put("sys/class/power_supply/BAT0/type", "Battery\n")
      .put("sys/class/power_supply/BAT0/status", "Discharging\n");
  const Observations seen = observe(tree.root(), quickly);
  EXPECT_EQ(seen.load, 1.5);
  EXPECT_EQ(seen.steal_share, 0.1);
  EXPECT_EQ(seen.memory_available_share, 0.25);
  EXPECT_EQ(seen.memory_pressure, 0.025);
  EXPECT_EQ(seen.swap_used_bytes, 400U * 1024U);
  EXPECT_EQ(seen.allowed_cpus, 3);
  EXPECT_EQ(seen.cpu_quota, 1.5);
  EXPECT_EQ(seen.throttle_events, 7U);
  EXPECT_EQ(seen.on_battery, true);
  EXPECT_FALSE(seen.noise);
  EXPECT_THAT(seen.energy, HasSubstr("no RAPL package"));
}

TEST(Observing, the_older_control_groups_limit_too) {
  MadeUpTree tree;
  tree.put("proc/self/cgroup", "3:cpu,cpuacct:/a:b\n1:name=systemd:/\n0::/\n")
      .put("sys/fs/cgroup/cpu,cpuacct/a:b/cpu.cfs_quota_us", "200000\n")
      .put("sys/fs/cgroup/cpu,cpuacct/a:b/cpu.cfs_period_us", "100000\n")
      .put("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "-1\n")
      .put("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(observe(tree.root(), quickly).cpu_quota, 2.0);
}

TEST(Observing, a_mouse_s_battery_does_not_count) {
  MadeUpTree tree;
  tree.put("sys/class/power_supply/mouse/type", "Battery\n")
      .put("sys/class/power_supply/mouse/scope", "Device\n")
      .put("sys/class/power_supply/mouse/status", "Discharging\n");
  EXPECT_FALSE(observe(tree.root(), quickly).on_battery);
}

TEST(Observing, an_empty_machine_leaves_everything_empty) {
  MadeUpTree tree;
  const Observations seen = observe(tree.root(), quickly);
  EXPECT_FALSE(seen.load);
  EXPECT_FALSE(seen.steal_share);
  EXPECT_FALSE(seen.memory_available_share);
  EXPECT_FALSE(seen.memory_pressure);
  EXPECT_FALSE(seen.throttle_events);
  EXPECT_FALSE(seen.cpu_quota);
  EXPECT_FALSE(seen.allowed_cpus);
  EXPECT_EQ(seen.swap_used_bytes, 0U);
}

TEST(Observing, this_machine) {
  const Observations seen = observe("/", {.noise_time = std::chrono::milliseconds(10), .comparison = {}});
  EXPECT_TRUE(seen.load);
  ASSERT_TRUE(seen.clock);
  EXPECT_GT(seen.clock->resolution_ns, 0);
  EXPECT_GT(seen.clock->read_ns, 0);
  ASSERT_TRUE(seen.noise);
  EXPECT_GT(seen.noise->median_ns, 0);
  EXPECT_TRUE(seen.counters);
}

}  // namespace
}  // namespace tare
