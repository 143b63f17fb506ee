#include "bench/report/table.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <stdexcept>

#include "bench/report/layout.hpp"
#include "bench/support/text.hpp"

namespace tare {
namespace {

constexpr std::size_t gap = 2;
constexpr std::size_t narrowest = 8;        // of a flexible column
constexpr std::size_t sentence_least = 34;  // columns a sentence should get before the name is left whole
constexpr std::size_t sentence_lines = 4;

struct Decimal {
  std::string_view whole, fraction, unit;
};

bool is_number(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  return !text.empty() && text.front() >= '0' && text.front() <= '9';
}

Decimal decimal_of(std::string_view text) {
  const auto space = std::min(text.find(' '), text.size());
  const auto number = text.substr(0, space);
  const auto point = std::min(number.find('.'), number.size());
  return {number.substr(0, point), number.substr(point), text.substr(space)};
}

/// The painted line, cut at the width, without spaces at its end.
std::string painted(std::vector<Cell> segments, std::size_t width, const Style& style) {
  while (!segments.empty()) {
    auto& last = segments.back().text;
    last.erase(last.find_last_not_of(' ') + 1);
    if (!last.empty()) break;
    segments.pop_back();
  }
  std::size_t total = 0;
  for (const auto& segment : segments) total += display_width(segment.text);
  std::string line;
  std::size_t room = width;
  for (const auto& segment : segments) {
    const auto length = display_width(segment.text);
    const bool cut = total > width && length >= room;
    // When the cut falls exactly between two segments, the mark must still be seen.
    const auto text = !cut             ? segment.text
                      : length == room ? shorten_end(segment.text + " ", room)
                                       : shorten_end(segment.text, room);
    line += style.paint(segment.ink, text);
    if (cut) break;
    room -= length;
  }
  return line + "\n";
}

}  // namespace

Table::Table(std::vector<Column> columns) : columns_(std::move(columns)) {
  if (columns_.empty()) throw std::invalid_argument("Table: at least one column is needed");
}

void Table::row(std::vector<Cell> cells) {
  if (cells.size() != columns_.size()) {
    throw std::invalid_argument(
        fmt::format("Table::row: {} cells for {} columns", cells.size(), columns_.size()));
  }
  for (auto& cell : cells) cell.text = printable(cell.text);
  lines_.push_back({Kind::row, std::move(cells)});
}

void Table::sentence(Cell first, Cell text) {
  first.text = printable(first.text);
  text.text = printable(text.text);
  lines_.push_back({Kind::sentence, {std::move(first), std::move(text)}});
}

void Table::heading(const std::string& text) {
  lines_.push_back({Kind::heading, {{printable(text), Ink::strong}}});
}

Table::Parts Table::parts_of(std::size_t column) const {
  Parts parts;
  if (columns_[column].align != Align::decimal) return parts;
  std::optional<std::string_view> unit;
  for (const auto& line : lines_) {
    if (line.kind != Kind::row || !is_number(line.cells[column].text)) continue;
    const auto decimal = decimal_of(line.cells[column].text);
    // 12.3 µs above 4.57 ms: their points have nothing to do with each other.
    parts.one_unit = parts.one_unit && (!unit || decimal.unit == *unit);
    unit = decimal.unit;
    parts.number = std::max(parts.number, display_width(decimal.whole) + display_width(decimal.fraction));
    parts.whole = std::max(parts.whole, display_width(decimal.whole));
    parts.fraction = std::max(parts.fraction, display_width(decimal.fraction));
    parts.unit = std::max(parts.unit, display_width(decimal.unit));
  }
  return parts;
}

std::size_t Table::column_width(std::size_t column) const {
  const auto parts = parts_of(column);
  auto width = std::max(display_width(columns_[column].header), parts.width());
  for (const auto& line : lines_) {
    if (line.kind == Kind::row || (line.kind == Kind::sentence && column == 0)) {
      width = std::max(width, display_width(line.cells[column].text));
    }
  }
  return width;
}

std::vector<std::size_t> Table::fit(std::size_t width) const {
  std::vector<std::size_t> widths;
  std::size_t others = 0;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    widths.push_back(column_width(i));
    if (i > 0) others += gap + widths[i];
  }
  // A sentence may be longer than the other columns together and then needs the room instead.
  for (const auto& line : lines_) {
    if (line.kind != Kind::sentence) continue;
    others = std::max(others, gap + std::min(display_width(line.cells[1].text), sentence_least));
  }
  auto total = widths[0] + others;
  while (total > width) {
    std::size_t widest = columns_.size();
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (!columns_[i].flexible || widths[i] <= narrowest) continue;
      if (widest == columns_.size() || widths[i] > widths[widest]) widest = i;
    }
    if (widest == columns_.size()) break;
    --widths[widest];
    --total;
  }
  return widths;
}

std::string Table::str(std::size_t width, const Style& style) const {
  const auto widths = fit(width);
  std::vector<Parts> parts;
  std::size_t table_width = 0;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    parts.push_back(parts_of(i));
    table_width += widths[i] + (i > 0 ? gap : 0);
  }

  const auto put = [&](std::vector<Cell>& segments, std::size_t i, const Cell& cell, bool header) {
    auto text = shorten_middle(cell.text, widths[i]);
    if (columns_[i].align == Align::decimal && !header && is_number(text)) {
      const auto decimal = decimal_of(text);
      auto aligned =
          parts[i].one_unit
              ? pad_left(decimal.whole, parts[i].whole) + pad_right(decimal.fraction, parts[i].fraction)
              : pad_left(fmt::format("{}{}", decimal.whole, decimal.fraction), parts[i].number);
      aligned += pad_right(decimal.unit, parts[i].unit);
      text = std::move(aligned);
    }
    const auto room = widths[i] - std::min(widths[i], display_width(text));
    const bool left = columns_[i].align == Align::left;
    if (i > 0) segments.push_back({std::string(gap, ' '), Ink::plain});
    if (!left) segments.push_back({std::string(room, ' '), Ink::plain});
    segments.push_back({std::move(text), cell.ink});
    if (left) segments.push_back({std::string(room, ' '), Ink::plain});
  };

  std::string all;
  std::vector<Cell> header;
  for (std::size_t i = 0; i < columns_.size(); ++i) put(header, i, {columns_[i].header, Ink::strong}, true);
  all += painted(std::move(header), width, style);
  all += style.paint(Ink::faint, repeat("─", std::min(table_width, width))) + "\n";

  for (const auto& line : lines_) {
    std::vector<Cell> segments;
    if (line.kind == Kind::heading) {
      all += painted({{shorten_middle(line.cells[0].text, width), line.cells[0].ink}}, width, style);
      continue;
    }
    if (line.kind == Kind::row) {
      for (std::size_t i = 0; i < columns_.size(); ++i) put(segments, i, line.cells[i], false);
      all += painted(std::move(segments), width, style);
      continue;
    }
    const auto indent = widths[0] + gap;
    auto texts = wrap(line.cells[1].text, width > indent ? width - indent : 1);
    if (texts.size() > sentence_lines) {
      texts.resize(sentence_lines);
      texts.back() += " …";
    }
    for (std::size_t k = 0; k < texts.size(); ++k) {
      segments.clear();
      if (k == 0) {
        put(segments, 0, line.cells[0], false);
        segments.push_back({std::string(gap, ' '), Ink::plain});
      } else {
        segments.push_back({std::string(indent, ' '), Ink::plain});
      }
      segments.push_back({texts[k], line.cells[1].ink});
      all += painted(std::move(segments), width, style);
    }
  }
  return all;
}

}  // namespace tare
