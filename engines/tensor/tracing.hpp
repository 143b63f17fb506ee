// What our tensors do in a piece of work, op by op, for those who explain its time.
#pragma once

#include <functional>
#include <string>

#include "engines/tensor/tensor_engine.hpp"

namespace tare::engines {

/// Executes the work once on this thread. Matrix products are matmul, with a bias or in 8 bits too,
/// convolutions and their gradients, which are carried out as products, and attention, whose two products
/// are nearly all of its flops. Norms, softmax and everything pointwise are not.
TracedMode traced(std::string mode, double overhead_ns, const std::function<void()>& work);

/// Of one op on one number: eagerly, recorded or not; and of one step of a compiled graph. Measured once.
double eager_overhead_ns(bool recorded);
double graph_overhead_ns();

}  // namespace tare::engines
