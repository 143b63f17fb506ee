// Workers: threads that wait for work and share it out, kept as long as what they work for. run() allocates
// nothing. When they are busy with another call, the caller does its work alone.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace tare::ad::detail {

class Workers {
 public:
  /// The caller of run() is one of the threads.
  explicit Workers(unsigned threads);
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  [[nodiscard]] std::size_t threads() const { return threads_.size() + 1; }
  /// Calls f(0) … f(count - 1), each once, on any thread; throws what the first of them threw.
  template <class F>
  void run(std::size_t count, F f) {
    run_erased(count, [](void* context, std::size_t i) { (*static_cast<F*>(context))(i); }, &f);
  }

 private:
  using Function = void (*)(void*, std::size_t);

  void run_erased(std::size_t count, Function function, void* context);
  void work();
  void wait_for_work(const std::stop_token& stop);

  std::mutex one_caller_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  Function function_ = nullptr;
  void* context_ = nullptr;
  std::size_t count_ = 0;
  std::atomic<std::size_t> next_{0};
  std::size_t round_ = 0;
  std::size_t working_ = 0;
  std::exception_ptr failure_;
  std::vector<std::jthread> threads_;
};

}  // namespace tare::ad::detail
