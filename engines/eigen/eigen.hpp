// The adapter for Eigen; compiled only where it is installed.
#pragma once

#include "engines/engine.hpp"

namespace tare::engines {

Engine eigen_autodiff();

}  // namespace tare::engines
