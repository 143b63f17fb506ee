// The worker's side of the protocol: waits for requests on a socket and runs the benchmarks of a registry.
#pragma once

#include <optional>

#include "bench/define/registry.hpp"

namespace tare {

/// The socket this process was given if tare started it as a worker.
std::optional<int> worker_descriptor();

/// Answers requests until told to quit or the controller is gone. Owns the descriptor.
void serve(const Registry& registry, int descriptor);

}  // namespace tare
