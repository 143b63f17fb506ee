// The instructions one by one: which machine instruction each becomes, and which argument may stay in memory.
#include <array>
#include <utility>

#include "ad/scalar/native/emitter.hpp"
#include "ad/scalar/program/library.hpp"

namespace tare::ad::detail {

namespace x86 = asmjit::x86;
namespace Inst = x86::Inst;

void Emitter::emit_instruction(std::uint32_t at) {
  const Instruction& i = code_.instructions[at];
  switch (i.prim) {
    case Prim::constant:
    case Prim::load:
      return;  // read where it is used
    case Prim::add:
      return emit_binary(at, Inst::kIdVaddsd, Inst::kIdVaddpd, true);
    case Prim::sub:
      return emit_binary(at, Inst::kIdVsubsd, Inst::kIdVsubpd, false);
    case Prim::mul:
      return emit_binary(at, Inst::kIdVmulsd, Inst::kIdVmulpd, true);
    case Prim::div:
      return emit_binary(at, Inst::kIdVdivsd, Inst::kIdVdivpd, false);
    case Prim::min:
    case Prim::max: {
      // The machine gives its second operand at a tie and for NaN, as the table's first argument does.
      const int a = in_register(i.a, next(at, 0));
      const int b = in_register(i.b, next(at, 1));
      const Id id = i.prim == Prim::min ? chosen(Inst::kIdVminsd, Inst::kIdVminpd)
                                        : chosen(Inst::kIdVmaxsd, Inst::kIdVmaxpd);
      const int y = result_register(at);
      a_.emit(id, vec(y), vec(b), vec(a));
      return;
    }
    case Prim::neg:
      return emit_with_mask(at, Inst::kIdVxorpd, sign_mask);
    case Prim::abs:
      return emit_with_mask(at, Inst::kIdVandpd, value_mask);
    case Prim::fma:
    case Prim::fms:
    case Prim::fnma:
      return emit_fused(at);
    case Prim::sqrt: {
      const int a = in_register(i.a, next(at, 0));
      const int y = result_register(at);
      if (packed_) {
        a_.emit(Inst::kIdVsqrtpd, vec(y), vec(a));
      } else {
        a_.emit(Inst::kIdVsqrtsd, vec(y), vec(a), vec(a));
      }
      return;
    }
    case Prim::floor:
      return emit_rounding(at, 9);
    case Prim::ceil:
      return emit_rounding(at, 10);
    case Prim::trunc:
      return emit_rounding(at, 11);
    case Prim::less:
      return emit_compare(at, 1);
    case Prim::less_equal:
      return emit_compare(at, 2);
    case Prim::equal:
      return emit_compare(at, 0);
    case Prim::not_equal:
      return emit_compare(at, 4);
    case Prim::keep: {
      const int mask = in_register(i.a, next(at, 0));
      const int b = in_register(i.b, next(at, 1));
      const int y = result_register(at);
      a_.emit(Inst::kIdVandpd, vec(y), vec(mask), vec(b));
      return;
    }
    case Prim::select:
      return emit_select(at);
    case Prim::call:
      return emit_call(at);
    case Prim::store:
      return emit_store(at);
  }
}

void Emitter::emit_binary(std::uint32_t at, Id scalar, Id packed, bool commutes) {
  const Instruction& i = code_.instructions[at];
  std::uint32_t a = i.a;
  std::uint32_t b = i.b;
  std::uint32_t next_a = next(at, 0);
  std::uint32_t next_b = next(at, 1);
  if (commutes && registers_.of(a) == Registers::none && registers_.of(b) != Registers::none) {
    std::swap(a, b);
    std::swap(next_a, next_b);
  }
  const int left = in_register(a, next_a);
  const Id id = chosen(scalar, packed);
  if (b != a && better_in_memory(b, next_b)) {
    const Mem from = home(b);
    const int y = result_register(at);
    a_.emit(id, vec(y), vec(left), from);
    return;
  }
  const int right = in_register(b, next_b);
  const int y = result_register(at);
  a_.emit(id, vec(y), vec(left), vec(right));
}

void Emitter::emit_compare(std::uint32_t at, int predicate) {
  const Instruction& i = code_.instructions[at];
  const int a = in_register(i.a, next(at, 0));
  const int b = in_register(i.b, next(at, 1));
  const int y = result_register(at);
  a_.emit(chosen(Inst::kIdVcmpsd, Inst::kIdVcmppd), vec(y), vec(a), vec(b), asmjit::imm(predicate));
}

void Emitter::emit_with_mask(std::uint32_t at, Id id, std::size_t mask) {
  const Instruction& i = code_.instructions[at];
  const int a = in_register(i.a, next(at, 0));
  const int y = result_register(at);
  a_.emit(id, vec(y), vec(a), x86::ptr(constants_, static_cast<std::int32_t>(mask)));
}

void Emitter::emit_rounding(std::uint32_t at, int mode) {
  const Instruction& i = code_.instructions[at];
  const int a = in_register(i.a, next(at, 0));
  const int y = result_register(at);
  if (packed_) {
    a_.emit(Inst::kIdVroundpd, vec(y), vec(a), asmjit::imm(mode));
  } else {
    a_.emit(Inst::kIdVroundsd, vec(y), vec(a), vec(a), asmjit::imm(mode));
  }
}

void Emitter::emit_select(std::uint32_t at) {
  const Instruction& i = code_.instructions[at];
  const int mask = in_register(i.a, next(at, 0));
  const int set = in_register(i.b, next(at, 1));
  const int unset = in_register(i.c, next(at, 2));
  const int y = result_register(at);
  a_.emit(Inst::kIdVblendvpd, vec(y), vec(unset), vec(set), vec(mask));
}

void Emitter::emit_fused(std::uint32_t at) {
  const Instruction& i = code_.instructions[at];
  constexpr std::array<std::array<Id, 4>, 3> forms{{
      {Inst::kIdVfmadd231sd, Inst::kIdVfmadd231pd, Inst::kIdVfmadd213sd, Inst::kIdVfmadd213pd},
      {Inst::kIdVfmsub231sd, Inst::kIdVfmsub231pd, Inst::kIdVfmsub213sd, Inst::kIdVfmsub213pd},
      {Inst::kIdVfnmadd231sd, Inst::kIdVfnmadd231pd, Inst::kIdVfnmadd213sd, Inst::kIdVfnmadd213pd},
  }};
  const auto& form = forms[i.prim == Prim::fma ? 0 : i.prim == Prim::fms ? 1 : 2];
  std::uint32_t factor = i.a;
  std::uint32_t other = i.b;
  std::uint32_t next_factor = next(at, 0);
  std::uint32_t next_other = next(at, 1);
  // The factor that is in no register may be read from memory, and one that ends here be overwritten.
  if (registers_.of(factor) == Registers::none && registers_.of(other) != Registers::none) {
    std::swap(factor, other);
    std::swap(next_factor, next_other);
  }
  const int x = in_register(factor, next_factor);
  const bool term_ends = next(at, 2) == never && i.c != factor && i.c != other;
  const bool factor_ends = next_factor == never && factor != other && factor != i.c;
  if (factor_ends && better_in_memory(i.c, next(at, 2))) {
    const int z = in_register(other, next_other);
    const Mem from = home(i.c);
    release_arguments(at);
    a_.emit(form[packed_ ? 3 : 2], vec(x), vec(z), from);
    put_result(x, at);
    return;
  }
  const int term = in_register(i.c, next(at, 2));
  const bool from_memory = other != factor && other != i.c && better_in_memory(other, next_other);
  const int z = from_memory ? Registers::none : in_register(other, next_other);
  const Mem from = from_memory ? home(other) : Mem();
  // The result takes the register of an argument that ends here; else the term is copied.
  int y = term;
  bool onto_factor = false;
  if (!term_ends) {
    if (factor_ends && !from_memory) {
      y = x;
      onto_factor = true;
    } else {
      y = take_register();
      a_.emit(Inst::kIdVmovapd, vec(y), vec(term));
    }
  }
  release_arguments(at);
  if (onto_factor) {
    a_.emit(form[packed_ ? 3 : 2], vec(y), vec(z), vec(term));
  } else if (from_memory) {
    a_.emit(form[packed_ ? 1 : 0], vec(y), vec(x), from);
  } else {
    a_.emit(form[packed_ ? 1 : 0], vec(y), vec(x), vec(z));
  }
  put_result(y, at);
}

void Emitter::emit_call(std::uint32_t at) {
  const Instruction& i = code_.instructions[at];
  const int count = arguments_of(i);
  const bool pair = !packed_ && is_pair(code_, at);
  const std::uint32_t last = pair ? at + 1 : at;
  // Every register is the callee's: what is needed later goes to memory. Several arguments go through memory
  // too, which spares finding an order of moves.
  for (int r = 0; r < Registers::usable; ++r) {
    const std::uint32_t value = registers_.held(r);
    if (value == never) continue;
    bool argument_only = false;
    for (int k = 0; k < count; ++k) argument_only |= value == argument(i, k) && next(last, k) == never;
    if (!argument_only || count > 1) spill(r);
  }
  if (count == 1 && registers_.of(i.a) != Registers::none) {
    if (registers_.of(i.a) != 0) a_.emit(Inst::kIdVmovapd, vec(0), vec(registers_.of(i.a)));
  } else {
    for (int k = 0; k < count; ++k) load(k, argument(i, k));
  }
  for (int r = 0; r < Registers::usable; ++r) registers_.drop(r);
  if (pair) {
    // Its results arrive in memory, where they may as well stay.
    a_.lea(x86::rdi, slot_memory(registers_.give_slot(at)));
    a_.lea(x86::rsi, slot_memory(registers_.give_slot(last)));
  }
  a_.call(asmjit::imm(reinterpret_cast<std::uintptr_t>(pair ? sincos_entry() : callee(at))));
  release_arguments(last);
  if (!pair) put_result(0, at);
}

const void* Emitter::callee(std::uint32_t at) {
  const Instruction& i = code_.instructions[at];
  if (i.function() == Function::custom) {
    a_.mov(x86::rdi, asmjit::imm(reinterpret_cast<std::uintptr_t>(&custom_function(code_, i.c))));
    return custom_entry(packed_);
  }
  const Entry4 entry = library_entry(i.function());
  return packed_ ? entry.packed : entry.scalar;
}

void Emitter::emit_store(std::uint32_t at) {
  const Instruction& i = code_.instructions[at];
  const int a = in_register(i.a, next(at, 0));
  const Id move = chosen(Inst::kIdVmovsd, Inst::kIdVmovupd);
  if (i.port() == Port::sums) {
    const Mem sum = memory(sums_, i.b);
    a_.emit(chosen(Inst::kIdVaddsd, Inst::kIdVaddpd), vec(Registers::scratch), vec(a), sum);
    a_.emit(move, sum, vec(Registers::scratch));
  } else {
    a_.emit(move, memory(i.port() == Port::results ? results_ : gradient_, i.b), vec(a));
  }
  release_arguments(at);
}

}  // namespace tare::ad::detail
