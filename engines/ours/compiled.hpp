// tare's compiled programs as engines.
#pragma once

#include "engines/engine.hpp"

namespace tare::engines {

Engine compiled();
Engine compiled_batch();

}  // namespace tare::engines
