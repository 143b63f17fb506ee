// Splitting a kernel's body: what depends on its shared inputs alone is one program, run once; the rest is
// another, run for every point, whose uniform inputs are the results of the first.
#pragma once

#include <cstddef>

#include "ad/scalar/program/program.hpp"

namespace tare::ad::detail {

struct SplitProgram {
  Program uniform;  ///< of the shared inputs
  Program varying;  ///< of uniform's outputs, then of the inputs that are not shared
};
SplitProgram split(const Program& program, std::size_t shared);

}  // namespace tare::ad::detail
