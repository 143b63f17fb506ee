#include "bench/compare/values.hpp"

#include <cmath>
#include <fmt/format.h>
#include <stdexcept>

namespace tare {

void require_finite(Values values, const char* operation) {
  for (const double v : values)
    if (!std::isfinite(v))
      throw std::invalid_argument(fmt::format("{}: {} is not a finite value", operation, v));
}

void require_share(double share, const char* operation, const char* what) {
  if (!(share > 0 && share < 1))
    throw std::invalid_argument(
        fmt::format("{}: the {} is {}, but must be between 0 and 1", operation, what, share));
}

}  // namespace tare
