// .npy: any bytes are an AdError or a tensor that is saved and read again as it was.
#include "ad/support/error.hpp"
#include "ad/tensor/files.hpp"
#include "tests/fuzz/input.hpp"

using namespace tare::ad;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const Tensor tensor = parse_npy(std::as_bytes(std::span(data, size)), "input");
    const auto bytes = npy_bytes(tensor);
    require(npy_bytes(parse_npy(bytes, "again")) == bytes);
  } catch (const AdError&) {
  }
  return 0;
}
