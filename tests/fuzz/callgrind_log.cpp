// valgrind's log, which may hold anything the measured program wrote.
#include "bench/measure/meters/instructions.hpp"
#include "tests/fuzz/input.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  (void)tare::parse_callgrind_log(as_text(data, size));
  return 0;
}
