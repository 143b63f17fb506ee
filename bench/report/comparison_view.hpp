// What a table of a comparison shows, before anybody decides how it looks: rows in the order slower, faster,
// undecided, same, the worst first in each; cautions that belong to the whole; warnings as numbered notes.
// The text and the Markdown report draw it. Metrics besides time are rows only when something is to be told
// of them: a change, or for phases always.
#pragma once

#include <string>
#include <vector>

#include "bench/model/comparison.hpp"
#include "bench/report/notes.hpp"
#include "bench/report/style.hpp"

namespace tare {

struct ComparisonRow {
  std::string name;   ///< the benchmark's, or the metric's
  std::string owner;  ///< of a metric's row: the benchmark; empty on the benchmark's own row
  Ink ink = Ink::plain;
  bool changed =
      false;  ///< better, worse, failed or incomparable; on a benchmark's row also one of its metrics
  std::string sentence;    ///< instead of values: "failed: …", "incomparable: …"
  std::string change;      ///< "1.80× faster", "same within 1 %"
  std::string interval;    ///< "95 % CI [1.62, 2.01]"; for exact metrics "3 → 4"
  std::string p;           ///< "p 0.0004"
  std::string times;       ///< "812 µs → 451 µs"
  std::string between;     ///< share of the variance that lies between processes
  std::string measured;    ///< "(8 processes × 24 rounds, 6.1 s)"
  std::string effort;      ///< the same, short: "8×24, 6.1 s"
  std::string remark;      ///< what it would take to decide; may be empty
  std::string normalised;  ///< "speed-up 1.80 [1.62, 2.01] · compression 4.00": when there is more than one
  bool stamped = false;    ///< compared although something differs
  std::vector<std::size_t> notes;
};

struct ComparisonView {
  std::vector<ComparisonRow> rows;
  std::vector<std::string> sides;     ///< "before: old/bench · run 7"
  std::vector<std::string> cautions;  ///< stored runs, identical binaries, what was allowed to differ
  std::vector<std::string> unmatched;
  std::vector<ViewNote> notes;
  std::string counts;          ///< "5 benchmarks: 1 slower, 4 same."
  std::string geometric_mean;  ///< empty when there is none
  std::string method;          ///< correction and margin
};

ComparisonView view_of(const Comparison& comparison);

/// "1.80× faster  95 % CI [1.62, 2.01]" as two texts; the sides of a ratio below 1 are swapped.
struct Factor {
  std::string point;
  std::string interval;  ///< empty when there is none
};
Factor factor_of(const Estimate& ratio);
/// "p 0.0004", "p < 0.0001".
std::string p_text(double p);

}  // namespace tare
