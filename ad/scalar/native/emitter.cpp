#include "ad/scalar/native/emitter.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "ad/scalar/program/library.hpp"

namespace tare::ad::detail {

namespace x86 = asmjit::x86;
namespace Inst = x86::Inst;

namespace {

/// Before the constants: the sign bit and its complement, four lanes each.
constexpr std::size_t sign_mask = 0;
constexpr std::size_t value_mask = 32;
constexpr std::size_t first_constant = 64;

/// Slots within reach of a one-byte displacement make shorter code, so the pointer stands past the first
/// ones.
constexpr int slot_bias = 128;

}  // namespace

Emitter::Emitter(asmjit::CodeHolder& holder, const Code& code, bool packed)
    : a_(&holder),
      code_(code),
      packed_(packed),
      uses_(next_uses(code)),
      registers_(code.instructions.size()) {
  calls_ = std::any_of(code.instructions.begin(), code.instructions.end(),
                       [](const Instruction& i) { return i.prim == Prim::call; });
  // Without calls the arguments stay where the caller put them.
  varying_ = calls_ ? x86::rbx : x86::rdi;
  uniform_ = calls_ ? x86::rbp : x86::rsi;
  results_ = calls_ ? x86::r12 : x86::rdx;
  gradient_ = calls_ ? x86::r13 : x86::rcx;
  sums_ = calls_ ? x86::r14 : x86::r8;
  slots_ = calls_ ? x86::r15 : x86::r9;
}

std::size_t Emitter::scratch_doubles() const {
  return std::size_t{registers_.slots()} * (packed_ ? 4 : 1);
}

void Emitter::emit() {
  emit_constants();
  emit_prologue();
  const auto count = static_cast<std::uint32_t>(code_.instructions.size());
  for (std::uint32_t at = 0; at < count; ++at) {
    registers_.unpin_all();
    emit_instruction(at);
    if (!packed_ && is_pair(code_, at)) ++at;
  }
  emit_epilogue();
}

void Emitter::emit_constants() {
  constants_ = a_.newLabel();
  a_.bind(constants_);
  const std::uint64_t sign = std::uint64_t{1} << 63U;
  for (const std::uint64_t mask : {sign, ~sign}) {
    const std::array<std::uint64_t, 4> lanes{mask, mask, mask, mask};
    a_.embed(lanes.data(), sizeof(lanes));
  }
  if (packed_) {
    for (const double each : code_.constants) {
      const std::array<double, 4> lanes{each, each, each, each};
      a_.embed(lanes.data(), sizeof(lanes));
    }
  } else if (!code_.constants.empty()) {
    a_.embed(code_.constants.data(), code_.constants.size() * sizeof(double));
  }
  a_.align(asmjit::AlignMode::kCode, 32);
  entry_offset_ = a_.offset();
}

void Emitter::emit_prologue() {
  if (calls_) {
    for (const Gp& each : {varying_, uniform_, results_, gradient_, sums_, slots_}) a_.push(each);
    a_.sub(x86::rsp, 8);
    a_.mov(varying_, x86::rdi);
    a_.mov(uniform_, x86::rsi);
    a_.mov(results_, x86::rdx);
    a_.mov(gradient_, x86::rcx);
    a_.mov(sums_, x86::r8);
    a_.mov(slots_, x86::r9);
  }
  a_.add(slots_, slot_bias);
}

void Emitter::emit_epilogue() {
  if (packed_) a_.vzeroupper();
  if (calls_) {
    a_.add(x86::rsp, 8);
    for (const Gp& each : {slots_, sums_, gradient_, results_, uniform_, varying_}) a_.pop(each);
  }
  a_.ret();
}

Emitter::Vec Emitter::vec(int r) const {
  const auto id = static_cast<std::uint32_t>(r);
  return packed_ ? Vec(x86::ymm(id)) : Vec(x86::xmm(id));
}
Emitter::Mem Emitter::memory(const Gp& base, std::size_t index, bool lanes) const {
  return x86::ptr(base, static_cast<std::int32_t>(index * (packed_ && lanes ? 32 : 8)));
}
Emitter::Mem Emitter::slot_memory(std::uint32_t slot) const {
  return x86::ptr(slots_, static_cast<std::int32_t>(slot * (packed_ ? 32U : 8U)) - slot_bias);
}

bool Emitter::has_home(std::uint32_t value) const {
  const Prim prim = code_.instructions[value].prim;
  return prim == Prim::constant || prim == Prim::load || registers_.slot(value) != never;
}
bool Emitter::readable(std::uint32_t value) const {
  const Instruction& i = code_.instructions[value];
  return has_home(value) && !(packed_ && i.prim == Prim::load && i.port() == Port::uniform);
}
Emitter::Mem Emitter::home(std::uint32_t value) const {
  const Instruction& i = code_.instructions[value];
  if (i.prim == Prim::constant) {
    return x86::ptr(constants_, static_cast<std::int32_t>(first_constant + i.a * (packed_ ? 32U : 8U)));
  }
  if (i.prim == Prim::load) {
    return i.port() == Port::uniform ? memory(uniform_, i.a, false) : memory(varying_, i.a);
  }
  return slot_memory(registers_.slot(value));
}

void Emitter::load(int r, std::uint32_t value) {
  if (!packed_) {
    a_.emit(Inst::kIdVmovsd, vec(r), home(value));
  } else if (readable(value)) {
    a_.emit(Inst::kIdVmovupd, vec(r), home(value));
  } else {
    a_.emit(Inst::kIdVbroadcastsd, vec(r), home(value));
  }
}

void Emitter::spill(int r) {
  const std::uint32_t value = registers_.held(r);
  if (has_home(value)) return;
  a_.emit(chosen(Inst::kIdVmovsd, Inst::kIdVmovupd), slot_memory(registers_.give_slot(value)), vec(r));
}

int Emitter::take_register() {
  const int r = registers_.choose();
  if (registers_.held(r) != never) {
    spill(r);
    registers_.drop(r);
  }
  registers_.pin(r);
  return r;
}

int Emitter::in_register(std::uint32_t value, std::uint32_t next_use) {
  int r = registers_.of(value);
  if (r == Registers::none) {
    r = take_register();
    load(r, value);
    registers_.put(r, value, next_use);
  }
  registers_.pin(r);
  registers_.set_next(r, next_use);
  return r;
}

bool Emitter::better_in_memory(std::uint32_t value, std::uint32_t next_use) const {
  if (registers_.of(value) != Registers::none || !readable(value)) return false;
  if (next_use == never) return true;
  const int r = registers_.choose();
  return registers_.held(r) != never && registers_.next(r) <= next_use;
}

void Emitter::release_arguments(std::uint32_t at) {
  const Instruction& i = code_.instructions[at];
  const int count = arguments_of(i);
  for (int k = 0; k < count; ++k) {
    if (next(at, k) == never) registers_.forget(argument(i, k));
  }
}

int Emitter::result_register(std::uint32_t at) {
  // An argument's register will do, as the instruction reads before it writes; an argument's slot will not:
  // an eviction would write to it before.
  const Instruction& i = code_.instructions[at];
  const int count = arguments_of(i);
  for (int k = 0; k < count; ++k) {
    const int held = registers_.of(argument(i, k));
    if (next(at, k) == never && held != Registers::none) registers_.drop(held);
  }
  registers_.unpin_all();
  const int r = take_register();
  release_arguments(at);
  put_result(r, at);
  return r;
}

void Emitter::put_result(int r, std::uint32_t at) {
  if (uses_.first[at] != never) registers_.put(r, at, uses_.first[at]);
}

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
  a_.mov(x86::rax, asmjit::imm(reinterpret_cast<std::uintptr_t>(callee(at, pair))));
  a_.call(x86::rax);
  release_arguments(last);
  put_result(0, at);
  if (pair) put_result(1, last);
}

const void* Emitter::callee(std::uint32_t at, bool pair) {
  const Instruction& i = code_.instructions[at];
  if (pair) return sincos_entry();
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
