// What every fuzz target does with its bytes: look at them as text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

inline std::string_view as_text(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

/// An invariant that must hold whatever the input was.
inline void require(bool holds) {
  if (!holds) std::abort();
}
