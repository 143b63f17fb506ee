#include "bench/compare/equivalence.hpp"

#include <cmath>
#include <fmt/format.h>
#include <stdexcept>

#include "bench/analyse/distributions.hpp"

namespace tare {

double equivalence_p(const Location& location, double margin) {
  if (!(margin > 0)) throw std::invalid_argument(fmt::format("equivalence_p: the margin is {}", margin));
  // The test against the nearer margin is always the one with the larger p.
  return student_cdf((std::abs(location.centre) - margin) / location.standard_error, location.degrees);
}

}  // namespace tare
