// Breakdowns as JSON and back, by the rules of bench/model/json.hpp.
#pragma once

#include "bench/model/breakdown.hpp"
#include "bench/support/json.hpp"

namespace tare {

Json to_json(const MachineRoofs& roofs);
Result<MachineRoofs> roofs_from_json(const Json& json);
Json to_json(const ModeBreakdown& mode);
Result<ModeBreakdown> mode_from_json(const Json& json);
Json to_json(const Breakdown& breakdown);
/// Times, flops and bytes must be finite and not negative; a total may be zero.
Result<Breakdown> breakdown_from_json(const Json& json);

}  // namespace tare
