// tare's engine in all its modes.
#pragma once

#include <vector>

#include "engines/engine.hpp"

namespace tare::engines {

void add_ours(std::vector<Engine>& engines);

}  // namespace tare::engines
