// Numbers, durations and sizes as people read and write them.
// Formatting never loses a decimal that matters (three significant digits by default); parsing accepts what
// formatting writes and answers bad text with an Error that shows a good example.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/support/result.hpp"

namespace tare {

/// "12.3 ns", "4.56 µs", "7.89 ms", "1.23 s", "2 min 5 s".
std::string format_duration(double ns, int digits = 3);
/// "1.50 KiB"; below 1 KiB a whole number of bytes, or up to three digits for a mean.
std::string format_bytes(double bytes, int digits = 3);
/// "1.23 k", "4.56 M", "7.89 G": SI prefixes for counts and rates.
std::string format_si(double value, int digits = 3);
/// "0.43 %".
std::string format_percent(double fraction, int digits = 2);
/// "+7.3 %", "-0.4 %": a change, with a fixed number of decimals.
std::string format_change(double fraction, int decimals = 1);
/// Decimals of a percentage that two significant digits of its half width need: 0 … 4.
int change_decimals(double half_width);
/// A value in a metric's own unit: "ns" as a duration, "B" as bytes, anything else with SI prefix and unit.
std::string format_value(double value, std::string_view unit, int digits = 3);
/// "3 → 4": with digits enough to tell the values apart when they differ.
std::string format_step(double before, double after, std::string_view unit);
/// A plain number with the digits asked for and no exponent between 1e-4 and 1e7.
std::string format_number(double value, int digits = 3);

/// "10s", "500ms", "2min", "1.5 s", "250us". A bare number is refused: the unit is part of the value.
Result<std::chrono::nanoseconds> parse_duration(std::string_view text);
/// "1%" or "0.01" as the fraction 0.01. Anything outside (0, 1] is refused.
Result<double> parse_fraction(std::string_view text);
/// "64MiB", "4k", "123": bytes; k, M, G are powers of 1000, Ki, Mi, Gi of 1024.
Result<std::int64_t> parse_bytes(std::string_view text);
/// "key=value"; the key must not be empty.
Result<std::pair<std::string, std::string>> parse_assignment(std::string_view text);

std::vector<std::string> split(std::string_view text, char separator);
std::string_view trim(std::string_view text);
std::string join(const std::vector<std::string>& parts, std::string_view separator);
/// Columns a terminal uses for this UTF-8 text; combining and wide characters count as one.
std::size_t display_width(std::string_view text);
/// The word for a shell: quoted only when it must be.
std::string shell_quote(std::string_view word);
/// Valid UTF-8 with control characters as \xNN: safe to print whatever the bytes were.
std::string printable(std::string_view bytes);

}  // namespace tare
