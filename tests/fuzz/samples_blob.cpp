// The store's encoding of samples: any bytes decode to an error or to samples that encode and decode again.
#include "bench/store/samples.hpp"
#include "tests/fuzz/input.hpp"

using namespace tare;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto samples = decode_samples(std::as_bytes(std::span(data, size)));
  if (!samples) return 0;
  const auto bytes = encode_samples(*samples);
  auto again = decode_samples(bytes);
  require(again.has_value() && again->size() == samples->size());
  return 0;
}
