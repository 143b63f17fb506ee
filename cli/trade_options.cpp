#include "cli/trade_options.hpp"

namespace tare::cli {

void TradeOptions::add_to(CLI::App& app) {
  app.add_option("--x", x,
                 "Pareto: the first metric, such as latency (time), memory (peak_bytes) or a counter")
      ->type_name("METRIC")
      ->capture_default_str();
  app.add_option("--y", y, "Pareto: the second metric, such as accuracy")
      ->type_name("METRIC")
      ->capture_default_str();
  app.add_option("--size", size, "Pareto: a third metric, the size of the marks")->type_name("METRIC");
  app.add_option("--require", required, "Pareto: what a variant must keep: accuracy>=0.95, latency<=2ms")
      ->type_name("CONSTRAINT")
      ->expected(1)
      ->take_all();
  app.add_option("--of", of, "Pareto: the variants are this parameter's values, instead of the benchmarks")
      ->type_name("PARAMETER");
  app.add_option(
         "--base", base,
         "Pareto: the variant that speed-up, compression, accuracy and energy of the others are held against")
      ->type_name("VARIANT");
}

Result<ParetoRequest> TradeOptions::request() const {
  ParetoRequest request;
  for (const auto& metric : {x, y, size}) {
    if (!metric.empty()) request.metrics.push_back(metric);
  }
  for (const auto& text : required) {
    auto constraint = parse_constraint(text);
    if (!constraint) return fail("--require: " + constraint.error().message);
    request.constraints.push_back(std::move(*constraint));
  }
  request.of = of;
  request.base = base;
  return request;
}

}  // namespace tare::cli
