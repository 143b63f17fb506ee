// A run as JSON, as an import would read it.
#include "bench/analyse/summarise.hpp"
#include "bench/model/json.hpp"
#include "bench/report/markdown.hpp"
#include "bench/report/text_report.hpp"
#include "tests/fuzz/input.hpp"

using namespace tare;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto run = parse_json(as_text(data, size)).and_then([](const Json& json) { return run_from_json(json); });
  if (!run) return 0;
  require(run_from_json(*parse_json(to_text(to_json(*run)))).has_value());
  for (auto& result : run->results) summarise(result);
  (void)text_report(*run);
  (void)markdown_report(*run);
  return 0;
}
