// Hand-written adjoints, and the functions alone.
#pragma once

#include "engines/engine.hpp"

namespace tare::engines {

Engine hand();
Engine primal();

}  // namespace tare::engines
