// Lines of the GradBench protocol: every one is answered by one line of JSON, whatever it holds.
#include <nlohmann/json.hpp>

#include "engines/gradbench/tool.hpp"
#include "tests/fuzz/input.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto text = tare::gradbench::answer(as_text(data, size), {1e5, 0.001, 10});
  require(text.find('\n') == std::string::npos);
  require(nlohmann::json::parse(text, nullptr, false).is_object());
  return 0;
}
