// What the module with LLVM in it offers.
#pragma once

#include <string>

#include "ad/graph/kernel.hpp"

/// Object code, or false with the reason in `result`.
extern "C" bool tare_jit_compile(const tare::ad::graph::Kernel& kernel,
                                 const tare::ad::graph::KernelPlan& plan, const std::string& isa,
                                 std::string& result);
