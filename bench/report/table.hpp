// A text table: aligned columns, a rule under the header, group headings, and rows whose rest is one wrapped
// sentence. No line is wider than asked: flexible columns are shortened in the middle, and a line that is
// still too long is cut. Every text passes printable(), so no cell can move the cursor or break a line.
#pragma once

#include <string>
#include <vector>

#include "bench/report/style.hpp"

namespace tare {

enum class Align {
  left,
  right,
  decimal,  ///< numbers with units beneath each other; at the decimal point where all have the same unit
};

struct Column {
  std::string header;
  Align align = Align::left;
  bool flexible = false;
};

struct Cell {
  std::string text;
  Ink ink = Ink::plain;
};

class Table {
 public:
  explicit Table(std::vector<Column> columns);

  /// Throws std::invalid_argument unless there is one cell per column.
  void row(std::vector<Cell> cells);
  /// A first cell, and one text across all other columns, wrapped to a few lines.
  void sentence(Cell first, Cell text);
  void heading(const std::string& text);

  [[nodiscard]] std::string str(std::size_t width, const Style& style = {}) const;
  /// Of one column at its full length, without the gap to the next.
  [[nodiscard]] std::size_t column_width(std::size_t column) const;

 private:
  enum class Kind { row, sentence, heading };
  struct Line {
    Kind kind;
    std::vector<Cell> cells;
  };
  /// Widths in a decimal column: before the point, from the point on, unit with its space.
  struct Parts {
    std::size_t whole = 0;
    std::size_t fraction = 0;
    std::size_t number = 0;  ///< without alignment at the point
    std::size_t unit = 0;
    bool one_unit = true;

    [[nodiscard]] std::size_t width() const { return (one_unit ? whole + fraction : number) + unit; }
  };
  [[nodiscard]] Parts parts_of(std::size_t column) const;
  [[nodiscard]] std::vector<std::size_t> fit(std::size_t width) const;

  std::vector<Column> columns_;
  std::vector<Line> lines_;
};

}  // namespace tare
