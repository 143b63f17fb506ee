// Gradients from evaluations alone.
#pragma once

#include "engines/engine.hpp"

namespace tare::engines {

Engine finite_differences();
Engine complex_steps();

}  // namespace tare::engines
