// A build without an assembler: programs run in the interpreter.
#include "ad/scalar/program/executable.hpp"

namespace tare::ad::detail {

std::unique_ptr<NativeCode> assemble(const Code&, bool) {
  return nullptr;
}
bool has_native() {
  return false;
}

}  // namespace tare::ad::detail
