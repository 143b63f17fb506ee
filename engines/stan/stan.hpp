// The adapter for Stan Math; compiled only where it is installed.
#pragma once

#include "engines/engine.hpp"

namespace tare::engines {

Engine stan_math();

}  // namespace tare::engines
