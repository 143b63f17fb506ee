// libtorch as an engine.
#pragma once

#include "engines/tensor/tensor_engine.hpp"

namespace tare::engines {

TensorEngine torch_tensors();

}  // namespace tare::engines
