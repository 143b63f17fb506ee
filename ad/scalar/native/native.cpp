// Machine code through asmjit: made by the emitter, held in memory of its own.
#include <asmjit/x86.h>
#include <optional>

#include "ad/scalar/error.hpp"
#include "ad/scalar/native/code_memory.hpp"
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

void expect(asmjit::Error error) {
  if (error != asmjit::kErrorOk) throw_error("compile", asmjit::DebugUtils::errorAsString(error));
}

/// Displacements have 32 bits and slots up to 32 bytes.
constexpr std::size_t most_instructions = std::size_t{1} << 26U;

class AssembledCode : public NativeCode {
 public:
  AssembledCode(const Code& code, bool packed) {
    asmjit::CodeHolder holder;
    Thrower thrower;
    expect(holder.init(asmjit::Environment::host()));
    holder.setErrorHandler(&thrower);
    Emitter emitter(holder, code, packed);
    emitter.emit();
    expect(holder.flatten());
    expect(holder.resolveUnresolvedLinks());
    memory_.emplace(holder.codeSize());
    expect(holder.relocateToBase(reinterpret_cast<std::uintptr_t>(memory_->data())));
    expect(holder.copyFlattenedData(memory_->data(), holder.codeSize()));
    // Where the system forbids executable memory there is no entry.
    if (!memory_->make_executable()) return;
    entry = reinterpret_cast<Entry>(memory_->data() + emitter.entry_offset());
    bytes = holder.codeSize();
    scratch_doubles = emitter.scratch_doubles();
  }

 private:
  std::optional<CodeMemory> memory_;
};

}  // namespace

std::unique_ptr<NativeCode> assemble(const Code& code, bool packed) {
  if (!has_native() || code.instructions.size() >= most_instructions) return nullptr;
  auto assembled = std::make_unique<AssembledCode>(code, packed);
  if (assembled->entry == nullptr) return nullptr;
  return assembled;
}

bool has_native() {
  return has_packed();
}

}  // namespace tare::ad::detail
