#include "cli/terminal.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "bench/report/layout.hpp"
#include "bench/support/text.hpp"
#include "cli/exit_codes.hpp"

namespace tare::cli {
namespace {

std::size_t width_of(int descriptor) {
  winsize size{};
  if (::ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col >= 20) return size.ws_col;
  return 100;
}

}  // namespace

ReportOptions report_options() {
  ReportOptions options;
  const char* no_colour = std::getenv("NO_COLOR");
  const bool terminal = ::isatty(STDOUT_FILENO) == 1;
  options.style.colour = terminal && (no_colour == nullptr || *no_colour == '\0');
  if (terminal) options.width = width_of(STDOUT_FILENO);
  return options;
}

bool errors_are_seen() {
  return ::isatty(STDERR_FILENO) == 1;
}

void print(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

void complain(const std::string& message) {
  fmt::print(stderr, "tare: {}\n", message);
}

int fail_with(const Error& error) {
  complain(error.message);
  return exit_wrong_use;
}

void ProgressLine::draw(const std::string& text) {
  if (!shown_) {
    // A log is not to look as if nothing happened.
    const auto now = std::chrono::steady_clock::now();
    if (now - said_ < every_) return;
    said_ = now;
    return complain(text);
  }
  fmt::print(stderr, "\r\x1b[K{}", shorten_end(text, width_of(STDERR_FILENO) - 1));
  std::fflush(stderr);
  drawn_ = true;
}

void ProgressLine::clear() {
  if (!drawn_) return;
  fmt::print(stderr, "\r\x1b[K");
  std::fflush(stderr);
  drawn_ = false;
}

std::string progress_text(std::size_t index, std::size_t count, double fraction_of_this, double seconds_spent,
                          const std::string& name, std::size_t process, std::size_t width,
                          const char* repeated) {
  const double done =
      (static_cast<double>(index) + fraction_of_this) / static_cast<double>(std::max<std::size_t>(count, 1));
  constexpr std::size_t cells = 12;
  const auto filled = static_cast<std::size_t>(std::lround(done * cells));
  // Early on the rate says little: better no promise than a wild one.
  const std::string left =
      done > 0.02
          ? fmt::format(", about {} left", format_duration((seconds_spent / done - seconds_spent) * 1e9, 2))
          : "";
  const auto text =
      fmt::format("[{}/{}] {}{} {:.0f} %  {}  {} {}{}", index + 1, count, repeat("█", filled),
                  repeat("░", cells - filled), 100 * done, printable(name), repeated, process + 1, left);
  return shorten_end(text, width);
}

}  // namespace tare::cli
