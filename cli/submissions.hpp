// What the commands of a contest share.
#pragma once

#include "bench/submission/validate.hpp"

namespace tare::cli {

/// The tasks of this build.
ContestRules contest_rules();

}  // namespace tare::cli
