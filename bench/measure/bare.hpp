// The body and nothing else: no clock, no protocol. For instruction counts and for profilers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "bench/define/registry.hpp"

namespace tare {

struct BareRequest {
  std::string benchmark;  ///< full name
  std::uint64_t iterations = 1;
  std::uint64_t seed = 1;
};

inline constexpr const char* bare_benchmark_variable = "TARE_BARE_BENCHMARK";
inline constexpr const char* bare_iterations_variable = "TARE_BARE_ITERATIONS";
inline constexpr const char* bare_seed_variable = "TARE_BARE_SEED";

/// What this process's environment asks for, if it does.
std::optional<BareRequest> bare_request();

/// Runs the body that often; under callgrind only its timed phases are counted.
Status run_bare(const Registry& registry, const BareRequest& request);

}  // namespace tare
