// A run, a breakdown or a Pareto front as JSON, as an import would read it.
#include "bench/analyse/summarise.hpp"
#include "bench/model/breakdown_json.hpp"
#include "bench/model/json.hpp"
#include "bench/model/pareto_json.hpp"
#include "bench/report/markdown.hpp"
#include "bench/report/text_report.hpp"
#include "tests/fuzz/input.hpp"

using namespace tare;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto json = parse_json(as_text(data, size));
  if (!json) return 0;
  if (const auto breakdown = breakdown_from_json(*json))
    require(breakdown_from_json(*parse_json(to_text(to_json(*breakdown)))).has_value());
  if (const auto front = pareto_from_json(*json))
    require(pareto_from_json(*parse_json(to_text(to_json(*front)))).has_value());
  auto run = run_from_json(*json);
  if (!run) return 0;
  require(run_from_json(*parse_json(to_text(to_json(*run)))).has_value());
  for (auto& result : run->results) summarise(result);
  (void)text_report(*run);
  (void)markdown_report(*run);
  return 0;
}
