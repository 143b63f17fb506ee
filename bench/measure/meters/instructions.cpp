#include "bench/measure/meters/instructions.hpp"

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <optional>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "bench/measure/machine/command.hpp"
#include "bench/measure/machine/files.hpp"
#include "bench/support/text.hpp"

namespace tare {
namespace {

class TemporaryFolder {
 public:
  static Result<TemporaryFolder> make() {
    std::error_code error;
    std::string pattern = (std::filesystem::temp_directory_path(error) / "tare-valgrind-XXXXXX").string();
    if (error || mkdtemp(pattern.data()) == nullptr)
      return fail(
          fmt::format("cannot make a temporary folder for valgrind's log: {}; set TMPDIR to one that "
                      "can be written",
                      error ? error.message() : std::generic_category().message(errno)));
    return TemporaryFolder(std::move(pattern));
  }
  TemporaryFolder(TemporaryFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  [[nodiscard]] std::string file(const char* name) const { return (path_ / name).string(); }

 private:
  explicit TemporaryFolder(std::filesystem::path path) : path_(std::move(path)) {}
  std::filesystem::path path_;
};

/// The text after "==123== " or "--123-- ", if the line is one of this process's; a child made by fork writes
/// under its own number.
std::string_view message_in(std::string_view line, std::string_view& owner) {
  if (!line.starts_with("==") && !line.starts_with("--")) return {};
  const std::size_t end = line.find_first_not_of("0123456789", 2);
  if (end == std::string_view::npos || end == 2 || line.substr(end, 2) != line.substr(0, 2)) return {};
  const std::string_view process = line.substr(2, end - 2);
  if (owner.empty()) owner = process;
  return process == owner ? trim(line.substr(end + 2)) : std::string_view();
}

std::string last_line(std::string_view text) {
  text = trim(text);
  const std::size_t at = text.rfind('\n');
  return printable(at == std::string_view::npos ? text : text.substr(at + 1));
}

}  // namespace

Result<std::uint64_t> parse_callgrind_log(std::string_view log) {
  std::optional<std::uint64_t> total;
  std::string_view owner;
  std::string unknown_bytes;
  std::string signal;
  while (!log.empty()) {
    const std::size_t end = log.find('\n');
    const std::string_view line = log.substr(0, end);
    const std::string_view message = message_in(line, owner);
    log = end == std::string_view::npos ? std::string_view() : log.substr(end + 1);

    constexpr std::string_view collected = "Collected :";
    constexpr std::string_view unhandled = "unhandled instruction bytes:";
    constexpr std::string_view terminating = "Process terminating with default action of signal ";
    if (message.starts_with(collected)) {
      const std::string_view numbers = trim(message.substr(collected.size()));
      total = to_number<std::uint64_t>(numbers.substr(0, numbers.find(' ')));
    } else if (const auto at = line.find(unhandled); at != std::string_view::npos) {
      unknown_bytes = printable(trim(line.substr(at + unhandled.size())));
    } else if (message.starts_with(terminating)) {
      signal = printable(message.substr(terminating.size()));
    }
  }
  if (!unknown_bytes.empty() || signal.find("SIGILL") != std::string::npos)
    return fail(
        fmt::format("valgrind does not know an instruction of this program (SIGILL{}); it offers no AVX-512, "
                    "so build the "
                    "benchmark without -march=native, for example with -march=x86-64-v3",
                    unknown_bytes.empty() ? "" : ", bytes " + unknown_bytes));
  if (!signal.empty())
    return fail(
        fmt::format("the program ended under valgrind by signal {}; run it without valgrind first", signal));
  if (!total)
    return fail(
        "valgrind's log holds no instruction total; run the command under 'valgrind --tool=callgrind' to "
        "see why");
  return *total;
}

Result<std::uint64_t> count_instructions(const std::vector<std::string>& argv,
                                         const std::vector<std::string>& environment,
                                         const ValgrindOptions& options) {
  if (argv.empty()) throw std::invalid_argument("count_instructions: argv is empty");
  const auto folder = TemporaryFolder::make();
  if (!folder) return folder.error();
  const std::string log = folder->file("log");
  std::vector<std::string> command{
      options.program,
      "--tool=callgrind",
      "--callgrind-out-file=/dev/null",
      options.collect_at_start ? "--collect-atstart=yes" : "--collect-atstart=no",
      "--child-silent-after-fork=yes",
      "--log-file=" + log,
      "--"};
  command.insert(command.end(), argv.begin(), argv.end());
  const auto result = run_command(command, {.environment = environment, .limit = options.limit});
  if (!result) return fail("counting instructions needs valgrind: " + result.error().message);

  // When the program died by a signal, valgrind's log says more than the exit status. When it gave up by
  // itself, its own last words do.
  if (result->signal == 0 && result->exit_code != 0)
    return fail(fmt::format("{} ended under valgrind with exit code {}: {}", shell_quote(argv[0]),
                            result->exit_code, last_line(result->errors)));
  return parse_callgrind_log(read_text(log).value_or(""));
}

Result<double> instructions_per_iteration(std::uint64_t total_n, std::uint64_t total_2n, std::uint64_t n) {
  if (n == 0) throw std::invalid_argument("instructions_per_iteration: n is 0");
  if (total_2n < total_n)
    return fail(
        fmt::format("{} iterations cost {} instructions but {} cost {}: the program does not repeat itself",
                    n, total_n, 2 * n, total_2n));
  return static_cast<double>(total_2n - total_n) / static_cast<double>(n);
}

}  // namespace tare
