// What each primitive computes on one lane of machine numbers: for folding constants.
#pragma once

#include "ad/scalar/program/code.hpp"

namespace tare::ad::detail {

/// The result of an instruction with arguments; not for custom calls.
double computed(const Instruction& instruction, double a, double b, double c);

}  // namespace tare::ad::detail
