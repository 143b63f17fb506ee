// What a recording is asked to do and what it tells of itself.
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

struct RecordingStats {
  std::size_t inputs = 0;
  std::size_t statements = 0;
  std::size_t entries = 0;        ///< active arguments of all statements
  std::size_t bytes = 0;          ///< taken by the statements
  std::size_t adjoint_bytes = 0;  ///< taken by the adjoints of the last sweep
};

/// Checks made at every statement while they are on; recording then takes the slow path.
struct Checks {
  bool stale = false;        ///< arguments must belong to this recording
  bool non_finite = false;   ///< NaN and infinity are reported with the op that made them
  bool derivatives = false;  ///< ops of the caller's are compared with finite differences, see check.hpp

#ifdef NDEBUG
  static constexpr Checks usual() { return {}; }
#else
  static constexpr Checks usual() { return {true, false, false}; }
#endif
};

namespace detail {

/// Distinct for every recorder and recording, as far as 32 bits go.
std::uint32_t fresh_tag();

}  // namespace detail
}  // namespace tare::ad
