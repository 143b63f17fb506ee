#include "ad/support/threads.hpp"

#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <exception>
#include <memory>
#include <mutex>
#include <sched.h>
#include <thread>
#include <vector>

#include "ad/support/error.hpp"

namespace tare::ad {
namespace {

constexpr int spins = 2000;
thread_local bool inside = false;

void pause_cpu() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

int usable_cpus() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return 1;
  return std::max(1, CPU_COUNT(&set));
}

int first_count() {
  if (const char* asked = std::getenv("TARE_THREADS"); asked != nullptr) {
    const long count = std::strtol(asked, nullptr, 10);
    if (count >= 1 && count <= 1024) return static_cast<int>(count);
  }
  return usable_cpus();
}

/// One piece of work at a time; a second caller finds the pool busy and works alone.
class Pool {
 public:
  explicit Pool(int helpers) {
    for (int i = 0; i < helpers; ++i)
      threads_.emplace_back([this](const std::stop_token& stop) { serve(stop); });
  }
  ~Pool() {
    for (auto& thread : threads_) thread.request_stop();
    {
      const std::lock_guard lock(mutex_);
      round_.fetch_add(1, std::memory_order_release);
    }
    woken_.notify_all();
  }
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  void run(std::int64_t chunks, detail::ChunkFunction function, void* context) {
    function_ = function;
    context_ = context;
    chunks_ = chunks;
    failure_ = nullptr;
    next_.store(0, std::memory_order_relaxed);
    open_.store(true);
    {
      const std::lock_guard lock(mutex_);
      round_.fetch_add(1, std::memory_order_release);
    }
    if (sleeping_.load() > 0) woken_.notify_all();
    take_chunks();
    // A helper that comes too late finds the round closed; only those at work are waited for.
    open_.store(false);
    for (int spin = 0; working_.load() > 0; ++spin) {
      if (spin < spins) {
        pause_cpu();
      } else {
        std::this_thread::yield();
      }
    }
    if (failure_) std::rethrow_exception(failure_);
  }
  std::mutex one_caller;

 private:
  void take_chunks() {
    inside = true;
    for (;;) {
      const auto chunk = next_.fetch_add(1, std::memory_order_relaxed);
      if (chunk >= chunks_) break;
      try {
        function_(context_, chunk);
      } catch (...) {
        const std::lock_guard lock(mutex_);
        if (!failure_) failure_ = std::current_exception();
        next_.store(chunks_, std::memory_order_relaxed);
      }
    }
    inside = false;
  }

  void serve(const std::stop_token& stop) {
    std::uint64_t seen = 0;
    while (!stop.stop_requested()) {
      for (int spin = 0; spin < spins && round_.load(std::memory_order_acquire) == seen; ++spin) pause_cpu();
      if (round_.load(std::memory_order_acquire) == seen) {
        std::unique_lock lock(mutex_);
        sleeping_.fetch_add(1);
        woken_.wait(lock, [&] { return round_.load(std::memory_order_acquire) != seen; });
        sleeping_.fetch_sub(1);
      }
      if (stop.stop_requested()) return;
      seen = round_.load(std::memory_order_acquire);
      working_.fetch_add(1);
      if (open_.load()) take_chunks();
      working_.fetch_sub(1);
    }
  }

  std::mutex mutex_;
  std::condition_variable woken_;
  std::atomic<std::uint64_t> round_{0};
  std::atomic<int> sleeping_{0};
  std::atomic<int> working_{0};
  std::atomic<bool> open_{false};
  std::atomic<std::int64_t> next_{0};
  std::int64_t chunks_ = 0;
  detail::ChunkFunction function_ = nullptr;
  void* context_ = nullptr;
  std::exception_ptr failure_;
  std::vector<std::jthread> threads_;  // last: they end before what they use
};

struct Owner {
  std::mutex mutex;
  std::shared_ptr<Pool> pool;
  std::atomic<int> count{0};
};

Owner& owner() {
  static Owner one;
  return one;
}

std::shared_ptr<Pool> pool_of(int count) {
  auto& o = owner();
  const std::lock_guard lock(o.mutex);
  if (!o.pool) o.pool = std::make_shared<Pool>(count - 1);
  return o.pool;
}

}  // namespace

int thread_count() {
  auto& o = owner();
  const int count = o.count.load(std::memory_order_relaxed);
  if (count > 0) return count;
  const std::lock_guard lock(o.mutex);
  if (o.count.load() == 0) o.count.store(first_count());
  return o.count.load();
}

int threads_here() {
  return inside ? 1 : thread_count();
}

void set_thread_count(int count) {
  if (count < 1 || count > 1024)
    throw AdError("set_thread_count: " + std::to_string(count) + " is not between 1 and 1024");
  auto& o = owner();
  std::shared_ptr<Pool> old;
  const std::lock_guard lock(o.mutex);
  if (o.count.load() != count) old = std::move(o.pool);
  o.pool.reset();
  o.count.store(count);
}

namespace detail {

void run_chunks(std::int64_t chunks, ChunkFunction function, void* context) {
  const int count = threads_here();
  if (count > 1) {
    const auto pool = pool_of(count);
    const std::unique_lock turn(pool->one_caller, std::try_to_lock);
    if (turn.owns_lock()) {
      pool->run(chunks, function, context);
      return;
    }
  }
  for (std::int64_t chunk = 0; chunk < chunks; ++chunk) function(context, chunk);
}

}  // namespace detail
}  // namespace tare::ad
