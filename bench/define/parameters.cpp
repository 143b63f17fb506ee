#include "bench/define/parameters.hpp"

#include <charconv>
#include <fmt/format.h>
#include <stdexcept>

namespace tare {

ParameterValues range(std::int64_t first, std::int64_t last, std::int64_t factor) {
  if (first < 1 || last < first || factor < 2) {
    throw std::invalid_argument(fmt::format(
        "range({}, {}, {}): needs 1 <= first <= last and a factor of at least 2", first, last, factor));
  }
  ParameterValues values;
  for (std::int64_t value = first; value < last; value *= factor) {
    values.push_back(std::to_string(value));
    if (value > last / factor) break;  // the next product would pass the end, and might overflow
  }
  values.push_back(std::to_string(last));
  return values;
}

ParameterValues steps(std::int64_t first, std::int64_t last, std::int64_t step) {
  if (last < first || step < 1 || (last - first) / step > 1'000'000) {
    throw std::invalid_argument(
        fmt::format("steps({}, {}, {}): needs first <= last, a step of at least 1, at most a million values",
                    first, last, step));
  }
  ParameterValues values;
  for (std::int64_t value = first; value <= last; value += step) values.push_back(std::to_string(value));
  return values;
}

ParameterValues list(std::initializer_list<const char*> values) {
  return {values.begin(), values.end()};
}

namespace detail {

template <class T>
static Result<T> to_number(const std::string& text, const char* kind) {
  T value{};
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc{} || end != text.data() + text.size())
    return fail(fmt::format("'{}' is not {}", text, kind));
  return value;
}

Result<std::int64_t> to_integer(const std::string& text) {
  return to_number<std::int64_t>(text, "a whole number");
}

Result<double> to_double(const std::string& text) {
  return to_number<double>(text, "a number");
}

}  // namespace detail
}  // namespace tare
