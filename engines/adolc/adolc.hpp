// The adapter for ADOL-C; compiled only where it is installed.
#pragma once

#include "engines/engine.hpp"

namespace tare::engines {

Engine adolc();

}  // namespace tare::engines
