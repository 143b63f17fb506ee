#include "cli/signals.hpp"

#include <signal.h>

namespace tare::cli {
namespace {

std::atomic<bool> cancelled{false};

void on_signal(int signal) {
  if (cancelled.exchange(true) && signal == SIGINT) {
    ::signal(SIGINT, SIG_DFL);
    ::raise(SIGINT);
  }
}

}  // namespace

const std::atomic<bool>& watch_signals() {
  struct sigaction action{};
  action.sa_handler = &on_signal;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) ::sigaction(signal, &action, nullptr);
  // A file-size limit then reads as a full disk, which has a message.
  ::signal(SIGXFSZ, SIG_IGN);
  return cancelled;
}

}  // namespace tare::cli
