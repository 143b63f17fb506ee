#include "ad/scalar/options.hpp"

#include <atomic>

namespace tare::ad::detail {

std::uint32_t fresh_tag() {
  static std::atomic<std::uint32_t> recorders{0};
  // Fibonacci hashing spreads the recorders' tags, so that counting up from one rarely meets another's.
  return (recorders.fetch_add(1, std::memory_order_relaxed) + 1) * 0x9E37'79B9U | 1U;
}

}  // namespace tare::ad::detail
