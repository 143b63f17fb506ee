// Warnings as numbered footnotes: gathered by doubt and text, so that what holds of many benchmarks is said
// once.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "bench/model/warning.hpp"
#include "bench/report/style.hpp"

namespace tare {

/// One kind of doubt; each different text once, with the benchmarks it is about.
struct ViewNote {
  struct Text {
    std::string text;
    std::vector<std::string> names;
  };
  std::size_t number = 0;  ///< 0: about all benchmarks, so no row is marked
  Doubt doubt{};
  std::vector<Text> texts;
};

class Footnotes {
 public:
  /// The row is what the note marks; a phase is named as "phase of benchmark".
  void add(std::size_t row, const std::string& benchmark, const std::vector<Warning>& warnings,
           const std::string& phase = "");
  /// Numbers what is not about every one of the measured benchmarks, and calls mark(row, number) for its
  /// rows.
  std::vector<ViewNote> number(std::size_t measured,
                               const std::function<void(std::size_t, std::size_t)>& mark);

 private:
  std::vector<ViewNote> notes_;
  std::set<std::pair<std::size_t, Doubt>> marks_;
};

/// "sort, parse and 3 more": printable, long names shortened.
std::string some_of(const std::vector<std::string>& names, std::size_t longest_name = 40);
/// The same, or "all benchmarks" for a note without a number.
std::string names_of(const ViewNote& note, const ViewNote::Text& text, std::size_t longest_name = 40);
/// "[1] sort: …", a hanging paragraph for each.
std::string notes_text(const std::vector<ViewNote>& notes, std::size_t width, const Style& style);

}  // namespace tare
