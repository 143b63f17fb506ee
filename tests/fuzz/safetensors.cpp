// safetensors: any bytes are an AdError or tensors that are saved and read again as they were.
#include "ad/support/error.hpp"
#include "ad/tensor/files.hpp"
#include "tests/fuzz/input.hpp"

using namespace tare::ad;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Safetensors content;
  try {
    content = parse_safetensors(std::as_bytes(std::span(data, size)), "input");
  } catch (const AdError&) {
    return 0;
  }
  // What could be read can be written.
  const auto bytes = safetensors_bytes(content);
  require(safetensors_bytes(parse_safetensors(bytes, "again")) == bytes);
  return 0;
}
