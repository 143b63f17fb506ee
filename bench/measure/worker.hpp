// The controller's side of the protocol: one connection to one worker, which lives in a process of its own
// or, for debugging and tests, on a thread of this one.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "bench/define/registry.hpp"
#include "bench/measure/channel.hpp"
#include "bench/measure/protocol.hpp"
#include "bench/measure/spawn.hpp"

namespace tare {

/// Why a benchmark has no result.
struct Failure {
  Outcome outcome = Outcome::failed;
  std::string message;
};
template <class T>
using Answer = Result<T, Failure>;

/// How long a worker may take from its start to its hello.
inline constexpr auto start_limit = std::chrono::seconds(10);

class Worker {
 public:
  /// Starts the binary and waits for its hello.
  static Answer<Worker> start(const SpawnOptions& options, Instant deadline,
                              const std::atomic<bool>* cancelled);
  /// Serves the registry on a thread of this process.
  static Answer<Worker> in_process(const Registry& registry, const std::atomic<bool>* cancelled);

  Worker(Worker&&) noexcept;
  Worker& operator=(Worker&&) noexcept;
  ~Worker();

  [[nodiscard]] const Hello& hello() const { return hello_; }
  /// Threads that its process has at this moment; empty for a worker in this process.
  [[nodiscard]] std::optional<std::size_t> threads() const;
  Answer<std::vector<Listed>> list(Instant deadline);
  Answer<Preparation> prepare(const BenchmarkId& id, std::uint64_t seed, Instant deadline);
  Answer<std::vector<Reading>> sample(const SampleRequest& request, Instant deadline);
  Answer<Checked> check(std::uint64_t seed, Instant deadline);
  Answer<std::vector<Metric>> meter(const MeterRequest& request, Instant deadline);
  /// What the prepared benchmark's program does; fails when it does not tell.
  Answer<Explanation> explain(const ExplainRequest& request, Instant deadline);
  /// Ends the prepared benchmark; answers with its counters.
  Answer<std::vector<Metric>> finish(Instant deadline);

 private:
  Worker(int socket, const std::atomic<bool>* cancelled);
  Answer<Hello> greet(Instant deadline);
  Answer<Json> ask(const Request& request, Instant deadline);
  Answer<Json> read(Instant deadline);
  Failure failure_of(const ChannelError& error);
  bool drain_errors();
  void end() noexcept;

  std::string name_;
  Channel channel_;
  const std::atomic<bool>* cancelled_;
  Hello hello_;
  std::size_t phases_ = 1;
  pid_t pid_ = -1;
  int errors_ = -1;
  std::string last_words_;
  std::thread thread_;
};

}  // namespace tare
