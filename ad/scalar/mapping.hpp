// Address space for recordings: one large mapping that the kernel fills with pages only where it is touched,
// so that a push needs no growth, no chunk and no copy. Released mappings are kept for the next recording on
// the same thread, with up to a megabyte of their pages, so that a small tape made anew costs no system call.
// Limits: the address space is real; where it is rationed (ulimit -v, strict overcommit) smaller mappings are
// tried down to 64 KiB before giving up with std::bad_alloc.
#pragma once

#include <algorithm>
#include <cstddef>

namespace tare::ad::detail {

class Mapping {
 public:
  Mapping() = default;
  /// At least 64 KiB, at most `bytes` rounded up to pages: what could be had.
  explicit Mapping(std::size_t bytes);
  ~Mapping();
  Mapping(Mapping&& other) noexcept;
  Mapping& operator=(Mapping&& other) noexcept;
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;

  [[nodiscard]] std::byte* data() const { return data_; }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  /// The owner wrote somewhere in [from, to): a large part written is given back to the system on release.
  void note_used(const void* from, const void* to) {
    if (from == to) return;
    used_from_ = used_from_ == nullptr ? from : std::min(used_from_, from);
    used_to_ = std::max(used_to_, to);
  }

 private:
  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
  std::size_t asked_ = 0;
  const void* used_from_ = nullptr;
  const void* used_to_ = nullptr;
};

}  // namespace tare::ad::detail
