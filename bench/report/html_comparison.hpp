// What the overview and the comparison page share.
#pragma once

#include <cstddef>
#include <string>

#include "bench/report/comparison_view.hpp"
#include "bench/report/content.hpp"

namespace tare {

/// Of benchmarks, by their time or else their first metric.
struct VerdictCounts {
  std::size_t worse = 0, better = 0, same = 0, undecided = 0, incomparable = 0, failed = 0;

  bool operator==(const VerdictCounts&) const = default;
};
VerdictCounts count_verdicts(const Comparison& comparison);

std::string cautions_html(const ComparisonView& view);
/// All rows, or only those that changed; empty when there are none.
std::string comparison_table(const ReportContent& content, const ComparisonView& view, bool only_changed);

}  // namespace tare
