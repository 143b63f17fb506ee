#include "bench/measure/executions.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sched.h>
#include <stdexcept>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

#include "bench/measure/meters/descriptor.hpp"
#include "bench/support/text.hpp"

namespace tare {
namespace {

/// How often a cancellation is looked for, at worst.
constexpr int patience_ms = 100;
/// So much of a failing command's standard error is told.
constexpr std::size_t last_words_bytes = 300;

std::string words_of(int error) {
  return std::generic_category().message(error);
}

double nanoseconds_of(const timespec& time) {
  return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_nsec);
}

double cpu_nanoseconds(const rusage& usage) {
  const auto of = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) * 1e9 + static_cast<double>(t.tv_usec) * 1e3;
  };
  return of(usage.ru_utime) + of(usage.ru_stime);
}

double now_ns() {
  timespec time{};
  ::clock_gettime(CLOCK_MONOTONIC, &time);
  return nanoseconds_of(time);
}

/// What the child tells of itself: in memory that both see.
struct Departure {
  timespec start;
  rusage before;  ///< exec
  int problem;    ///< errno of what failed; 0 once exec succeeded
};

class SharedDeparture {
 public:
  SharedDeparture()
      : memory_(
            ::mmap(nullptr, sizeof(Departure), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)) {}
  ~SharedDeparture() {
    if (good()) ::munmap(memory_, sizeof(Departure));
  }
  SharedDeparture(const SharedDeparture&) = delete;
  SharedDeparture& operator=(const SharedDeparture&) = delete;
  [[nodiscard]] bool good() const { return memory_ != MAP_FAILED; }
  Departure& operator*() { return *static_cast<Departure*>(memory_); }
  Departure* operator->() { return static_cast<Departure*>(memory_); }

 private:
  void* memory_;
};

struct Streams {
  int input, output, errors;
};

/// Between fork and exec: only calls that are safe there.
[[noreturn]] void become(char* const* argv, char* const* environment, const Streams& streams,
                         std::optional<int> cpu, pid_t parent, Departure& departure) {
  const auto give_up = [&] {
    departure.problem = errno;
    ::_exit(127);
  };
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(127);  // the parent died before it could take us along
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  for (const int signal : {SIGPIPE, SIGXFSZ}) ::signal(signal, SIG_DFL);
  if (::dup2(streams.input, 0) < 0 || ::dup2(streams.output, 1) < 0 || ::dup2(streams.errors, 2) < 0)
    give_up();
  if (cpu) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(static_cast<std::size_t>(*cpu), &set);
    if (::sched_setaffinity(0, sizeof set, &set) != 0) give_up();
  }
  ::getrusage(RUSAGE_SELF, &departure.before);
  ::clock_gettime(CLOCK_MONOTONIC, &departure.start);
  ::execve(argv[0], argv, environment);
  give_up();
  ::_exit(127);
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> list;
  for (auto& text : texts) list.push_back(text.data());
  list.push_back(nullptr);
  return list;
}

std::string last_words(int errors) {
  const auto size = ::lseek(errors, 0, SEEK_END);
  const auto from = std::max<off_t>(0, size - static_cast<off_t>(last_words_bytes));
  std::array<char, last_words_bytes> buffer;
  const auto got = ::pread(errors, buffer.data(), buffer.size(), from);
  if (got <= 0) return "";
  std::string text;
  for (const auto& line : split(trim({buffer.data(), static_cast<std::size_t>(got)}), '\n')) {
    if (!text.empty()) text += " / ";
    text += printable(trim(line));
  }
  return (from > 0 && !text.empty() ? "…" : "") + text;
}

/// Outcome::ok when the process of this descriptor ended by itself.
Outcome await_end(int child, double start, std::chrono::nanoseconds limit,
                  const std::atomic<bool>* cancelled) {
  const double deadline = start + static_cast<double>(limit.count());
  for (;;) {
    if (cancelled != nullptr && *cancelled) return Outcome::cancelled;
    const double left_ms = (deadline - now_ns()) / 1e6;
    if (left_ms <= 0) return Outcome::timed_out;
    pollfd wait{child, POLLIN, 0};
    // Rounded up: a wait of 0 ms would spin beside the command.
    const int ready = ::poll(&wait, 1, static_cast<int>(std::min<double>(patience_ms, left_ms)) + 1);
    if (ready > 0) return Outcome::ok;
  }
}

void tell_ending(Executed& executed, int status, std::chrono::nanoseconds limit, int errors) {
  if (executed.outcome == Outcome::cancelled) {
    executed.ending = "cancelled";
    return;
  }
  if (executed.outcome == Outcome::timed_out) {
    executed.ending = fmt::format("did not end within {} and was killed",
                                  format_duration(static_cast<double>(limit.count())));
  } else if (WIFSIGNALED(status)) {
    executed.outcome = Outcome::crashed;
    executed.ending = fmt::format("signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)));
  } else if (WEXITSTATUS(status) != 0) {
    executed.outcome = Outcome::failed;
    executed.ending = fmt::format("exit code {}", WEXITSTATUS(status));
  } else {
    return;
  }
  if (const auto words = last_words(errors); !words.empty()) executed.ending += ": " + words;
}

}  // namespace

Result<Executed> execute(const Execution& execution, const std::atomic<bool>* cancelled) {
  if (execution.argv.empty()) throw std::invalid_argument("execute: argv is empty");
  const auto unable = [&](const std::string& what, int error) {
    return fail(fmt::format("cannot run {}: {}{}", shell_quote(execution.argv[0]), what, words_of(error)));
  };
  const auto input = Descriptor::open_to_read(execution.input.c_str());
  if (!input.is_open())
    return fail(fmt::format("cannot read {}: {}", printable(execution.input), words_of(errno)));
  const Descriptor nowhere(::open("/dev/null", O_WRONLY | O_CLOEXEC));
  const Descriptor errors(::memfd_create("stderr", MFD_CLOEXEC));
  SharedDeparture departure;
  if (!nowhere.is_open() || !errors.is_open() || !departure.good()) return unable("", errno);

  auto argv_texts = execution.argv;
  std::vector<std::string> environment_texts;
  for (char** entry = environ; *entry != nullptr; ++entry) environment_texts.emplace_back(*entry);
  environment_texts.push_back("TARE_PADDING=" + std::string(execution.environment_bytes, 'x'));
  const auto argv = pointers(argv_texts), environment = pointers(environment_texts);
  const Streams streams{input.number(), execution.output < 0 ? nowhere.number() : execution.output,
                        errors.number()};

  const pid_t parent = ::getpid();
  const double begun = now_ns();
  const pid_t child = ::fork();
  if (child < 0) return unable("fork: ", errno);
  if (child == 0) become(argv.data(), environment.data(), streams, execution.cpu, parent, *departure);
  ::setpgid(child, child);
  const Descriptor watched(static_cast<int>(::syscall(SYS_pidfd_open, child, 0)));
  const int unwatched = watched.is_open() ? 0 : errno;
  Executed executed;
  if (unwatched == 0) executed.outcome = await_end(watched.number(), begun, execution.limit, cancelled);
  const double end = now_ns();
  // Whatever it had started and not waited for goes with it; the number is its own until it is waited for.
  ::kill(-child, SIGKILL);
  int status = 0;
  rusage usage{};
  while (::wait4(child, &status, 0, &usage) < 0 && errno == EINTR) {
  }
  if (unwatched != 0) return unable("pidfd_open: ", unwatched);
  if (departure->problem != 0)
    return unable(
        departure->problem == EINVAL && execution.cpu ? fmt::format("CPU {}: ", *execution.cpu) : "",
        departure->problem);
  executed.wall_ns = end - nanoseconds_of(departure->start);
  executed.cpu_ns = cpu_nanoseconds(usage) - cpu_nanoseconds(departure->before);
  if (usage.ru_maxrss > departure->before.ru_maxrss)
    executed.peak_rss_bytes = static_cast<double>(usage.ru_maxrss) * 1024;
  executed.minor_faults = static_cast<std::uint32_t>(usage.ru_minflt - departure->before.ru_minflt);
  executed.major_faults = static_cast<std::uint32_t>(usage.ru_majflt - departure->before.ru_majflt);
  tell_ending(executed, status, execution.limit, errors.number());
  return executed;
}

Result<std::string> find_program(const std::string& word) {
  std::vector<std::string> candidates{word};
  if (word.find('/') == std::string::npos) {
    const char* path = std::getenv("PATH");
    candidates.clear();
    for (const auto& folder : split(path == nullptr ? "/usr/bin:/bin" : path, ':'))
      candidates.push_back((folder.empty() ? "." : folder) + "/" + word);
  }
  for (const auto& candidate : candidates) {
    struct stat found{};
    if (::stat(candidate.c_str(), &found) == 0 && S_ISREG(found.st_mode) &&
        ::access(candidate.c_str(), X_OK) == 0)
      return candidate;
  }
  return fail(fmt::format("there is no program {}{}", shell_quote(word),
                          candidates.size() > 1 || candidates[0] != word ? " on PATH" : ""));
}

std::vector<int> usable_cpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::vector<int> cpus;
  if (::sched_getaffinity(0, sizeof set, &set) != 0) return cpus;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(static_cast<std::size_t>(cpu), &set)) cpus.push_back(cpu);
  return cpus;
}

}  // namespace tare
