#include "bench/support/text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <fmt/format.h>

namespace tare {
namespace {

std::string significant(double value, int digits) {
  if (value == 0) return "0";
  const int magnitude = static_cast<int>(std::floor(std::log10(std::fabs(value))));
  const int decimals = digits - 1 - magnitude;
  auto text = fmt::format("{:.{}f}", value, decimals > 0 ? decimals : 0);
  // Rounding may carry into one more digit: 9.996 with three digits is 10.0.
  if (decimals > 0 && std::fabs(std::strtod(text.c_str(), nullptr)) >= std::pow(10.0, magnitude + 1)) {
    text = fmt::format("{:.{}f}", value, decimals - 1);
  }
  return text;
}

struct Scale {
  double factor;
  const char* suffix;
};

template <std::size_t N>
std::string scaled(double value, const std::array<Scale, N>& scales, int digits) {
  if (!std::isfinite(value)) return fmt::format("{}", value);
  const Scale* chosen = &scales.front();
  for (const auto& scale : scales) {
    if (std::fabs(value) >= scale.factor * 0.9995) chosen = &scale;
  }
  return significant(value / chosen->factor, digits) + chosen->suffix;
}

struct Quantity {
  double number;
  std::string_view unit;
};

Result<Quantity> parse_quantity(std::string_view text) {
  text = trim(text);
  double number = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (code != std::errc{} || !std::isfinite(number)) {
    return fail(fmt::format("'{}' does not start with a number", printable(text)));
  }
  return Quantity{number, trim(text.substr(static_cast<std::size_t>(end - text.data())))};
}

}  // namespace

std::string format_duration(double ns, int digits) {
  if (std::fabs(ns) >= 119.5e9) {
    const auto seconds = std::llround(ns / 1e9);
    return fmt::format("{} min {} s", seconds / 60, seconds % 60);
  }
  static constexpr std::array<Scale, 4> scales{{{1, " ns"}, {1e3, " µs"}, {1e6, " ms"}, {1e9, " s"}}};
  return scaled(ns, scales, digits);
}

std::string format_bytes(double bytes, int digits) {
  if (std::fabs(bytes) < 1023.5 && bytes == std::round(bytes)) return fmt::format("{:.0f} B", bytes);
  static constexpr std::array<Scale, 5> scales{{{1, " B"},
                                                {1024.0, " KiB"},
                                                {1024.0 * 1024, " MiB"},
                                                {1024.0 * 1024 * 1024, " GiB"},
                                                {1024.0 * 1024 * 1024 * 1024, " TiB"}}};
  return scaled(bytes, scales, digits);
}

std::string format_si(double value, int digits) {
  if (value == std::round(value) && std::fabs(value) < 999.5) return fmt::format("{:.0f}", value);
  static constexpr std::array<Scale, 8> scales{{{1e-9, " n"},
                                                {1e-6, " µ"},
                                                {1e-3, " m"},
                                                {1, ""},
                                                {1e3, " k"},
                                                {1e6, " M"},
                                                {1e9, " G"},
                                                {1e12, " T"}}};
  if (value != 0 && std::fabs(value) < 1e-9) return fmt::format("{:.{}g}", value, digits);
  return scaled(value, scales, digits);
}

std::string format_percent(double fraction, int digits) {
  return significant(100 * fraction, digits) + " %";
}

std::string format_change(double fraction, int decimals) {
  return fmt::format("{:+.{}f} %", 100 * fraction, decimals);
}

int change_decimals(double half_width) {
  if (!(half_width > 0)) return 1;
  return std::clamp(1 - static_cast<int>(std::floor(std::log10(100 * half_width))), 0, 4);
}

std::string format_number(double value, int digits) {
  if (!std::isfinite(value)) return fmt::format("{}", value);
  const double size = std::fabs(value);
  if (value == 0 || (size >= 1e-4 && size < 1e7)) {
    return value == std::round(value) ? fmt::format("{:.0f}", value) : significant(value, digits);
  }
  return fmt::format("{:.{}e}", value, digits - 1);
}

std::string format_value(double value, std::string_view unit, int digits) {
  if (unit == "ns") return format_duration(value, digits);
  if (unit == "B") return format_bytes(value, digits);
  if (unit.empty() || unit == "1") return format_number(value, digits);
  if (unit.ends_with("/s"))
    return fmt::format("{}{}{}", format_si(value, digits),
                       format_si(value, digits).find(' ') == std::string::npos ? " " : "", unit);
  return fmt::format("{} {}", format_number(value, digits), unit);
}

std::string format_step(double before, double after, std::string_view unit) {
  constexpr int most_digits = 15;
  for (int digits = 3;; ++digits) {
    auto first = format_value(before, unit, digits);
    auto second = format_value(after, unit, digits);
    if (before == after || first != second || digits == most_digits) {
      return fmt::format("{} → {}", first, second);
    }
  }
}

Result<std::chrono::nanoseconds> parse_duration(std::string_view text) {
  const auto bad = [&] {
    return fail(fmt::format("'{}' is not a duration; write it like 10s, 500ms or 2min", printable(text)));
  };
  auto quantity = parse_quantity(text);
  if (!quantity) return bad();
  static constexpr std::array<std::pair<std::string_view, double>, 8> units{{{"ns", 1},
                                                                             {"us", 1e3},
                                                                             {"µs", 1e3},
                                                                             {"ms", 1e6},
                                                                             {"s", 1e9},
                                                                             {"min", 60e9},
                                                                             {"m", 60e9},
                                                                             {"h", 3600e9}}};
  for (const auto& [name, factor] : units) {
    if (quantity->unit != name) continue;
    const double ns = quantity->number * factor;
    if (!(ns > 0)) return fail(fmt::format("'{}' must be more than zero", printable(text)));
    if (ns > 9e18) return fail(fmt::format("'{}' is longer than 292 years", printable(text)));
    return std::chrono::nanoseconds(std::llround(ns));
  }
  return bad();
}

Result<double> parse_fraction(std::string_view text) {
  auto quantity = parse_quantity(text);
  const bool percent = quantity && quantity->unit == "%";
  if (!quantity || (!percent && !quantity->unit.empty())) {
    return fail(fmt::format("'{}' is not a fraction; write it like 1% or 0.01", printable(text)));
  }
  const double value = percent ? quantity->number / 100 : quantity->number;
  if (!(value > 0 && value <= 1)) {
    return fail(fmt::format("'{}' must be more than 0 and at most 100 %", printable(text)));
  }
  return value;
}

Result<std::int64_t> parse_bytes(std::string_view text) {
  const auto bad = [&] {
    return fail(fmt::format("'{}' is not a size; write it like 64MiB, 4k or 1024", printable(text)));
  };
  auto quantity = parse_quantity(text);
  if (!quantity) return bad();
  auto unit = quantity->unit;
  if (unit.ends_with('B')) unit.remove_suffix(1);
  static constexpr std::array<std::pair<std::string_view, double>, 9> units{{{"", 1},
                                                                             {"k", 1e3},
                                                                             {"K", 1e3},
                                                                             {"M", 1e6},
                                                                             {"G", 1e9},
                                                                             {"Ki", 1024.0},
                                                                             {"Mi", 1048576.0},
                                                                             {"Gi", 1073741824.0},
                                                                             {"ki", 1024.0}}};
  for (const auto& [name, factor] : units) {
    if (unit != name) continue;
    const double bytes = quantity->number * factor;
    if (!(bytes >= 0) || bytes > 9e18) return bad();
    return static_cast<std::int64_t>(std::llround(bytes));
  }
  return bad();
}

Result<std::pair<std::string, std::string>> parse_assignment(std::string_view text) {
  const auto equals = text.find('=');
  if (equals == std::string_view::npos || equals == 0) {
    return fail(fmt::format("'{}' is not an assignment; write it like key=value", printable(text)));
  }
  return std::pair{std::string(text.substr(0, equals)), std::string(text.substr(equals + 1))};
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  std::size_t start = 0;
  for (;;) {
    const auto end = text.find(separator, start);
    parts.emplace_back(text.substr(start, end == std::string_view::npos ? end : end - start));
    if (end == std::string_view::npos) return parts;
    start = end + 1;
  }
}

std::string_view trim(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

std::string join(const std::vector<std::string>& parts, std::string_view separator) {
  return fmt::format("{}", fmt::join(parts, separator));
}

std::size_t display_width(std::string_view text) {
  std::size_t columns = 0;
  for (const char c : text) columns += (static_cast<unsigned char>(c) & 0xC0u) != 0x80u;
  return columns;
}

std::string shell_quote(std::string_view word) {
  static constexpr std::string_view safe =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=:,+@%";
  if (!word.empty() && word.find_first_not_of(safe) == std::string_view::npos) return std::string(word);
  std::string quoted = "'";
  for (const char c : word) {
    if (c == '\'') {
      quoted += "'\\''";
    } else {
      quoted += c;
    }
  }
  return quoted + "'";
}

std::string printable(std::string_view bytes) {
  // C1 controls, line separators, and the marks that change the direction of the text after them.
  const auto hidden_control = [](std::string_view character) {
    if (character.size() == 2) return character >= "\u0080" && character <= "\u009f";
    return (character >= "\u2028" && character <= "\u202e") ||
           (character >= "\u2066" && character <= "\u2069");
  };
  std::string text;
  for (std::size_t i = 0; i < bytes.size();) {
    const auto lead = static_cast<unsigned char>(bytes[i]);
    const std::size_t length = lead < 0x80         ? 1
                               : (lead >> 5) == 6  ? 2
                               : (lead >> 4) == 14 ? 3
                               : (lead >> 3) == 30 ? 4
                                                   : 0;
    bool whole = length > 0 && i + length <= bytes.size() && !(length == 2 && lead < 0xC2) && lead < 0xF5;
    for (std::size_t k = 1; whole && k < length; ++k) {
      const auto next = static_cast<unsigned char>(bytes[i + k]);
      whole = (next & 0xC0u) == 0x80u;
      if (k == 1 && ((lead == 0xE0 && next < 0xA0) || (lead == 0xED && next > 0x9F) ||
                     (lead == 0xF0 && next < 0x90) || (lead == 0xF4 && next > 0x8F))) {
        whole = false;
      }
    }
    if (whole && (length > 1 ? !hidden_control(bytes.substr(i, length)) : lead >= 0x20 && lead != 0x7F)) {
      text.append(bytes.substr(i, length));
      i += length;
    } else {
      text += fmt::format("\\x{:02x}", lead);
      ++i;
    }
  }
  return text;
}

}  // namespace tare
