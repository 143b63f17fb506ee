#include "bench/measure/machine/environment.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <fmt/format.h>
#include <set>
#include <sys/personality.h>
#include <utility>
#include <vector>
#if defined(__GLIBC__)
#include <gnu/libc-version.h>
#endif
#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

#include "bench/measure/machine/command.hpp"
#include "bench/measure/machine/files.hpp"
#include "bench/support/text.hpp"

namespace tare {
namespace {

using Path = std::filesystem::path;

bool is_here(const Path& root) {
  return root == "/";
}

std::string first_of(std::initializer_list<std::string> candidates) {
  for (const std::string& candidate : candidates)
    if (!candidate.empty()) return candidate;
  return {};
}

std::string processor(const Path& root, const std::string& cpuinfo) {
  std::string named = first_of({value_of(cpuinfo, "model name"), value_of(cpuinfo, "cpu model"),
                                value_of(cpuinfo, "cpu"), value_of(cpuinfo, "uarch")});
  if (!named.empty()) return named;
  // ARM processors have numbers where others have names; the board's name helps to tell them apart.
  std::string board = first_of({read_line(root / "proc/device-tree/model"), value_of(cpuinfo, "Model"),
                                value_of(cpuinfo, "Hardware")});
  const std::string implementer = value_of(cpuinfo, "CPU implementer");
  if (implementer.empty()) return board;
  const std::string core = fmt::format("CPU {}/{}", implementer, value_of(cpuinfo, "CPU part"));
  return board.empty() ? core : fmt::format("{} ({})", board, core);
}

int count_lines(const std::string& text, std::string_view key) {
  int count = 0;
  for (const std::string& line : split(text, '\n'))
    if (trim(line.substr(0, line.find(':'))) == key) ++count;
  return count;
}

void observe_cpus(Machine& machine, const Path& root, const std::string& cpuinfo) {
  const Path folder = root / "sys/devices/system/cpu";
  const std::vector<int> online = parse_cpu_list(read_line(folder / "online"));
  std::set<std::pair<std::string, std::string>> cores;
  std::vector<std::string> governors;
  for (int cpu : online) {
    const Path one = folder / fmt::format("cpu{}", cpu);
    const std::string core = read_line(one / "topology/core_id");
    if (!core.empty()) cores.emplace(read_line(one / "topology/physical_package_id"), core);
    const std::string governor = read_line(one / "cpufreq/scaling_governor");
    if (!governor.empty() && std::find(governors.begin(), governors.end(), governor) == governors.end())
      governors.push_back(governor);
  }
  machine.threads = online.empty() ? count_lines(cpuinfo, "processor") : static_cast<int>(online.size());
  machine.cores = cores.empty() ? to_number<int>(value_of(cpuinfo, "cpu cores")).value_or(0)
                                : static_cast<int>(cores.size());
  machine.governor = join(governors, ", ");
}

std::string caches(const Path& root) {
  std::vector<std::string> shown;
  for (const Path& cache : entries(root / "sys/devices/system/cpu/cpu0/cache")) {
    const std::string level = read_line(cache / "level");
    const std::string type = read_line(cache / "type");
    std::string size = read_line(cache / "size");
    if (level.empty() || size.empty() || type == "Instruction") continue;
    if (size.back() == 'K')  // the kernel means KiB
      if (const auto kib = to_number<std::uint64_t>(std::string_view(size).substr(0, size.size() - 1)))
        size = *kib % 1024 == 0 ? fmt::format("{} MiB", *kib / 1024) : fmt::format("{} KiB", *kib);
    shown.push_back(fmt::format("L{}{} {}", level, type == "Data" ? "d" : "", size));
  }
  return join(shown, ", ");
}

std::string turbo(const Path& root) {
  const Path cpu = root / "sys/devices/system/cpu";
  if (const auto off = read_number<int>(cpu / "intel_pstate/no_turbo")) return *off != 0 ? "off" : "on";
  if (const auto boost = read_number<int>(cpu / "cpufreq/boost")) return *boost != 0 ? "on" : "off";
  return {};
}

std::string smt(const Path& root) {
  const Path folder = root / "sys/devices/system/cpu/smt";
  const std::string control = read_line(folder / "control");
  if (control == "notsupported" || control == "notimplemented") return "not supported";
  if (const auto active = read_number<int>(folder / "active")) return *active != 0 ? "on" : "off";
  return {};
}

std::string address_randomisation(const Path& root) {
  // setarch -R switches it off for one process and its children.
  if (is_here(root)) {
    const int persona = personality(0xffffffff);
    if (persona != -1 && (persona & ADDR_NO_RANDOMIZE) != 0) return "off";
  }
  const auto level = read_number<int>(root / "proc/sys/kernel/randomize_va_space");
  if (!level) return {};
  return *level == 0 ? "off" : *level == 1 ? "partial" : "on";
}

/// The name people use for what a hypervisor writes into the processor's identification.
std::string common_name(const std::string& signature) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 5> known{{{"KVMKVMKVM", "KVM"},
                                                                                {"Microsoft Hv", "Hyper-V"},
                                                                                {"VMwareVMware", "VMware"},
                                                                                {"XenVMMXenVMM", "Xen"},
                                                                                {"TCGTCGTCGTCG", "QEMU"}}};
  for (const auto& [text, name] : known) {
    if (signature == text) return std::string(name);
  }
  return signature;
}

/// The vendor that the hypervisor writes into the processor's identification, such as "KVMKVMKVM".
std::string hypervisor_signature(const Path& root) {
#if defined(__x86_64__) || defined(__i386__)
  if (is_here(root)) {
    unsigned eax = 0;
    std::array<unsigned, 3> words{};
    __cpuid(0x40000000, eax, words[0], words[1], words[2]);
    std::array<char, sizeof words + 1> text{};
    std::memcpy(text.data(), words.data(), sizeof words);
    return common_name(printable(trim(text.data())));
  }
#else
  (void)root;
#endif
  return {};
}

std::string hypervisor(const Path& root, const std::string& cpuinfo) {
  const std::string flags = fmt::format(" {} ", value_of(cpuinfo, "flags"));
  const bool flagged = flags.find(" hypervisor ") != std::string::npos;
  const std::string product = read_line(root / "sys/class/dmi/id/product_name");
  const std::string vendor = read_line(root / "sys/class/dmi/id/sys_vendor");
  const std::string of_device_tree = read_line(root / "proc/device-tree/hypervisor/compatible");
  std::string named = first_of({read_line(root / "sys/hypervisor/type"), of_device_tree});
  // Bare metal has a product name too, so without the processor's flag only a virtual machine's counts.
  const std::string board = vendor + " " + product;
  constexpr std::array virtual_boards{"QEMU",  "KVM",      "VMware",          "VirtualBox",
                                      "Bochs", "HVM domU", "Virtual Machine", "Parallels"};
  const bool virtual_board = std::any_of(virtual_boards.begin(), virtual_boards.end(), [&](const char* word) {
    return board.find(word) != std::string::npos;
  });
  if (!flagged && !virtual_board) return named;
  if (named.empty()) named = flagged ? hypervisor_signature(root) : std::string();
  const std::string dmi = std::string(trim(board));
  if (named.empty() && dmi.empty()) return "unknown";
  if (named.empty() || dmi.empty()) return named + dmi;
  return fmt::format("{} ({})", named, dmi);
}

std::uint64_t memory(const Path& root) {
  const std::string total = value_of(read_text(root / "proc/meminfo").value_or(""), "MemTotal");
  return to_number<std::uint64_t>(total.substr(0, total.find(' '))).value_or(0) * 1024;
}

}  // namespace

Machine observe_machine(const std::filesystem::path& root) {
  const std::string cpuinfo = read_text(root / "proc/cpuinfo").value_or("");
  const std::string release = read_text(root / "etc/os-release").value_or("");
  Machine machine;
  machine.cpu = processor(root, cpuinfo);
  observe_cpus(machine, root, cpuinfo);
  machine.memory_bytes = memory(root);
  machine.caches = caches(root);
  machine.kernel = std::string(
      trim(read_line(root / "proc/sys/kernel/ostype") + " " + read_line(root / "proc/sys/kernel/osrelease")));
  machine.os = first_of({value_of(release, "PRETTY_NAME", '='), value_of(release, "NAME", '=')});
  machine.hypervisor = hypervisor(root, cpuinfo);
  machine.turbo = turbo(root);
  machine.smt = smt(root);
  machine.aslr = address_randomisation(root);
  machine.clock_source = read_line(root / "sys/devices/system/clocksource/clocksource0/current_clocksource");
#if defined(__GLIBC__)
  machine.libc = std::string("glibc ") + gnu_get_libc_version();
#endif
  return machine;
}

std::string git_commit(const std::filesystem::path& directory) {
  // Asking must not write: without optional locks git leaves its index as it is.
  const auto git = [&](std::vector<std::string> words) {
    std::vector<std::string> argv{"git", "--no-optional-locks", "-C", directory.string()};
    argv.insert(argv.end(), words.begin(), words.end());
    return run_command(argv);
  };
  const auto commit = git({"rev-parse", "--verify", "--quiet", "HEAD"});
  if (!commit || !commit->succeeded()) return {};
  const auto changes = git({"status", "--porcelain", "--untracked-files=no"});
  const bool changed = changes && changes->succeeded() && !changes->output.empty();
  return std::string(trim(commit->output)) + (changed ? "+" : "");
}

}  // namespace tare
