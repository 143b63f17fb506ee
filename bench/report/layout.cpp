#include "bench/report/layout.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "bench/support/text.hpp"

namespace tare {
namespace {

/// Byte position after the given number of characters.
std::size_t position_of(std::string_view text, std::size_t characters) {
  std::size_t position = 0;
  for (; position < text.size(); ++position) {
    const bool starts = (static_cast<unsigned char>(text[position]) & 0xC0u) != 0x80u;
    if (starts && characters-- == 0) break;
  }
  return position;
}

constexpr std::string_view no_break = "\u00A0";

std::string replaced(std::string_view text, std::string_view from, std::string_view to) {
  std::string result;
  for (;;) {
    const auto found = text.find(from);
    result += text.substr(0, found);
    if (found == std::string_view::npos) return result;
    result += to;
    text.remove_prefix(found + from.size());
  }
}

}  // namespace

std::string shorten_middle(std::string_view text, std::size_t width) {
  const auto length = display_width(text);
  if (length <= width) return std::string(text);
  if (width == 0) return "";
  const auto head = (width - 1) / 2;
  const auto tail = width - 1 - head;
  return fmt::format("{}…{}", text.substr(0, position_of(text, head)),
                     text.substr(position_of(text, length - tail)));
}

std::string shorten_end(std::string_view text, std::size_t width) {
  if (display_width(text) <= width) return std::string(text);
  if (width == 0) return "";
  return fmt::format("{}…", text.substr(0, position_of(text, width - 1)));
}

std::string pad_left(std::string_view text, std::size_t width) {
  const auto length = display_width(text);
  return std::string(width > length ? width - length : 0, ' ') + std::string(text);
}

std::string pad_right(std::string_view text, std::size_t width) {
  const auto length = display_width(text);
  return std::string(text) + std::string(width > length ? width - length : 0, ' ');
}

std::string repeat(std::string_view text, std::size_t times) {
  std::string repeated;
  for (std::size_t i = 0; i < times; ++i) repeated += text;
  return repeated;
}

std::vector<std::string> wrap(std::string_view text, std::size_t width) {
  width = std::max<std::size_t>(width, 1);
  std::vector<std::string> lines(1);
  for (const auto& whole : split(text, ' ')) {
    std::string_view word = whole;
    if (word.empty()) continue;
    if (!lines.back().empty()) {
      if (display_width(lines.back()) + 1 + display_width(word) <= width) {
        lines.back() += ' ';
      } else {
        lines.emplace_back();
      }
    }
    while (display_width(word) > width) {
      const auto cut = position_of(word, width);
      lines.back() = word.substr(0, cut);
      lines.emplace_back();
      word.remove_prefix(cut);
    }
    lines.back() += word;
  }
  for (auto& line : lines) line = replaced(line, no_break, " ");
  return lines;
}

std::string dotted(const std::vector<std::string>& parts) {
  constexpr std::size_t long_part = 36;
  std::string all;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    auto part = i + 1 < parts.size() ? fmt::format("{} ·", parts[i]) : parts[i];
    if (display_width(part) <= long_part) part = replaced(part, " ", no_break);
    all += fmt::format("{}{}", i > 0 ? " " : "", part);
  }
  return all;
}

std::string hanging(std::string_view first, std::string_view text, std::size_t width) {
  const auto indent = display_width(first);
  const auto lines = wrap(text, width > indent + 8 ? width - indent : 8);
  std::string all;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    all += i == 0 ? std::string(first) : std::string(indent, ' ');
    all += lines[i] + "\n";
  }
  return all;
}

std::string plural(std::size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string percent_or_dash(const std::optional<double>& fraction) {
  return fraction && std::isfinite(*fraction) ? format_percent(*fraction) : "–";
}

std::string confidence_text(double confidence) {
  // Rounded first: 100 × 0.999 must not become 99.90000000000001.
  return fmt::format("{} %", std::round(confidence * 1e6) / 1e4);
}

int digits_for(const std::optional<double>& relative_half_width) {
  if (!relative_half_width || !(*relative_half_width > 0)) return 3;
  return std::clamp(static_cast<int>(std::ceil(-std::log10(*relative_half_width))) + 1, 3, 8);
}

std::string metric_value(double value, std::string_view unit, int digits) {
  if (!std::isfinite(value)) return "undefined";
  if (unit != "J") return format_value(value, printable(unit), digits);
  const auto text = format_si(value, digits);
  return text + (text.find(' ') == std::string::npos ? " J" : "J");
}

const Estimate* headline(const Summary& summary) {
  for (const auto* estimate : {&summary.time, &summary.median, &summary.mean}) {
    if (*estimate && std::isfinite((*estimate)->point)) return &**estimate;
  }
  return nullptr;
}

}  // namespace tare
