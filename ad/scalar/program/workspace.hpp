// Memory of a run: one buffer per thread that grows to the largest need and is kept, so that runs in steady
// state allocate nothing. A run inside another (a custom op that calls a compiled program) gets its own.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <utility>

namespace tare::ad::detail {

class Workspace {
 public:
  explicit Workspace(std::size_t doubles) : buffer_(std::exchange(kept(), Buffer{})) {
    if (buffer_.doubles >= doubles) return;
    const std::size_t wanted = doubles + doubles / 4 + 64;
    buffer_ = {};
    buffer_.memory.reset(static_cast<double*>(::operator new(wanted * sizeof(double), alignment)));
    buffer_.doubles = wanted;
  }
  ~Workspace() { std::swap(kept(), buffer_); }
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;

  /// The next part of the buffer, at a multiple of 64 bytes; parts are what the constructor was asked for,
  /// each rounded up with room().
  double* take(std::size_t doubles) {
    double* const part = buffer_.memory.get() + used_;
    used_ += room(doubles);
    return part;
  }
  static constexpr std::size_t room(std::size_t doubles) { return (doubles + 7) / 8 * 8; }

 private:
  static constexpr std::align_val_t alignment{64};
  struct Release {
    void operator()(double* memory) const { ::operator delete(memory, alignment); }
  };
  struct Buffer {
    std::unique_ptr<double, Release> memory;
    std::size_t doubles = 0;
  };
  static Buffer& kept() {
    static thread_local Buffer buffer;
    return buffer;
  }

  Buffer buffer_;
  std::size_t used_ = 0;
};

}  // namespace tare::ad::detail
