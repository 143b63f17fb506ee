// Lines of text over a stream socket, with a deadline and a limit on a line's length: the peer may be
// hostile.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <string>

#include "bench/support/result.hpp"

namespace tare {

using Instant = std::chrono::steady_clock::time_point;

enum class ChannelProblem { closed, timed_out, cancelled, too_long, broken };
struct ChannelError {
  ChannelProblem problem{};
  std::string message;
};

class Channel {
 public:
  /// Owns the descriptor.
  explicit Channel(int descriptor, std::size_t longest_line = std::size_t{64} << 20);
  ~Channel();
  Channel(Channel&& other) noexcept;
  Channel& operator=(Channel&& other) noexcept;

  /// Without its newline. `also` is a second descriptor watched meanwhile; on_also is called when it can be
  /// read and answers whether to go on watching it.
  Result<std::string, ChannelError> read_line(Instant deadline, const std::atomic<bool>* cancelled = nullptr,
                                              int also = -1, const std::function<bool()>& on_also = {});
  Result<Done, ChannelError> write_line(const std::string& line);
  void close();

 private:
  int descriptor_;
  std::size_t longest_line_;
  std::string buffer_;
  std::size_t scanned_ = 0;
};

}  // namespace tare
