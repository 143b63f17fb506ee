#include "bench/define/team.hpp"

#include <stdexcept>
#include <string>

namespace tare {
namespace {

/// Waits until the value differs from `old`, spinning first; yields, so that more threads than CPUs still
/// advance.
void wait_while(const std::atomic<std::uint32_t>& value, std::uint32_t old) {
  for (int spin = 0; spin < 2000; ++spin) {
    if (value.load(std::memory_order_acquire) != old) return;
  }
  while (value.load(std::memory_order_acquire) == old) std::this_thread::yield();
}

}  // namespace

Team::Team(int threads) {
  if (threads < 1)
    throw std::invalid_argument("a team needs at least 1 thread, not " + std::to_string(threads));
  for (int thread = 1; thread < threads; ++thread) others_.emplace_back([this, thread] { work(thread); });
}

Team::~Team() {
  stop_ = true;
  armed_.fetch_add(1);
  armed_.notify_all();
  for (auto& thread : others_) thread.join();
}

void Team::attempt(int thread) noexcept {
  try {
    task_(data_, thread);
  } catch (...) {
    const std::lock_guard lock(problem_mutex_);
    if (!problem_) problem_ = std::current_exception();
  }
}

void Team::work(int thread) {
  std::uint32_t seen = 0;
  for (;;) {
    armed_.wait(seen);  // asleep between samples
    seen = armed_.load();
    if (stop_) return;
    const auto start = go_.load(std::memory_order_acquire);
    ready_.fetch_add(1, std::memory_order_release);
    wait_while(go_, start);
    attempt(thread);
    running_.fetch_sub(1, std::memory_order_release);
  }
}

void Team::prepare(Task task, void* data) {
  task_ = task;
  data_ = data;
  problem_ = nullptr;
  ready_ = 0;
  running_ = static_cast<std::uint32_t>(others_.size());
  armed_.fetch_add(1);
  armed_.notify_all();
  while (ready_.load(std::memory_order_acquire) != others_.size()) std::this_thread::yield();
}

void Team::run() {
  go_.fetch_add(1, std::memory_order_release);
  attempt(0);
  for (auto left = running_.load(std::memory_order_acquire); left != 0;
       left = running_.load(std::memory_order_acquire)) {
    wait_while(running_, left);
  }
}

void Team::rethrow() {
  if (problem_) std::rethrow_exception(problem_);
}

}  // namespace tare
