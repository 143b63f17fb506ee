#include "bench/measure/channel.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

namespace tare {

Channel::Channel(int descriptor, std::size_t longest_line)
    : descriptor_(descriptor), longest_line_(longest_line) {}

Channel::~Channel() {
  close();
}

Channel::Channel(Channel&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)),
      longest_line_(other.longest_line_),
      buffer_(std::move(other.buffer_)),
      scanned_(other.scanned_) {}

Channel& Channel::operator=(Channel&& other) noexcept {
  close();
  descriptor_ = std::exchange(other.descriptor_, -1);
  longest_line_ = other.longest_line_;
  buffer_ = std::move(other.buffer_);
  scanned_ = other.scanned_;
  return *this;
}

void Channel::close() {
  if (descriptor_ >= 0) ::close(descriptor_);
  descriptor_ = -1;
}

Result<std::string, ChannelError> Channel::read_line(Instant deadline, const std::atomic<bool>* cancelled,
                                                     int also, const std::function<bool()>& on_also) {
  // A signal that sets `cancelled` may arrive just before poll() sleeps: it never sleeps longer than this.
  constexpr auto nap = std::chrono::milliseconds(100);
  for (;;) {
    if (const auto end = buffer_.find('\n', scanned_); end != std::string::npos) {
      std::string line = buffer_.substr(0, end);
      buffer_.erase(0, end + 1);
      scanned_ = 0;
      return line;
    }
    scanned_ = buffer_.size();
    if (buffer_.size() > longest_line_) {
      return ChannelError{ChannelProblem::too_long,
                          fmt::format("a line of more than {} bytes", longest_line_)};
    }
    if (cancelled != nullptr && *cancelled) return ChannelError{ChannelProblem::cancelled, "cancelled"};
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    if (left.count() <= 0) return ChannelError{ChannelProblem::timed_out, "no answer in time"};

    std::array<pollfd, 2> watched{{{descriptor_, POLLIN, 0}, {also, POLLIN, 0}}};
    const int ready =
        ::poll(watched.data(), also >= 0 ? 2 : 1, static_cast<int>(std::min(left, nap).count()));
    if (ready < 0 && errno != EINTR) {
      return ChannelError{ChannelProblem::broken, fmt::format("poll: {}", std::strerror(errno))};
    }
    if (ready <= 0) continue;
    if (also >= 0 && watched[1].revents != 0 && !on_also()) also = -1;
    if (watched[0].revents == 0) continue;
    std::array<char, 65536> chunk;
    const auto n = ::read(descriptor_, chunk.data(), chunk.size());
    if (n > 0) {
      buffer_.append(chunk.data(), static_cast<std::size_t>(n));
    } else if (n == 0 || errno == ECONNRESET) {
      return ChannelError{ChannelProblem::closed, "the other side closed the connection"};
    } else if (errno != EINTR && errno != EAGAIN) {
      return ChannelError{ChannelProblem::broken, fmt::format("read: {}", std::strerror(errno))};
    }
  }
}

Result<Done, ChannelError> Channel::write_line(const std::string& line) {
  const std::string text = line + '\n';
  for (std::size_t sent = 0; sent < text.size();) {
    const auto n = ::send(descriptor_, text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
    if (n >= 0) {
      sent += static_cast<std::size_t>(n);
    } else if (errno == EPIPE || errno == ECONNRESET) {
      return ChannelError{ChannelProblem::closed, "the other side closed the connection"};
    } else if (errno != EINTR) {
      return ChannelError{ChannelProblem::broken, fmt::format("send: {}", std::strerror(errno))};
    }
  }
  return Done{};
}

}  // namespace tare
