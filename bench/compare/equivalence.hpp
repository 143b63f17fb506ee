// Whether a difference is too small to matter: what stands behind the word "same".
//
// Two one-sided t tests (Schuirmann 1987): that the centre lies at or below −margin, and that it lies at or
// above margin. Only when both are rejected are the sides equivalent; the p is the larger of the two. At a
// true difference of exactly the margin 5 % are called equivalent (by simulation of 10 normal values: 5.0 %),
// and ever fewer when the measurement is too coarse for the margin.
#pragma once

#include "bench/compare/location.hpp"

namespace tare {

/// `margin` is above 0 and on the scale of the location: for log-ratios std::log1p(0.01) stands for 1 %.
double equivalence_p(const Location& location, double margin);

}  // namespace tare
