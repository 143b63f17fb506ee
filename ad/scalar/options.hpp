// Choices both kinds of recording share.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tare::ad {

struct Limits {
  /// Memory the statements of one recording may take. Address space is set aside for it, memory only as it is
  /// used.
  std::size_t bytes = std::size_t{6} << 30U;
};

/// Whether a recording may be swept again after this backward.
enum class Retain { no, yes };

namespace detail {

/// Distinct for every recorder and recording, as far as 32 bits go.
std::uint32_t fresh_tag();

}  // namespace detail
}  // namespace tare::ad
