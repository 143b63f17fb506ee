// What a table of a run shows, before anybody decides how it looks: the columns that have something to say, a
// row per benchmark and phase, and the warnings as numbered notes. The text and the Markdown report draw it.
// A benchmark whose outcome is not ok has no values here, whatever was measured of it.
#pragma once

#include <string>
#include <vector>

#include "bench/model/run.hpp"
#include "bench/report/notes.hpp"

namespace tare {

/// In the order in which columns are given up when the width does not suffice; the last are always shown.
enum class Weight { detail, quantile, samples, counter, memory, rate, always };

struct ViewColumn {
  std::string header;
  Weight weight = Weight::always;
};

struct ViewRow {
  std::string name;  ///< the benchmark's full name, or the phase's
  bool phase = false;
  std::string binary;
  Outcome outcome = Outcome::ok;
  std::string sentence;            ///< instead of values: "crashed: signal 11"
  std::vector<std::string> cells;  ///< one per column; empty where it does not apply
  bool checked = false;
  std::vector<std::size_t> notes;
};

struct RunView {
  std::vector<ViewColumn> columns;
  std::vector<ViewRow> rows;
  std::vector<ViewNote> notes;
  std::vector<std::string> legend;   ///< how to read the columns and marks that are there
  std::vector<std::string> origins;  ///< meters that could not be read, and where energy comes from
};

RunView view_of(const Run& run);

/// "check failed" for Outcome::check_failed.
std::string words_of(Outcome outcome);
/// "12 benchmarks: 10 measured, 1 skipped, 1 crashed."
std::string count_sentence(const Run& run);
/// "12.3 µs", "below resolution" or "undefined".
std::string time_text(const Metric& metric);
bool is_energy(const Metric& metric);

}  // namespace tare
