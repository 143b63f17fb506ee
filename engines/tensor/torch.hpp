// libtorch as an engine. It is opened when its first problem is made: loading it takes half a second, which
// processes that measure others should not pay.
#pragma once

#include "engines/tensor/tensor_engine.hpp"

namespace tare::engines {

TensorEngine torch_tensors();

}  // namespace tare::engines
