// tare's kernels as an engine.
#pragma once

#include "engines/engine.hpp"

namespace tare::engines {

Engine kernels();

}  // namespace tare::engines
