// What every function of this folder asks of its samples.
#pragma once

#include "bench/analyse/estimators.hpp"

namespace tare {

/// Throws std::invalid_argument that names operation and value when one is not finite.
void require_finite(Values values, const char* operation);
/// Throws std::invalid_argument unless the level (or confidence, power, …) lies inside (0, 1).
void require_share(double share, const char* operation, const char* what);

}  // namespace tare
