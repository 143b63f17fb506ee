#include "bench/measure/meters/counters.hpp"

#include <cerrno>
#include <charconv>
#include <cstring>
#include <fmt/format.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <system_error>

#include "bench/support/text.hpp"

namespace tare {
namespace {

struct Event {
  const char* name;
  std::uint32_t type;
  std::uint64_t config;
  std::size_t group;
  bool inside_kernel;  ///< would always read 0 when the kernel is excluded
};

constexpr std::array<Event, counter_count> events{{
    {"cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 0, false},
    {"instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, 0, false},
    {"branches", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS, 0, false},
    {"branch_misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES, 0, false},
    {"cache_references", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES, 1, false},
    {"cache_misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES, 1, false},
    {"page_faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, 2, false},
    {"context_switches", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES, 2, true},
    {"cpu_migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS, 2, true},
}};

// What a group read returns: the number of counts, two times, the counts.
constexpr std::size_t enabled_at = 1;
constexpr std::size_t running_at = 2;
constexpr std::size_t first_count_at = 3;

constexpr std::size_t index_of(HardwareCounter counter) {
  return static_cast<std::size_t>(counter);
}

int open_event(const Event& event, int leader) {
  perf_event_attr attributes{};
  attributes.size = sizeof attributes;
  attributes.type = event.type;
  attributes.config = event.config;
  attributes.disabled = leader < 0 ? 1 : 0;
  attributes.exclude_kernel = event.inside_kernel ? 0 : 1;
  attributes.exclude_hv = 1;
  attributes.read_format =
      PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
  return static_cast<int>(syscall(SYS_perf_event_open, &attributes, 0, -1, leader,
                                  static_cast<unsigned long>(PERF_FLAG_FD_CLOEXEC)));
}

bool read_group(int leader, std::span<std::uint64_t> words) noexcept {
  return read(leader, words.data(), words.size_bytes()) > 0;
}

std::optional<int> paranoid_level() {
  char buffer[32];
  const auto file = Descriptor::open_to_read("/proc/sys/kernel/perf_event_paranoid");
  const std::string_view text = trim(file.read_at_start(buffer));
  int level = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), level);
  return parsed.ec == std::errc() ? std::optional(level) : std::nullopt;
}

}  // namespace

const char* name_of(HardwareCounter counter) {
  return events[index_of(counter)].name;
}

std::string CounterReading::origin() const {
  return share >= 1 ? "measured"
                    : fmt::format("estimated (counted {} of the time and scaled)", format_percent(share, 2));
}

CounterMeter CounterMeter::open() {
  CounterMeter meter;
  for (std::size_t i = 0; i < counter_count; ++i) {
    Group& group = meter.groups_[events[i].group];
    const int number = open_event(events[i], group.leader);
    if (number < 0) {
      meter.refusals_[i] = errno;
      continue;
    }
    meter.events_[i] = Descriptor(number);
    if (group.leader < 0) group.leader = number;
    group.members[group.size++] = static_cast<HardwareCounter>(i);
  }
  return meter;
}

bool CounterMeter::available() const {
  for (std::size_t i = 0; i < counter_count; ++i)
    if (events[i].type == PERF_TYPE_HARDWARE && events_[i].is_open()) return true;
  return false;
}

bool CounterMeter::available(HardwareCounter counter) const {
  return events_[index_of(counter)].is_open();
}

std::string CounterMeter::why_not() const {
  return available() ? std::string() : why_not(HardwareCounter::cycles);
}

std::string CounterMeter::why_not(HardwareCounter counter) const {
  return available(counter) ? std::string()
                            : explain_refusal(counter, refusals_[index_of(counter)], paranoid_level());
}

void CounterMeter::start() noexcept {
  // RESET would leave the two times standing, so the pass is the difference of two reads.
  for (Group& group : groups_)
    if (group.leader >= 0 && !read_group(group.leader, group.before)) group.before.fill(0);
  // The hardware groups start last and stop first: the software group must not be counted by them.
  for (std::size_t i = groups_.size(); i-- > 0;)
    if (groups_[i].leader >= 0) ioctl(groups_[i].leader, PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP);
}

CounterReadings CounterMeter::stop() noexcept {
  for (const Group& group : groups_)
    if (group.leader >= 0) ioctl(group.leader, PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP);
  CounterReadings readings{};
  for (const Group& group : groups_) {
    std::array<std::uint64_t, counter_count + first_count_at> after{};
    if (group.leader < 0 || !read_group(group.leader, after)) continue;
    for (std::size_t i = 0; i < group.size; ++i) {
      const std::size_t at = first_count_at + i;
      readings[index_of(group.members[i])] =
          scale_count(after[at] - group.before[at], after[enabled_at] - group.before[enabled_at],
                      after[running_at] - group.before[running_at]);
    }
  }
  return readings;
}

std::optional<CounterReading> scale_count(std::uint64_t raw, std::uint64_t enabled, std::uint64_t running) {
  if (running == 0) return std::nullopt;
  if (running >= enabled) return CounterReading{static_cast<double>(raw), 1};
  const double share = static_cast<double>(running) / static_cast<double>(enabled);
  return CounterReading{static_cast<double>(raw) / share, share};
}

std::string explain_refusal(HardwareCounter counter, int error, std::optional<int> paranoid) {
  const Event& event = events[index_of(counter)];
  switch (error) {
    case ENOENT:
    case ENODEV:
    case ENXIO:
    case EOPNOTSUPP:
      return fmt::format(
          "this kernel or hypervisor offers no hardware counter for {}; measure on bare metal or ask for a "
          "virtual PMU, or count instructions with valgrind",
          event.name);
    case EACCES:
    case EPERM:
      // User space alone is granted up to level 2; what happens inside the kernel needs 1.
      if (paranoid && *paranoid > (event.inside_kernel ? 1 : 2))
        return fmt::format(
            "perf_event_paranoid is {}; set it to 1 (sysctl kernel.perf_event_paranoid=1) or give the binary "
            "CAP_PERFMON to count {}",
            *paranoid, event.name);
      return fmt::format(
          "the kernel does not allow counting {} here, although perf_event_paranoid is {}; a container's "
          "seccomp profile often forbids perf_event_open",
          event.name, paranoid ? std::to_string(*paranoid) : "unknown");
    case ENOSYS:
      return "this kernel was built without perf events";
    default:
      return fmt::format("the kernel refused to count {}: {}", event.name,
                         std::generic_category().message(error));
  }
}

}  // namespace tare
