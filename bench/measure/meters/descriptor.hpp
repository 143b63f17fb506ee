// A file descriptor that closes itself, and the one way the meters read a file of /proc or /sys that they
// keep open: from its beginning into the caller's buffer, without allocating.
#pragma once

#include <cerrno>
#include <fcntl.h>
#include <span>
#include <string_view>
#include <unistd.h>
#include <utility>

namespace tare {

class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    Descriptor taken(std::move(other));
    std::swap(number_, taken.number_);
    return *this;
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (number_ >= 0) close(number_);
  }

  /// Negative with errno set when it cannot be opened.
  static Descriptor open_to_read(const char* path) { return Descriptor(::open(path, O_RDONLY | O_CLOEXEC)); }

  [[nodiscard]] bool is_open() const noexcept { return number_ >= 0; }
  [[nodiscard]] int number() const noexcept { return number_; }

  /// What fits of the file from its beginning; empty with errno set on failure.
  std::string_view read_at_start(std::span<char> buffer) const noexcept {
    ssize_t got = -1;
    do {
      got = pread(number_, buffer.data(), buffer.size(), 0);
    } while (got < 0 && errno == EINTR);
    return got > 0 ? std::string_view(buffer.data(), static_cast<std::size_t>(got)) : std::string_view();
  }

 private:
  int number_ = -1;
};

}  // namespace tare
