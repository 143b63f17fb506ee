// Something made when it is first asked for, by whichever thread asks; asking again costs one load.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>

namespace tare::ad::detail {

template <class T>
class Lazy {
 public:
  /// make() gives a std::unique_ptr<const T>.
  template <class F>
  const T& get(F make) const {
    if (const T* const ready = ready_.load(std::memory_order_acquire)) return *ready;
    const std::lock_guard lock(mutex_);
    if (!made_) {
      made_ = make();
      ready_.store(made_.get(), std::memory_order_release);
    }
    return *made_;
  }

 private:
  mutable std::mutex mutex_;
  mutable std::unique_ptr<const T> made_;
  mutable std::atomic<const T*> ready_{nullptr};
};

}  // namespace tare::ad::detail
