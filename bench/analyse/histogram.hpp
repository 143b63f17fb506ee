// The histogram of a sample, with bins after Freedman and Diaconis (1981): 2 · IQR / ∛n wide. Values beyond
// Tukey's severe fences (3 interquartile ranges from the quartiles) are counted apart, so that one spike does
// not squeeze everything else into the first bin.
#pragma once

#include "bench/analyse/estimators.hpp"
#include "bench/model/histogram.hpp"

namespace tare {

/// At least one bin and at most `most_bins`; empty counts for an empty sample. most_bins = 0 throws
/// std::invalid_argument.
Histogram histogram(Values values, std::size_t most_bins = 40);

}  // namespace tare
