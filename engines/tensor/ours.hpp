// tare's own tensors as an engine: eager mode in single precision, and in double precision as the reference.
#pragma once

#include "engines/tensor/tensor_engine.hpp"

namespace tare::engines {

TensorEngine reference_tensors();
TensorEngine eager_tensors();
TensorEngine graph_tensors();

}  // namespace tare::engines
