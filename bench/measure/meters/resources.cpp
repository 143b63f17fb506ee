#include "bench/measure/meters/resources.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <ctime>
#include <fmt/format.h>
#include <limits>
#include <sched.h>
#include <sys/resource.h>
#include <system_error>

namespace tare {
namespace {

/// The number in this column (counted from 0) of the text's first line; blanks separate columns.
std::optional<std::uint64_t> column(std::string_view text, int wanted) noexcept {
  const std::string_view line = text.substr(0, text.find('\n'));
  std::size_t at = 0;
  for (int i = 0;; ++i) {
    at = line.find_first_not_of(' ', at);
    if (at == std::string_view::npos) return std::nullopt;
    const std::size_t end = std::min(line.find(' ', at), line.size());
    if (i == wanted) {
      std::uint64_t value = 0;
      const auto parsed = std::from_chars(line.data() + at, line.data() + end, value);
      if (parsed.ec != std::errc() || parsed.ptr != line.data() + end) return std::nullopt;
      return value;
    }
    at = end;
  }
}

template <class To>
To grown(std::uint64_t before, std::uint64_t after) noexcept {
  if (after <= before) return 0;
  return static_cast<To>(std::min<std::uint64_t>(after - before, std::numeric_limits<To>::max()));
}

std::int64_t clock_ns(clockid_t clock) noexcept {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<std::int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

std::string why() {
  return std::generic_category().message(errno);
}

}  // namespace

Interference difference(const InterferenceSnapshot& before, const InterferenceSnapshot& after) noexcept {
  return {
      .voluntary_switches = grown<std::uint32_t>(before.voluntary_switches, after.voluntary_switches),
      .involuntary_switches = grown<std::uint32_t>(before.involuntary_switches, after.involuntary_switches),
      .migrations = before.cpu >= 0 && after.cpu >= 0 && before.cpu != after.cpu ? 1U : 0U,
      .minor_faults = grown<std::uint32_t>(before.minor_faults, after.minor_faults),
      .major_faults = grown<std::uint32_t>(before.major_faults, after.major_faults),
      .wait_ns = grown<std::uint64_t>(before.wait_ns, after.wait_ns),
      .steal_ns = grown<std::uint64_t>(before.steal_ns, after.steal_ns),
  };
}

Interference within_region(Interference seen, double wall_ns, double cpu_ns) noexcept {
  const double away = std::max(0.0, wall_ns - cpu_ns);
  seen.wait_ns = std::min(seen.wait_ns, static_cast<std::uint64_t>(away));
  return seen;
}

InterferenceMeter::InterferenceMeter(const std::string& proc) {
  std::array<char, 256> buffer{};
  const std::string schedstat = proc + "/thread-self/schedstat";
  schedstat_ = Descriptor::open_to_read(schedstat.c_str());
  if (!schedstat_.is_open() || !parse_run_delay(schedstat_.read_at_start(buffer))) {
    notes_.push_back(fmt::format(
        "waiting for a CPU is not recorded: {} cannot be read (a kernel without CONFIG_SCHED_INFO?)",
        schedstat));
    schedstat_ = Descriptor();
  }
  const std::string stat = proc + "/stat";
  stat_ = Descriptor::open_to_read(stat.c_str());
  if (!stat_.is_open() || !parse_steal(stat_.read_at_start(buffer))) {
    notes_.push_back(
        fmt::format("steal time is not recorded: {} cannot be read or has no steal column", stat));
    stat_ = Descriptor();
  }
  const long ticks = sysconf(_SC_CLK_TCK);
  tick_ns_ = ticks > 0 ? 1'000'000'000ULL / static_cast<std::uint64_t>(ticks) : 10'000'000ULL;
}

InterferenceSnapshot InterferenceMeter::now() const noexcept {
  InterferenceSnapshot snapshot;
  std::array<char, 256> buffer;
  rusage usage{};
  if (getrusage(RUSAGE_SELF, &usage) == 0) {
    snapshot.voluntary_switches = static_cast<std::uint64_t>(usage.ru_nvcsw);
    snapshot.involuntary_switches = static_cast<std::uint64_t>(usage.ru_nivcsw);
    snapshot.minor_faults = static_cast<std::uint64_t>(usage.ru_minflt);
    snapshot.major_faults = static_cast<std::uint64_t>(usage.ru_majflt);
  }
  if (schedstat_.is_open()) snapshot.wait_ns = parse_run_delay(schedstat_.read_at_start(buffer)).value_or(0);
  if (stat_.is_open()) snapshot.steal_ns = parse_steal(stat_.read_at_start(buffer)).value_or(0) * tick_ns_;
  snapshot.cpu = sched_getcpu();
  return snapshot;
}

std::optional<std::uint64_t> parse_run_delay(std::string_view schedstat) noexcept {
  return column(schedstat, 1);
}

std::optional<std::uint64_t> parse_steal(std::string_view stat) noexcept {
  return stat.starts_with("cpu ") ? column(stat, 8) : std::nullopt;
}

std::int64_t process_cpu_ns() noexcept {
  return clock_ns(CLOCK_PROCESS_CPUTIME_ID);
}

std::int64_t thread_cpu_ns() noexcept {
  return clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

Result<std::uint64_t> peak_resident_bytes(const std::string& proc) {
  const std::string path = proc + "/self/status";
  const auto file = Descriptor::open_to_read(path.c_str());
  std::array<char, 8192> buffer;
  const std::string_view text = file.is_open() ? file.read_at_start(buffer) : std::string_view();
  const std::size_t line = text.find("VmHWM:");
  if (line != std::string_view::npos) {
    std::string_view rest = text.substr(line + 6);
    rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
    if (const auto kibibytes = column(rest, 0)) return *kibibytes * 1024;
  }
  // ru_maxrss also remembers the program that this process was before exec, so it is only the second choice.
  rusage usage{};
  if (getrusage(RUSAGE_SELF, &usage) == 0 && usage.ru_maxrss > 0)
    return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
  return fail(fmt::format("peak memory is unknown: {} has no VmHWM and getrusage none either", path));
}

Status reset_peak_resident(const std::string& proc) {
  const std::string path = proc + "/self/clear_refs";
  const Descriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (!file.is_open() || write(file.number(), "5", 1) != 1)
    return fail(
        fmt::format("cannot reset the peak of resident memory through {}: {}; the peak of the whole "
                    "process is reported instead",
                    path, why()));
  return ok();
}

}  // namespace tare
