#include "bench/measure/machine/command.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <stdexcept>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

#include "bench/measure/meters/descriptor.hpp"
#include "bench/support/text.hpp"

namespace tare {
namespace {

using Clock = std::chrono::steady_clock;

struct SpawnSettings {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;

  SpawnSettings(int output, int errors) {
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO);
    posix_spawnattr_init(&attributes);
    // The caller may block or ignore signals for its own ends; the tool must still be stoppable.
    sigset_t none;
    sigset_t usual;
    sigemptyset(&none);
    sigemptyset(&usual);
    for (int signal : {SIGINT, SIGTERM, SIGPIPE, SIGQUIT}) sigaddset(&usual, signal);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &usual);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  }
  SpawnSettings(const SpawnSettings&) = delete;
  SpawnSettings& operator=(const SpawnSettings&) = delete;
  ~SpawnSettings() {
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
  }
};

std::vector<char*> pointers(const std::vector<std::string>& words) {
  std::vector<char*> all;
  for (const std::string& word : words) all.push_back(const_cast<char*>(word.c_str()));
  all.push_back(nullptr);
  return all;
}

struct Pipe {
  Descriptor read;
  Descriptor write;
};

Result<Pipe> make_pipe() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    return fail("cannot make a pipe: " + std::generic_category().message(errno));
  return Pipe{Descriptor(ends[0]), Descriptor(ends[1])};
}

int milliseconds_until(Clock::time_point deadline) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
  return static_cast<int>(std::clamp<std::int64_t>(left, 0, 1'000'000));
}

/// Reads both streams until they end; false when the deadline came first.
bool drain(std::array<Descriptor, 2>& streams, std::array<std::string*, 2> texts, std::size_t keep,
           Clock::time_point deadline) {
  std::array<char, 4096> buffer;
  while (streams[0].is_open() || streams[1].is_open()) {
    std::array<pollfd, 2> waiting{{{streams[0].number(), POLLIN, 0}, {streams[1].number(), POLLIN, 0}}};
    const int ready = poll(waiting.data(), waiting.size(), milliseconds_until(deadline));
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return false;
    for (std::size_t i = 0; i < 2; ++i) {
      if (waiting[i].revents == 0) continue;
      const ssize_t got = read(streams[i].number(), buffer.data(), buffer.size());
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) {
        streams[i] = Descriptor();
        continue;
      }
      const std::size_t room = keep - std::min(keep, texts[i]->size());
      texts[i]->append(buffer.data(), std::min(room, static_cast<std::size_t>(got)));
    }
  }
  return true;
}

}  // namespace

Result<CommandResult> run_command(const std::vector<std::string>& argv, const CommandOptions& options) {
  if (argv.empty()) throw std::invalid_argument("run_command: argv is empty");
  auto output = make_pipe();
  if (!output) return output.error();
  auto errors = make_pipe();
  if (!errors) return errors.error();

  const auto deadline = Clock::now() + options.limit;
  const SpawnSettings settings(output->write.number(), errors->write.number());
  const std::vector<char*> words = pointers(argv);
  const std::vector<char*> environment =
      options.environment ? pointers(*options.environment) : std::vector<char*>();
  pid_t child = 0;
  const int error = posix_spawnp(&child, words[0], &settings.actions, &settings.attributes, words.data(),
                                 options.environment ? environment.data() : environ);
  if (error != 0)
    return fail(fmt::format("cannot run {}: {}; is it installed and on PATH?", shell_quote(argv[0]),
                            std::generic_category().message(error)));
  output->write = Descriptor();
  errors->write = Descriptor();

  CommandResult result;
  std::array<Descriptor, 2> streams{std::move(output->read), std::move(errors->read)};
  const bool ended = drain(streams, {&result.output, &result.errors}, options.keep_bytes, deadline);
  if (!ended) kill(child, SIGKILL);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!ended)
    return fail(
        fmt::format("{} did not end within {} and was killed", shell_quote(argv[0]),
                    format_duration(std::chrono::duration<double, std::nano>(options.limit).count())));
  if (WIFSIGNALED(status))
    result.signal = WTERMSIG(status);
  else
    result.exit_code = WEXITSTATUS(status);
  return result;
}

}  // namespace tare
