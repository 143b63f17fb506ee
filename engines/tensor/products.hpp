// Plain matrix products as engines of their own: one library's kernel, no tensor around it. And products of
// 8-bit numbers, which only our tensors and oneDNN have.
#pragma once

#include "engines/tensor/tensor_engine.hpp"

namespace tare::engines {

/// OpenBLAS, BLIS and oneDNN, each absent where it is not installed. With several threads its work is shared
/// as our own is.
std::vector<TensorEngine> product_libraries();

enum class EightBit { reference, eager, onednn };
std::vector<TensorOffer> eight_bit_products(EightBit by);

}  // namespace tare::engines
