// What a gate found as GitHub workflow commands, which a job prints to have them shown on the pull request:
// errors for what is beyond or failed, warnings for what is undecided, one notice for what was not judged.
// Nothing a name holds can end its line or begin another command.
#pragma once

#include <string>

#include "bench/model/comparison.hpp"

namespace tare {

std::string annotations(const GateResult& result);

}  // namespace tare
