#include "bench/measure/spawn.hpp"

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <random>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "bench/measure/protocol.hpp"

extern char** environ;

namespace tare {
namespace {

/// What the child does between fork and exec: only calls that are safe there.
[[noreturn]] void become_worker(char* const* argv, char* const* environment, int socket, int errors,
                                int report, std::optional<int> cpu, pid_t parent) {
  const auto give_up = [&] {
    const int problem = errno;
    [[maybe_unused]] const auto n = ::write(report, &problem, sizeof problem);
    ::_exit(127);
  };
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(127);  // the parent died before it could take us along
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::signal(SIGPIPE, SIG_DFL);
  ::signal(SIGXFSZ, SIG_DFL);
  const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  if (null < 0) give_up();
  if (::dup2(null, 0) < 0 || ::dup2(null, 1) < 0 || ::dup2(errors, 2) < 0) give_up();
  if (::fcntl(socket, F_SETFD, 0) < 0) give_up();
  if (cpu) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(static_cast<std::size_t>(*cpu), &set);
    if (::sched_setaffinity(0, sizeof set, &set) != 0) give_up();
  }
  ::execve(argv[0], argv, environment);
  give_up();
  ::_exit(127);
}

void close_all(std::initializer_list<int> descriptors) {
  for (const int descriptor : descriptors) {
    if (descriptor >= 0) ::close(descriptor);
  }
}

std::string explain_start(int problem, const SpawnOptions& options) {
  const auto& path = options.command.front();
  switch (problem) {
    case ENOENT:
      return fmt::format("cannot run {}: no such file", path);
    case EACCES:
      return fmt::format("cannot run {}: permission denied; is it a program (chmod +x)?", path);
    case ENOEXEC:
      return fmt::format("cannot run {}: it is not a program this machine understands", path);
    case EINVAL:
      if (options.cpu) return fmt::format("cannot pin to CPU {}: this process may not use it", *options.cpu);
      [[fallthrough]];
    default:
      return fmt::format("cannot run {}: {}", path, std::strerror(problem));
  }
}

}  // namespace

Placement Placement::draw(std::uint64_t random) {
  std::mt19937_64 generator(random);
  return {generator() % 4096, generator() % 65536};
}

Result<Spawned> spawn(const SpawnOptions& options) {
  if (options.command.empty()) return fail("no command to run");
  std::array<int, 2> socket{-1, -1};
  std::array<int, 2> errors{-1, -1};
  std::array<int, 2> report{-1, -1};
  const auto give_up = [&](const char* what) {
    const auto error = fail(fmt::format("cannot start a worker: {}: {}", what, std::strerror(errno)));
    close_all({socket[0], socket[1], errors[0], errors[1], report[0], report[1]});
    return error;
  };
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, socket.data()) != 0) return give_up("socketpair");
  if (::pipe2(errors.data(), O_CLOEXEC) != 0) return give_up("pipe");
  if (::pipe2(report.data(), O_CLOEXEC) != 0) return give_up("pipe");
  ::fcntl(errors[0], F_SETFL, O_NONBLOCK);

  std::vector<std::string> environment;
  for (char** entry = environ; *entry != nullptr; ++entry) environment.emplace_back(*entry);
  environment.insert(environment.end(), options.environment.begin(), options.environment.end());
  environment.push_back(fmt::format("{}={}", worker_variable, socket[1]));
  environment.push_back(fmt::format("{}={}", heap_variable, options.placement.heap_bytes));
  environment.push_back("TARE_PADDING=" + std::string(options.placement.environment_bytes, 'x'));
  const auto pointers = [](const std::vector<std::string>& texts) {
    std::vector<char*> list;
    for (const auto& text : texts) list.push_back(const_cast<char*>(text.c_str()));
    list.push_back(nullptr);
    return list;
  };
  const auto argv = pointers(options.command);
  const auto envp = pointers(environment);

  const pid_t parent = ::getpid();
  const pid_t pid = ::fork();
  if (pid < 0) return give_up("fork");
  if (pid == 0) become_worker(argv.data(), envp.data(), socket[1], errors[1], report[1], options.cpu, parent);
  ::setpgid(pid, pid);
  close_all({socket[1], errors[1], report[1]});
  int problem = 0;
  ssize_t got = 0;
  do {
    got = ::read(report[0], &problem, sizeof problem);
  } while (got < 0 && errno == EINTR);
  ::close(report[0]);
  if (got == sizeof problem) {
    close_all({socket[0], errors[0]});
    ::waitpid(pid, nullptr, 0);
    return fail(explain_start(problem, options));
  }
  return Spawned{pid, socket[0], errors[0]};
}

void kill_group(pid_t pid) {
  if (pid > 0) ::kill(-pid, SIGKILL);
}

Ending reap(pid_t pid, int grace_ms) {
  int status = 0;
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(grace_ms);
  for (;;) {
    const pid_t ended = ::waitpid(pid, &status, WNOHANG);
    if (ended == pid) break;
    if (ended < 0 && errno != EINTR) return {false, "unknown"};
    if (std::chrono::steady_clock::now() >= deadline) {
      kill_group(pid);
      while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
      }
      break;
    }
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
  kill_group(pid);  // whatever the worker itself had started
  if (WIFSIGNALED(status)) {
    const int signal = WTERMSIG(status);
    return {false, fmt::format("signal {} ({})", signal, strsignal(signal))};
  }
  return {WEXITSTATUS(status) == 0, fmt::format("exit code {}", WEXITSTATUS(status))};
}

}  // namespace tare
