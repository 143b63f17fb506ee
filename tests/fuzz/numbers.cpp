// A file of numbers: any text is refused in one line with its place, or gives numbers that can be computed
// with.
#include "bench/support/numbers.hpp"

#include <cmath>

#include "tests/fuzz/input.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto values = tare::parse_numbers(as_text(data, size), "file");
  if (!values) {
    const auto& message = values.error().message;
    require(message.starts_with("file:") && message.find('\n') == std::string::npos);
    return 0;
  }
  for (const double value : *values) require(std::isfinite(value * value));
  return 0;
}
