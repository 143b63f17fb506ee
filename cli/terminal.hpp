// What the two output streams are: a person's terminal, with its width and colours, or a file.
#pragma once

#include <chrono>
#include <string>

#include "bench/report/style.hpp"
#include "bench/support/result.hpp"

namespace tare::cli {

/// For standard output: colour only on a terminal and without NO_COLOR, width of the terminal or 100.
ReportOptions report_options();
bool errors_are_seen();  ///< standard error is a terminal

void print(const std::string& text);
/// "tare: …" on standard error.
void complain(const std::string& message);
/// Says what went wrong; the exit code of wrong use.
int fail_with(const Error& error);

/// One line on standard error that is drawn again and again; where that is not a terminal, a line of its own
/// now and then.
class ProgressLine {
 public:
  explicit ProgressLine(std::chrono::steady_clock::duration every = std::chrono::seconds(30))
      : shown_(errors_are_seen()), every_(every) {}
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  void draw(const std::string& text);
  void clear();

 private:
  bool shown_;
  bool drawn_ = false;
  std::chrono::steady_clock::duration every_;
  std::chrono::steady_clock::time_point said_ = std::chrono::steady_clock::now();
};

/// "[3/12] ███████░░░ 45 %  sort/n=8  process 4, about 12 s left"; `repeated` is the word for what is
/// counted.
std::string progress_text(std::size_t index, std::size_t count, double fraction_of_this, double seconds_spent,
                          const std::string& name, std::size_t process, std::size_t width,
                          const char* repeated = "process");

}  // namespace tare::cli
