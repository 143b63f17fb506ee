// The adapter for Sacado; compiled only where it is installed.
#pragma once

#include "engines/engine.hpp"

namespace tare::engines {

Engine sacado();

}  // namespace tare::engines
