// tare's forward mode as an engine.
#pragma once

#include "engines/engine.hpp"

namespace tare::engines {

Engine forward_mode();

}  // namespace tare::engines
