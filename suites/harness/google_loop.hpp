// Google Benchmark's loop around nothing, timed by itself.
#pragma once

#include <cstdint>

namespace harness {

/// Nanoseconds per iteration, as it reports them. With a barrier inside every iteration must really take
/// place; without one an optimising compiler removes the whole loop, and nothing is left to time.
double google_loop(std::int64_t iterations, bool barrier);

}  // namespace harness
