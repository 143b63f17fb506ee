// A comparison for pull requests and job summaries: what changed in a table, everything else folded away.
// Text from users is shown, not obeyed.
#pragma once

#include <string>

#include "bench/model/comparison.hpp"

namespace tare {

std::string comparison_markdown(const Comparison& comparison);

}  // namespace tare
