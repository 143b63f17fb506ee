// Emitter: Code to x86-64 machine code with AVX2 and FMA, for one lane or four, in one pass and linear time.
// asmjit encodes; registers are assigned by registers.hpp. Constants stand before the code and are reached
// relative to it, inputs and outputs through the pointers the function is called with.
#pragma once

#include <asmjit/x86.h>

#include "ad/scalar/native/registers.hpp"
#include "ad/scalar/program/code.hpp"

namespace tare::ad::detail {

class Emitter {
 public:
  Emitter(asmjit::CodeHolder& holder, const Code& code, bool packed);

  void emit();
  /// Where the function begins, in bytes from the start of the code.
  [[nodiscard]] std::size_t entry_offset() const { return entry_offset_; }
  [[nodiscard]] std::size_t scratch_doubles() const;

 private:
  using Id = asmjit::x86::Inst::Id;
  using Vec = asmjit::x86::Vec;
  using Mem = asmjit::x86::Mem;
  using Gp = asmjit::x86::Gp;

  /// Before the constants: the sign bit and its complement, four lanes each.
  static constexpr std::size_t sign_mask = 0;
  static constexpr std::size_t value_mask = 32;
  static constexpr std::size_t first_constant = 64;
  /// Slots within reach of a one-byte displacement make shorter code: the pointer stands past the first ones.
  static constexpr int slot_bias = 128;

  void emit_constants();
  void emit_prologue();
  void emit_epilogue();
  void emit_instruction(std::uint32_t at);
  void emit_binary(std::uint32_t at, Id scalar, Id packed, bool commutes);
  void emit_compare(std::uint32_t at, int predicate);
  void emit_with_mask(std::uint32_t at, Id id, std::size_t mask);
  void emit_rounding(std::uint32_t at, int mode);
  void emit_fused(std::uint32_t at);
  void emit_select(std::uint32_t at);
  void emit_call(std::uint32_t at);
  /// The function to call, once the general registers are set for it.
  const void* callee(std::uint32_t at);
  void emit_store(std::uint32_t at);

  [[nodiscard]] Vec vec(int r) const;
  [[nodiscard]] Id chosen(Id scalar, Id packed) const { return packed_ ? packed : scalar; }
  [[nodiscard]] Mem memory(const Gp& base, std::size_t index, bool lanes = true) const;
  [[nodiscard]] Mem slot_memory(std::uint32_t slot) const;
  /// Where a value that is in no register can be read; a uniform input only by a broadcast.
  [[nodiscard]] Mem home(std::uint32_t value) const;
  [[nodiscard]] bool has_home(std::uint32_t value) const;
  [[nodiscard]] bool readable(std::uint32_t value) const;

  void load(int r, std::uint32_t value);
  void spill(int r);
  int take_register();
  /// The register of an argument, which is loaded into one if need be and stays there for this instruction.
  int in_register(std::uint32_t value, std::uint32_t next_use);
  /// Whether reading the argument from memory is better than giving it a register.
  [[nodiscard]] bool better_in_memory(std::uint32_t value, std::uint32_t next_use) const;
  [[nodiscard]] std::uint32_t next(std::uint32_t at, int k) const {
    return uses_.next[3 * std::size_t{at} + static_cast<std::size_t>(k)];
  }
  /// Ends the arguments that are not needed after this instruction.
  void release_arguments(std::uint32_t at);
  int result_register(std::uint32_t at);
  void put_result(int r, std::uint32_t at);

  asmjit::x86::Assembler a_;
  const Code& code_;
  bool packed_;
  bool calls_ = false;
  NextUses uses_;
  Registers registers_;
  asmjit::Label constants_;
  std::size_t entry_offset_ = 0;
  Gp varying_, uniform_, results_, gradient_, sums_, slots_;
};

}  // namespace tare::ad::detail
