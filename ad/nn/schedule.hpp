// Learning rates over time, as plain functions of the step number from 0 on:
//   optimiser.set_rate(0.1 * warm_up(step, 100) * cosine(step, 1000));
#pragma once

#include <cstdint>

namespace tare::ad::nn {

/// `factor` to the power of how often `every` steps have passed.
double step_decay(std::int64_t step, std::int64_t every, double factor = 0.1);
/// From 1 at step 0 to `last` at `total` and after, along half a cosine.
double cosine(std::int64_t step, std::int64_t total, double last = 0);
/// Grows evenly to 1 over the first `length` steps: 1/length at step 0.
double warm_up(std::int64_t step, std::int64_t length);

}  // namespace tare::ad::nn
