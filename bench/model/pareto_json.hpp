// Pareto fronts as JSON and back, by the rules of bench/model/json.hpp.
#pragma once

#include "bench/model/pareto.hpp"
#include "bench/support/json.hpp"

namespace tare {

Json to_json(const ParetoFront& front);
Result<ParetoFront> pareto_from_json(const Json& json);

}  // namespace tare
