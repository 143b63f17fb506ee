// What the store's tests share: a directory that goes away, invented runs, and work done in a child process.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <functional>
#include <gtest/gtest.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/store/store.hpp"

namespace tare {

class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    std::string name = testing::TempDir() + "tare-store-XXXXXX";
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot create " + name);
    path_ = name;
  }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  ~TemporaryDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  [[nodiscard]] std::string path() const { return path_; }
  [[nodiscard]] std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

inline Run invented_run() {
  Run run;
  run.started_unix_ms = 1'700'000'000'123;
  run.command = "tare run ./bench";
  run.directory = "/home/somebody";
  run.commit = "abc+";
  run.seed = 18446744073709551615u;
  run.tags = {{"k", "v"}};
  run.findings = {{"load", Health::bad, "load 7 on 2 CPUs", "end other programs"}};
  run.machine.cpu = "Some CPU";
  run.machine.threads = 2;
  run.machine.memory_bytes = 1ull << 34;
  run.binaries = {{"./bench", "00ff", {"GCC 12", "-O3", "optimised", "0.1.0"}}};
  return run;
}

/// Different for every number, with two metrics whose alphabetical order is not their order.
inline BenchmarkResult invented_result(int number) {
  Metric time{"time", "ns", Better::less, Nature::noisy, "measured", {20, 1, 0.3, 0.01}, {}, {}};
  for (std::uint32_t i = 0; i < 30; ++i) {
    time.samples.push_back({i / 10, 100, 12345.0 + number * 1000 + i * 7919 % 613, {}});
  }
  time.samples[3].interference = {1, 2, 1, 3, 4, 500, 10'000'000};
  Metric bytes{"peak_bytes", "B", Better::neither, Nature::exact, "measured", {}, {{0, 1, 0.1, {}}}, {}};
  BenchmarkResult result;
  result.id = {"sort", {{"n", std::to_string(number)}, {"kind", "a b"}}};
  result.binary = "./bench";
  result.label = "a label";
  result.tags = {{"team", "x"}};
  result.workload = {{8, 8}, "f32", "cpu", 4, 2, "tf32", 42, "abc"};
  result.throughput = {8, 64, 100};
  result.message = "all is well";
  result.checked = true;
  result.cold_ns = 999;
  result.metrics = {time, bytes};
  result.warnings = {{Doubt::one_process, "one process only"}};
  result.reproduce = "tare run ./bench --filter sort";
  return result;
}

/// A child process, and the end of a pipe through which it reports.
struct Child {
  pid_t process = 0;
  int reports = -1;
};

/// The work is given the descriptor to report to. The child ends with it, without cleaning up: what the
/// parent had open is not its own.
inline Child start(const std::function<void(int)>& work) {
  int ends[2];
  if (pipe(ends) != 0) throw std::runtime_error("pipe failed");
  const pid_t process = fork();
  if (process < 0) throw std::runtime_error("fork failed");
  if (process == 0) {
    close(ends[0]);
    try {
      work(ends[1]);
    } catch (...) {
      _exit(4);  // or the child would go on as a second test program
    }
    _exit(0);
  }
  close(ends[1]);
  return {process, ends[0]};
}

inline void report(int to, std::int64_t value) {
  if (write(to, &value, sizeof value) != sizeof value) _exit(3);
}

/// Empty when the child is gone.
inline std::optional<std::int64_t> next_report(int reports) {
  std::int64_t value = 0;
  return read(reports, &value, sizeof value) == sizeof value ? std::optional(value) : std::nullopt;
}

/// All that is left to read, until the child is gone.
inline std::vector<std::int64_t> drain(int reports) {
  std::vector<std::int64_t> all;
  while (auto value = next_report(reports)) all.push_back(*value);
  close(reports);
  return all;
}

/// The work's text, made in a child process of its own; what it did to itself (limits, user) goes with it.
inline std::string in_child(const std::function<std::string()>& work) {
  const auto child = start([&](int to) {
    const auto text = work();
    if (write(to, text.data(), text.size()) != static_cast<ssize_t>(text.size())) _exit(3);
  });
  std::string text;
  char buffer[4096];
  for (ssize_t n = 0; (n = read(child.reports, buffer, sizeof buffer)) > 0;) {
    text.append(buffer, static_cast<std::size_t>(n));
  }
  close(child.reports);
  int status = 0;
  waitpid(child.process, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? text : "child failed: " + text;
}

}  // namespace tare
