// Ctrl-C and termination as a flag: the measurement under way is given up, what is finished is kept.
#pragma once

#include <atomic>

namespace tare::cli {

/// From now on SIGINT, SIGTERM and SIGHUP set the flag; a second SIGINT ends the process at once.
const std::atomic<bool>& watch_signals();

}  // namespace tare::cli
