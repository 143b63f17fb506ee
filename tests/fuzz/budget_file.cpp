// budgets.toml: any text is refused in one line or gives budgets that can judge.
#include "bench/compare/budget_file.hpp"

#include "tests/fuzz/input.hpp"

using namespace tare;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto budgets = parse_budgets(as_text(data, size));
  if (!budgets) {
    require(!budgets.error().message.empty() && budgets.error().message.find('\n') == std::string::npos);
    return 0;
  }
  for (const auto& budget : *budgets) {
    for (const auto& limit : budget.limits) require(limit.amount >= 0);
  }
  Comparison comparison;
  comparison.benchmarks.resize(1);
  comparison.benchmarks[0].after.name = "mlp/a";
  (void)judge(comparison, *budgets);
  return 0;
}
