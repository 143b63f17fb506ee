// Draws given bins as a small column chart with Unicode eighth blocks or plain ASCII. It does not bin: that
// is the analysis's part. A bin with one value is always visible, however tall its neighbours are; bins are
// widened or added together by whole factors to suit the width.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "bench/model/histogram.hpp"
#include "bench/model/summary.hpp"
#include "bench/report/style.hpp"

namespace tare {

struct HistogramOptions {
  std::size_t width = 72;
  std::size_t height = 6;
  bool ascii = false;
  Style style;
};

/// Several lines, each ending with a newline: the chart, an axis on which the mark's interval and point
/// stand, and the numbers at both ends. Empty when there is nothing to draw.
std::string draw_histogram(const Histogram& histogram, std::string_view unit,
                           const std::optional<Estimate>& mark, const HistogramOptions& options = {});

}  // namespace tare
