#include "ad/nn/schedule.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numbers>

#include "ad/support/error.hpp"

namespace tare::ad::nn {
namespace {

void require(const char* what, std::int64_t step, std::int64_t length) {
  if (step < 0 || length < 1)
    throw AdError(fmt::format("{}: step {} of {}: steps are counted from 0, and there is at least one", what,
                              step, length));
}

}  // namespace

double step_decay(std::int64_t step, std::int64_t every, double factor) {
  require("step_decay", step, every);
  const std::int64_t passed = step / every;
  return std::pow(factor, static_cast<double>(passed));
}

double cosine(std::int64_t step, std::int64_t total, double last) {
  require("cosine", step, total);
  const double share = std::min(1.0, static_cast<double>(step) / static_cast<double>(total));
  return last + (1 - last) * (1 + std::cos(std::numbers::pi * share)) / 2;
}

double warm_up(std::int64_t step, std::int64_t length) {
  require("warm_up", step, length);
  return std::min(1.0, static_cast<double>(step + 1) / static_cast<double>(length));
}

}  // namespace tare::ad::nn
