// Machine code through asmjit: made by the emitter, held by its runtime.
#include <asmjit/x86.h>

#include "ad/scalar/error.hpp"
#include "ad/scalar/native/emitter.hpp"
#include "ad/scalar/program/executable.hpp"
#include "ad/scalar/program/library.hpp"

namespace tare::ad::detail {
namespace {

struct Thrower : asmjit::ErrorHandler {
  void handleError(asmjit::Error, const char* message, asmjit::BaseEmitter*) override {
    throw_error("compile", message);
  }
};

/// Displacements have 32 bits and slots up to 32 bytes.
constexpr std::size_t most_instructions = std::size_t{1} << 26U;

class AssembledCode : public NativeCode {
 public:
  AssembledCode(const Code& code, bool packed) {
    asmjit::CodeHolder holder;
    Thrower thrower;
    holder.init(runtime_.environment());
    holder.setErrorHandler(&thrower);
    Emitter emitter(holder, code, packed);
    emitter.emit();
    void* start = nullptr;
    if (const asmjit::Error error = runtime_.add(&start, &holder); error != asmjit::kErrorOk) {
      throw_error("compile", asmjit::DebugUtils::errorAsString(error));
    }
    entry = reinterpret_cast<Entry>(static_cast<std::byte*>(start) + emitter.entry_offset());
    bytes = holder.codeSize();
    scratch_doubles = emitter.scratch_doubles();
  }

 private:
  asmjit::JitRuntime runtime_;
};

}  // namespace

std::unique_ptr<NativeCode> assemble(const Code& code, bool packed) {
  if (!has_native() || code.instructions.size() >= most_instructions) return nullptr;
  return std::make_unique<AssembledCode>(code, packed);
}

bool has_native() {
  return has_packed();
}

}  // namespace tare::ad::detail
