#include "bench/measure/machine/observations.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <unistd.h>
#include <vector>

#include "bench/measure/machine/files.hpp"
#include "bench/measure/meters/counters.hpp"
#include "bench/measure/meters/energy.hpp"
#include "bench/measure/meters/resources.hpp"
#include "bench/support/text.hpp"

namespace tare {
namespace {

using Path = std::filesystem::path;

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words = split(text, ' ');
  std::erase(words, "");
  return words;
}

template <class T>
std::optional<T> word(const std::vector<std::string>& words, std::size_t at) {
  return at < words.size() ? to_number<T>(words[at]) : std::nullopt;
}

std::optional<double> steal_share(const Path& root) {
  const auto words = words_of(read_line(root / "proc/stat"));
  constexpr std::size_t steal_at = 8;  // after "cpu"; the guest columns behind it are part of user time
  if (words.size() <= steal_at) return std::nullopt;
  double all = 0;
  for (std::size_t i = 1; i <= steal_at; ++i)
    all += static_cast<double>(word<std::uint64_t>(words, i).value_or(0));
  if (all == 0) return std::nullopt;
  return static_cast<double>(word<std::uint64_t>(words, steal_at).value_or(0)) / all;
}

ClockQuality measure_clock() {
  constexpr int reads = 20000;
  using Clock = std::chrono::steady_clock;
  auto step = Clock::duration::max();
  const auto begin = Clock::now();
  auto last = begin;
  for (int i = 0; i < reads; ++i) {
    const auto now = Clock::now();
    if (now != last) step = std::min(step, now - last);
    last = now;
  }
  const auto ns = [](Clock::duration time) { return std::chrono::duration<double, std::nano>(time).count(); };
  return {ns(step), ns(last - begin) / reads};
}

std::optional<std::uint64_t> kibibytes(const std::string& meminfo, std::string_view key) {
  return word<std::uint64_t>(words_of(value_of(meminfo, key)), 0);
}

void observe_memory(Observations& seen, const Path& root) {
  const std::string meminfo = read_text(root / "proc/meminfo").value_or("");
  const auto total = kibibytes(meminfo, "MemTotal");
  const auto available = kibibytes(meminfo, "MemAvailable");
  if (total && available && *total > 0)
    seen.memory_available_share = static_cast<double>(*available) / static_cast<double>(*total);
  const std::uint64_t swap = kibibytes(meminfo, "SwapTotal").value_or(0);
  seen.swap_used_bytes = (swap - std::min(swap, kibibytes(meminfo, "SwapFree").value_or(swap))) * 1024;
  // "some avg10=0.12 avg60=…", in percent
  const std::string pressure = value_of(read_line(root / "proc/pressure/memory"), "some avg10", '=');
  if (const auto percent = word<double>(words_of(pressure), 0)) seen.memory_pressure = *percent / 100;
}

void observe_power(Observations& seen, const Path& root) {
  for (const Path& cpu : entries(root / "sys/devices/system/cpu"))
    if (const auto count = read_number<std::uint64_t>(cpu / "thermal_throttle/core_throttle_count"))
      seen.throttle_events = seen.throttle_events.value_or(0) + *count;
  for (const Path& supply : entries(root / "sys/class/power_supply")) {
    // A mouse's or a headset's battery says "Device" here.
    if (read_line(supply / "type") != "Battery" || read_line(supply / "scope") == "Device") continue;
    seen.on_battery = seen.on_battery.value_or(false) || read_line(supply / "status") == "Discharging";
  }
}

/// The limit of this folder of a control-group hierarchy and of all above it: the tightest one holds.
std::optional<double> tightest(const Path& mount, Path group, std::optional<double> (*limit)(const Path&)) {
  std::optional<double> least;
  for (group = group.relative_path();; group = group.parent_path()) {
    if (const auto here = limit(mount / group)) least = std::min(*here, least.value_or(*here));
    if (group.empty()) return least;
  }
}

std::optional<double> quota_v1(const Path& folder) {
  const auto quota = read_number<std::int64_t>(folder / "cpu.cfs_quota_us");
  const auto period = read_number<std::int64_t>(folder / "cpu.cfs_period_us");
  if (!quota || !period || *quota <= 0 || *period <= 0) return std::nullopt;
  return static_cast<double>(*quota) / static_cast<double>(*period);
}

std::optional<double> quota_v2(const Path& folder) {
  return parse_cpu_max(read_line(folder / "cpu.max"));
}

void observe_limits(Observations& seen, const Path& root) {
  const auto allowed =
      parse_cpu_list(value_of(read_text(root / "proc/self/status").value_or(""), "Cpus_allowed_list"));
  if (!allowed.empty()) seen.allowed_cpus = static_cast<int>(allowed.size());
  for (const std::string& line : split(read_text(root / "proc/self/cgroup").value_or(""), '\n')) {
    const auto fields = split(line, ':');  // number, controllers, group; a group's name may hold colons
    if (fields.size() < 3) continue;
    const Path group = line.substr(fields[0].size() + fields[1].size() + 2);
    const auto controllers = split(fields[1], ',');
    std::optional<double> quota;
    if (fields[1].empty())
      quota = tightest(root / "sys/fs/cgroup", group, quota_v2);
    else if (std::find(controllers.begin(), controllers.end(), "cpu") != controllers.end())
      quota = tightest(root / "sys/fs/cgroup" / fields[1], group, quota_v1);
    if (quota) seen.cpu_quota = std::min(*quota, seen.cpu_quota.value_or(*quota));
  }
}

std::map<int, ProcessUse> process_uses(const Path& root) {
  std::map<int, ProcessUse> uses;
  for (const Path& entry : entries(root / "proc")) {
    const auto pid = to_number<int>(entry.filename().string());
    if (!pid || *pid == getpid()) continue;
    if (auto use = parse_process_stat(read_line(entry / "stat"))) uses.emplace(*pid, std::move(*use));
  }
  return uses;
}

std::optional<BusyProcess> busiest_of(const std::map<int, ProcessUse>& before,
                                      const std::map<int, ProcessUse>& after, double seconds) {
  const long tick_rate = sysconf(_SC_CLK_TCK);
  if (seconds <= 0 || tick_rate <= 0) return std::nullopt;
  std::optional<BusyProcess> busiest;
  for (const auto& [pid, use] : after) {
    const auto was = before.find(pid);
    const std::uint64_t start = was == before.end() ? 0 : was->second.ticks;
    if (use.ticks <= start) continue;
    const double cpus = static_cast<double>(use.ticks - start) / static_cast<double>(tick_rate) / seconds;
    if (!busiest || cpus > busiest->cpus) busiest = BusyProcess{use.name, cpus};
  }
  return busiest;
}

void observe_noise(Observations& seen, const Path& root, std::chrono::milliseconds time) {
  const InterferenceMeter meter;
  const auto uses = process_uses(root);
  const auto begin = std::chrono::steady_clock::now();
  const InterferenceSnapshot before = meter.now();
  const auto samples = spin_samples(time, std::chrono::milliseconds(1));
  seen.during_noise = difference(before, meter.now());
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - begin;
  seen.busiest = busiest_of(uses, process_uses(root), wall.count());
  seen.noise = noise_floor(samples);
}

}  // namespace

Observations observe(const std::filesystem::path& root, const ExamineOptions& options) {
  Observations seen;
  seen.load = word<double>(words_of(read_line(root / "proc/loadavg")), 0);
  seen.steal_share = steal_share(root);
  seen.clock = measure_clock();
  seen.counters = CounterMeter::open().why_not();
  seen.energy = EnergyMeter::open(std::nullopt, (root / "sys/class/powercap").string()).origin();
  observe_memory(seen, root);
  observe_power(seen, root);
  observe_limits(seen, root);
  if (options.noise_time.count() > 0) observe_noise(seen, root, options.noise_time);
  return seen;
}

std::optional<ProcessUse> parse_process_stat(std::string_view text) {
  const std::size_t open = text.find('(');
  const std::size_t close = text.rfind(')');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) return std::nullopt;
  const auto words = words_of(text.substr(close + 1));
  const auto user = word<std::uint64_t>(words, 11);
  const auto system = word<std::uint64_t>(words, 12);
  if (!user || !system) return std::nullopt;
  return ProcessUse{printable(text.substr(open + 1, close - open - 1)), *user + *system};
}

std::optional<double> parse_cpu_max(std::string_view text) {
  const auto words = words_of(text);
  const auto quota = word<double>(words, 0);
  const auto period = word<double>(words, 1);
  if (!quota || !period || !(*quota > 0) || !(*period > 0)) return std::nullopt;
  return *quota / *period;
}

}  // namespace tare
