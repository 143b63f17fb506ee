// The interpreter: runs Code one instruction at a time, one lane or eight. Values live in reused places of a
// scratch array, so that the lanes of a small program stay in the first-level cache. On machines with AVX2
// the same source runs as compiled for it.
#pragma once

#include <vector>

#include "ad/scalar/program/executable.hpp"
#include "ad/scalar/program/passes.hpp"

namespace tare::ad::detail {

std::vector<Step> steps_of(const Code& code, const Places& places);
void interpret_single(const std::vector<Step>& steps, const Code& code, const Frame& frame);
void interpret_wide(const std::vector<Step>& steps, const Code& code, const Frame& frame);

}  // namespace tare::ad::detail
