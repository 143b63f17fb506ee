#include "ad/scalar/program/executable.hpp"

#include <utility>

#include "ad/scalar/program/interpreter.hpp"
#include "ad/scalar/program/passes.hpp"

namespace tare::ad::detail {

Executable::Executable(Code code, Shape shape, bool use_jit) : instructions_(code.instructions.size()) {
  if (use_jit) native_ = assemble(code, shape == Shape::wide);
  if (native_) {
    entry_ = native_->entry;
    lanes_ = shape == Shape::wide ? native_lanes : 1;
    scratch_ = native_->scratch_doubles;
  } else {
    lanes_ = shape == Shape::wide ? interpreted_lanes : 1;
    const Places places = assign_places(code);
    scratch_ = std::size_t{places.count} * lanes();
    steps_ = steps_of(code, places);
  }
  code_ = std::move(code);
  code_.instructions = {};
}

void Executable::interpret(const Frame& frame) const {
  if (lanes_ == 1) {
    interpret_single(steps_, code_, frame);
  } else {
    interpret_wide(steps_, code_, frame);
  }
}

}  // namespace tare::ad::detail
