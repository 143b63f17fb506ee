// Any GradBench tool as an engine: started as a process, asked by lines of JSON.
#pragma once

#include "engines/engine.hpp"

namespace tare::engines {

/// The tool whose command stands in the environment variable TARE_GRADBENCH_TOOL; absent without it.
Engine gradbench_tool();

}  // namespace tare::engines
