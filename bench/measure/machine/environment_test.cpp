#include "bench/measure/machine/environment.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bench/measure/machine/command.hpp"
#include "bench/measure/machine/made_up_tree.hpp"

namespace tare {
namespace {

using testing::MatchesRegex;

const std::string cpu = "sys/devices/system/cpu/";

void put_cache(MadeUpTree& tree, int index, const char* level, const char* type, const char* size) {
  const std::string folder = fmt::format("{}cpu0/cache/index{}/", cpu, index);
  tree.put(folder + "level", level).put(folder + "type", type).put(folder + "size", size);
}

void put_core(MadeUpTree& tree, int number, const char* package, const char* core) {
  const std::string folder = fmt::format("{}cpu{}/topology/", cpu, number);
  tree.put(folder + "physical_package_id", package).put(folder + "core_id", core);
}

TEST(Environment, a_bare_metal_laptop) {
  MadeUpTree tree;
  tree.put("proc/cpuinfo",
           "processor\t: 0\nmodel name\t: Intel(R) Core(TM) i7-1165G7 @ 2.80GHz\nflags\t\t: fpu vme avx2\n\n"
           "processor\t: 1\nmodel name\t: Intel(R) Core(TM) i7-1165G7 @ 2.80GHz\nflags\t\t: fpu vme avx2\n")
      .put("proc/meminfo", "MemTotal:       16123456 kB\nMemFree: 1 kB\n")
      .put("proc/sys/kernel/ostype", "Linux\n")
      .put("proc/sys/kernel/osrelease", "6.1.0-18-amd64\n")
      .put("proc/sys/kernel/randomize_va_space", "2\n")
      .put("etc/os-release", "NAME=\"Debian\"\nPRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\n")
      .put("sys/class/dmi/id/product_name", "XPS 13 9310\n")
      .put("sys/class/dmi/id/sys_vendor", "Dell Inc.\n")
      .put("sys/devices/system/clocksource/clocksource0/current_clocksource", "tsc\n")
      .put(cpu + "online", "0-3\n")
      .put(cpu + "smt/active", "1\n")
      .put(cpu + "smt/control", "on\n")
      .put(cpu + "intel_pstate/no_turbo", "0\n");
  for (int i = 0; i < 4; ++i) {
    put_core(tree, i, "0\n", i % 2 == 0 ? "0\n" : "1\n");
    tree.put(fmt::format("{}cpu{}/cpufreq/scaling_governor", cpu, i),
             i == 3 ? "performance\n" : "powersave\n");
  }
  put_cache(tree, 0, "1\n", "Data\n", "48K\n");
  put_cache(tree, 1, "1\n", "Instruction\n", "32K\n");
  put_cache(tree, 2, "2\n", "Unified\n", "1280K\n");
  put_cache(tree, 3, "3\n", "Unified\n", "12288K\n");

  const Machine machine = observe_machine(tree.root());
  EXPECT_EQ(machine.cpu, "Intel(R) Core(TM) i7-1165G7 @ 2.80GHz");
  EXPECT_EQ(machine.cores, 2);
  EXPECT_EQ(machine.threads, 4);
  EXPECT_EQ(machine.memory_bytes, 16123456ULL * 1024);
  EXPECT_EQ(machine.caches, "L1d 48 KiB, L2 1280 KiB, L3 12 MiB");
  EXPECT_EQ(machine.kernel, "Linux 6.1.0-18-amd64");
  EXPECT_EQ(machine.os, "Debian GNU/Linux 12 (bookworm)");
  EXPECT_EQ(machine.hypervisor, "");
  EXPECT_EQ(machine.governor, "powersave, performance");
  EXPECT_EQ(machine.turbo, "on");
  EXPECT_EQ(machine.smt, "on");
  EXPECT_EQ(machine.aslr, "on");
  EXPECT_EQ(machine.clock_source, "tsc");
}

TEST(Environment, a_virtual_machine_on_amd) {
  MadeUpTree tree;
  tree.put("proc/cpuinfo",
           "processor\t: 0\nmodel name\t: AMD EPYC 7763\ncpu cores\t: 2\nflags\t: fpu hypervisor avx2\n"
           "processor\t: 1\nmodel name\t: AMD EPYC 7763\n")
      .put("sys/class/dmi/id/product_name", "Standard PC (Q35 + ICH9, 2009)\n")
      .put("sys/class/dmi/id/sys_vendor", "QEMU\n")
      .put(cpu + "smt/active", "0\n")
      .put(cpu + "smt/control", "notsupported\n")
      .put(cpu + "cpufreq/boost", "0\n")
      .put("proc/sys/kernel/randomize_va_space", "0\n");
  const Machine machine = observe_machine(tree.root());
  EXPECT_EQ(machine.cpu, "AMD EPYC 7763");
  EXPECT_EQ(machine.threads, 2);
  EXPECT_EQ(machine.cores, 2);
  EXPECT_EQ(machine.hypervisor, "QEMU Standard PC (Q35 + ICH9, 2009)");
  EXPECT_EQ(machine.turbo, "off");
  EXPECT_EQ(machine.smt, "not supported");
  EXPECT_EQ(machine.aslr, "off");
  EXPECT_EQ(machine.governor, "");

  tree.put("sys/hypervisor/type", "xen\n");
  EXPECT_EQ(observe_machine(tree.root()).hypervisor, "xen (QEMU Standard PC (Q35 + ICH9, 2009))");
}

TEST(Environment, a_hypervisor_that_hides_its_name) {
  MadeUpTree tree;
  tree.put("proc/cpuinfo", "processor : 0\nflags : fpu hypervisor\n");
  EXPECT_EQ(observe_machine(tree.root()).hypervisor, "unknown");
}

TEST(Environment, an_arm_board) {
  MadeUpTree tree;
  tree.put("proc/cpuinfo",
           "processor\t: 0\nFeatures\t: fp asimd\nCPU implementer\t: 0x41\nCPU part\t: 0xd08\n")
      .put("proc/device-tree/model", std::string("Raspberry Pi 4 Model B Rev 1.4\0", 31))
      .put(cpu + "online", "0-3\n")
      .put("proc/sys/kernel/randomize_va_space", "1\n");
  const Machine machine = observe_machine(tree.root());
  EXPECT_EQ(machine.cpu, "Raspberry Pi 4 Model B Rev 1.4 (CPU 0x41/0xd08)");
  EXPECT_EQ(machine.threads, 4);
  EXPECT_EQ(machine.cores, 0);
  EXPECT_EQ(machine.hypervisor, "");
  EXPECT_EQ(machine.aslr, "partial");

  tree.put("proc/device-tree/hypervisor/compatible", "linux,kvm\n");
  EXPECT_EQ(observe_machine(tree.root()).hypervisor, "linux,kvm");
}

TEST(Environment, an_empty_machine_is_unknown_everywhere) {
  MadeUpTree tree;
  Machine machine = observe_machine(tree.root());
  machine.libc.clear();
  EXPECT_EQ(machine, Machine{});
}

TEST(Environment, this_machine_has_a_processor_and_a_kernel) {
  const Machine machine = observe_machine();
  EXPECT_NE(machine.cpu, "");
  EXPECT_GE(machine.threads, 1);
  EXPECT_GT(machine.memory_bytes, 0U);
  EXPECT_NE(machine.kernel, "");
}

TEST(GitCommit, is_marked_when_tracked_files_changed) {
  if (!run_command({"git", "--version"})) GTEST_SKIP() << "git is not installed";
  MadeUpTree tree;
  const auto git = [&](std::vector<std::string> words) {
    std::vector<std::string> argv{"git",         "-C", tree.root().string(), "-c",
                                  "user.name=n", "-c", "user.email=e@e"};
    argv.insert(argv.end(), words.begin(), words.end());
    const auto result = run_command(argv);
    return result && result->succeeded();
  };
  ASSERT_TRUE(git({"init", "-q"}));
  EXPECT_EQ(git_commit(tree.root()), "") << "no commit";
  tree.put("a", "1");
  ASSERT_TRUE(git({"add", "a"}));
  ASSERT_TRUE(git({"commit", "-q", "-m", "a"}));
  const std::string clean = git_commit(tree.root());
  EXPECT_THAT(clean, MatchesRegex("[0-9a-f]+"));
  EXPECT_GE(clean.size(), 40U);
  tree.put("b", "untracked");
  EXPECT_EQ(git_commit(tree.root()), clean);
  tree.put("a", "22");
  EXPECT_EQ(git_commit(tree.root()), clean + "+");
}

TEST(GitCommit, is_empty_outside_a_repository) {
  MadeUpTree tree;
  EXPECT_EQ(git_commit(tree.root()), "");
  EXPECT_EQ(git_commit(tree.root() / "missing"), "");
}

}  // namespace
}  // namespace tare
