// Lines of the worker protocol, as both sides read them. What was understood must survive being written
// again.
#include "bench/measure/protocol.hpp"

#include "bench/model/json.hpp"
#include "tests/fuzz/input.hpp"

using namespace tare;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto json = parse_json(as_text(data, size));
  if (!json) return 0;
  if (auto request = request_from_json(*json)) {
    const auto text = to_text(to_json(*request));
    require(to_text(to_json(*request_from_json(*parse_json(text)))) == text);
  }
  if (auto preparation = preparation_from_json(*json)) require(preparation->granularity > 0);
  if (auto reading = reading_from_json(*json, 1)) require(reading->totals.front() >= 0);
  (void)hello_from_json(*json);
  (void)listed_from_json(*json);
  (void)checked_from_json(*json);
  return 0;
}
