#include "bench/support/numbers.hpp"

#include <charconv>
#include <cmath>
#include <fmt/format.h>

#include "bench/support/text.hpp"

namespace tare {
namespace {

/// Squares of larger ones would overflow.
constexpr double largest = 1e100;
constexpr std::string_view separators = " \t\r\v\f,";
constexpr std::size_t longest_shown = 40;

Result<double> number_of(std::string_view token) {
  auto digits = token;
  if (digits.starts_with('+')) digits.remove_prefix(1);
  double value = 0;
  const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  const bool whole = end == digits.data() + digits.size();
  const bool twice_signed = token.starts_with("+-");
  if (whole && !twice_signed && code == std::errc::result_out_of_range)
    return fail("is out of range: between ±1e100, and not closer to 0 than 1e-307");
  if (!whole || twice_signed || code != std::errc{}) return fail("is not a number");
  if (!std::isfinite(value)) return fail("is not a finite number");
  if (std::abs(value) > largest) return fail("is out of range: at most 1e100");
  return value;
}

}  // namespace

Result<std::vector<double>> parse_numbers(std::string_view text, std::string_view name) {
  std::vector<double> values;
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);  // a byte-order mark
  for (std::size_t line_number = 1; !text.empty(); ++line_number) {
    const auto length = text.find('\n');
    const auto line = text.substr(0, length);
    text.remove_prefix(length == std::string_view::npos ? text.size() : length + 1);
    const auto content = line.substr(0, line.find('#'));
    for (auto begin = content.find_first_not_of(separators); begin != std::string_view::npos;) {
      const auto end = std::min(content.find_first_of(separators, begin), content.size());
      const auto token = content.substr(begin, end - begin);
      const auto value = number_of(token);
      if (!value) {
        const auto shown =
            token.size() > longest_shown ? printable(token.substr(0, longest_shown)) + "…" : printable(token);
        return fail(fmt::format("{}:{}:{}: '{}' {}", printable(name), line_number,
                                display_width(printable(line.substr(0, begin))) + 1, shown,
                                value.error().message));
      }
      values.push_back(*value);
      begin = content.find_first_not_of(separators, end);
    }
  }
  return values;
}

}  // namespace tare
