// Fitting text into columns: shortening, padding, wrapping. Widths are display_width()'s; text is expected to
// be printable() already, which keeps every cut between characters.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/model/summary.hpp"

namespace tare {

/// No report is made narrower, whatever the terminal says.
constexpr std::size_t least_width = 40;

/// The text, or its beginning and end around "…" when it is wider.
std::string shorten_middle(std::string_view text, std::size_t width);
/// The text, or its beginning and "…".
std::string shorten_end(std::string_view text, std::size_t width);
std::string pad_left(std::string_view text, std::size_t width);
std::string pad_right(std::string_view text, std::size_t width);
std::string repeat(std::string_view text, std::size_t times);
/// Lines no wider than width, broken at spaces, inside a word only when it alone is too wide. At least one
/// line.
std::vector<std::string> wrap(std::string_view text, std::size_t width);
/// "a · b · c" that wrap() breaks between the parts and, unless they are long, not inside them.
std::string dotted(const std::vector<std::string>& parts);
/// "first" on the first line, every line after it indented by its width; ends with a newline.
std::string hanging(std::string_view first, std::string_view text, std::size_t width);

/// "12 benchmarks", "1 benchmark".
std::string plural(std::size_t count, std::string_view noun);
/// "0.43 %", or "–" when there is no value.
std::string percent_or_dash(const std::optional<double>& fraction);
/// "95 %", "99.9 %".
std::string confidence_text(double confidence);
/// A metric's value; energy with an SI prefix ("1.23 mJ"), everything else as format_value() writes it.
std::string metric_value(double value, std::string_view unit, int digits = 3);
/// Digits that let an interval of this relative half width be told from its middle: 3 … 8.
int digits_for(const std::optional<double>& relative_half_width);
/// The number to show for a metric: the headline, or else the median, or else the mean.
const Estimate* headline(const Summary& summary);

}  // namespace tare
