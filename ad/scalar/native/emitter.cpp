#include "ad/scalar/native/emitter.hpp"

#include <algorithm>
#include <array>

namespace tare::ad::detail {

namespace x86 = asmjit::x86;
namespace Inst = x86::Inst;

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
    return x86::ptr(constants_,
                    static_cast<std::int32_t>(first_constant + std::size_t{i.a} * (packed_ ? 32 : 8)));
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

}  // namespace tare::ad::detail
