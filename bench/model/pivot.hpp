// Results laid out against one parameter: rows are what stays the same, columns the parameter's values. And
// claims about such ratios with what was measured of them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/model/metric.hpp"
#include "bench/model/summary.hpp"

namespace tare {

struct PivotCell {
  std::optional<Estimate> value;  ///< empty: not measured, and `why` may say why
  std::optional<Estimate> ratio;  ///< to the row's base; empty when either is missing or the base is 0
  bool best = false;
  std::string why;

  bool operator==(const PivotCell&) const = default;
};

struct PivotRow {
  std::string name;  ///< "gmm/n=1000"
  std::vector<PivotCell> cells;

  bool operator==(const PivotRow&) const = default;
};

struct PivotTable {
  std::string parameter;
  std::string metric;
  std::string per;   ///< the metric it was divided by; empty for none
  std::string base;  ///< a column, or "best": the best of each row
  std::string unit;
  std::vector<std::string> columns;
  std::vector<PivotRow> rows;
  std::vector<std::optional<double>> means;  ///< geometric, of each column's ratios

  bool operator==(const PivotTable&) const = default;
};

/// "Of `of` and `to`, which stand for each other in the benchmarks' names, the first is at most …". Of
/// several on a side the best counts.
struct Hypothesis {
  std::string claim;
  std::string metric = "time";
  std::string per;              ///< the metric it is divided by; empty for none
  std::string filter;           ///< regular expression over full names; empty: all
  std::vector<std::string> of;  ///< text in the name: "engine=real"
  std::vector<std::string>
      to;            ///< what replaces it: "engine=hand"; empty: the figure of `of` itself is bounded
  bool each = true;  ///< every pair must hold; otherwise their geometric mean
  double at_most = 1;

  bool operator==(const Hypothesis&) const = default;
};

enum class Standing { holds, fails, undecided, no_data };
const char* name_of(Standing standing);

struct HypothesisFinding {
  Hypothesis hypothesis;
  Standing standing = Standing::no_data;
  std::size_t pairs = 0;
  std::size_t within = 0;            ///< pairs at most the bound
  std::optional<Estimate> observed;  ///< the geometric mean, or the worst pair
  std::string worst;                 ///< the pair furthest on the wrong side

  bool operator==(const HypothesisFinding&) const = default;
};

}  // namespace tare
