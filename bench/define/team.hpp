// A team of threads that start one task at the same moment. The caller is thread 0; the others wait, spinning
// briefly before they sleep, so that a start costs about a microsecond and an idle team costs nothing.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace tare {

class Team {
 public:
  using Task = void (*)(void* data, int thread);

  explicit Team(int threads);
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  /// Sets the task and waits until every thread is ready to start it.
  void prepare(Task task, void* data);
  /// Starts the task on all threads and waits for the last one. Never throws, allocates or locks.
  void run();
  /// The first exception that a thread met in the last run, if any.
  void rethrow();

 private:
  void work(int thread);
  void attempt(int thread) noexcept;

  std::vector<std::thread> others_;
  Task task_ = nullptr;
  void* data_ = nullptr;
  std::atomic<std::uint32_t> armed_{0};
  std::atomic<std::uint32_t> ready_{0};
  std::atomic<std::uint32_t> go_{0};
  std::atomic<std::uint32_t> running_{0};
  std::atomic<bool> stop_{false};
  std::exception_ptr problem_;
  std::mutex problem_mutex_;
};

}  // namespace tare
