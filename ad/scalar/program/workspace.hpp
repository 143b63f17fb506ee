// Memory of a run: buffers per thread that grow to the largest need and are kept, so that runs in steady
// state allocate nothing. A run inside another (a kernel's chunk, a custom op that calls a compiled program)
// gets the next buffer; workspaces end in the reverse order of their making.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <new>

namespace tare::ad::detail {

class Workspace {
 public:
  explicit Workspace(std::size_t doubles)
      : buffer_(kept().next < depth ? kept().buffers[kept().next] : own_) {
    ++kept().next;
    if (buffer_.doubles >= doubles) return;
    const std::size_t wanted = doubles + doubles / 4 + 64;
    buffer_.doubles = 0;
    buffer_.memory.reset();
    buffer_.memory.reset(static_cast<double*>(::operator new(wanted * sizeof(double), alignment)));
    buffer_.doubles = wanted;
  }
  ~Workspace() { --kept().next; }
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
  static constexpr std::size_t depth = 4;
  struct Kept {
    std::array<Buffer, depth> buffers;
    std::size_t next = 0;
  };
  static Kept& kept() {
    static thread_local Kept kept;
    return kept;
  }

  Buffer own_;  ///< for the deepest
  Buffer& buffer_;
  std::size_t used_ = 0;
};

}  // namespace tare::ad::detail
