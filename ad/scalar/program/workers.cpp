#include "ad/scalar/program/workers.hpp"

#include <utility>

namespace tare::ad::detail {

Workers::Workers(unsigned threads) {
  for (unsigned i = 1; i < threads; ++i) {
    threads_.emplace_back([this](const std::stop_token& stop) { wait_for_work(stop); });
  }
}

Workers::~Workers() {
  for (std::jthread& each : threads_) each.request_stop();
}

void Workers::run_erased(std::size_t count, Function function, void* context) {
  const auto alone = [&] {
    for (std::size_t i = 0; i < count; ++i) function(context, i);
  };
  if (threads_.empty() || count < 2) return alone();
  const std::unique_lock only(one_caller_, std::try_to_lock);
  if (!only.owns_lock()) return alone();
  {
    const std::lock_guard lock(mutex_);
    function_ = function;
    context_ = context;
    count_ = count;
    next_ = 0;
    working_ = threads_.size();
    ++round_;
  }
  changed_.notify_all();
  work();
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return working_ == 0; });
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

void Workers::work() {
  try {
    for (std::size_t i = next_++; i < count_; i = next_++) function_(context_, i);
  } catch (...) {
    const std::lock_guard lock(mutex_);
    if (!failure_) failure_ = std::current_exception();
  }
}

void Workers::wait_for_work(const std::stop_token& stop) {
  std::size_t seen = 0;
  for (;;) {
    {
      std::unique_lock lock(mutex_);
      if (!changed_.wait(lock, stop, [&] { return round_ != seen; })) return;
      seen = round_;
    }
    work();
    {
      const std::lock_guard lock(mutex_);
      --working_;
    }
    changed_.notify_all();
  }
}

}  // namespace tare::ad::detail
