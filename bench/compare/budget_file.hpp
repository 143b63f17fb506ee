// budgets.toml: read into Budgets, or refused with file, line, column and a good example. docs/budgets.md
// describes the format. What is checked: every key of the file's own, every type, unit, sign and regular
// expression, and that the limits of tare's own metrics are in their units. Other metrics may have any name,
// since benchmarks bring counters of their own: the judgement says when a name matches none.
#pragma once

#include <string>
#include <string_view>

#include "bench/compare/budget.hpp"
#include "bench/support/result.hpp"

namespace tare {

Result<Budgets> read_budgets(const std::string& path);
/// The path is only for messages.
Result<Budgets> parse_budgets(std::string_view text, const std::string& path = "budgets.toml");

}  // namespace tare
