// Values of the command line: durations, fractions, sizes, assignments; and text made safe to print.
#include "bench/support/text.hpp"
#include "tests/fuzz/input.hpp"

using namespace tare;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto text = as_text(data, size);
  if (auto duration = parse_duration(text)) require(duration->count() >= 0);
  if (auto fraction = parse_fraction(text)) require(*fraction > 0 && *fraction <= 1);
  if (auto bytes = parse_bytes(text)) require(*bytes >= 0);
  if (auto pair = parse_assignment(text)) require(!pair->first.empty());
  const auto safe = printable(text);
  for (const char c : safe) require(static_cast<unsigned char>(c) >= 0x20 && c != 0x7f);
  require(printable(safe) == safe);
  (void)display_width(text);
  (void)shell_quote(text);
  return 0;
}
