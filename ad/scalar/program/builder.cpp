#include "ad/scalar/program/builder.hpp"

#include <bit>
#include <limits>
#include <utility>

#include "ad/scalar/program/arithmetic.hpp"

namespace tare::ad::detail {
namespace {

constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

thread_local Builder* active = nullptr;

std::uint64_t hash_of(const Instruction& i) {
  const std::uint64_t kind = (static_cast<std::uint64_t>(i.prim) << 8U) | i.detail;
  std::uint64_t h = ((static_cast<std::uint64_t>(i.a) << 32U) | i.b) * 0x9E3779B97F4A7C15U;
  h ^= (h >> 29U) ^ ((kind << 32U) | i.c) * 0xD6E8FEB86659FD93U;
  h *= 0xBF58476D1CE4E5B9U;
  return h ^ (h >> 32U);
}

bool commutes(Prim prim) {
  return prim == Prim::add || prim == Prim::mul || prim == Prim::equal || prim == Prim::not_equal;
}

}  // namespace

Builder::Builder(Rewriting rewriting) : rewriting_(rewriting), table_(64, none), previous_(active) {
  active = this;
}
Builder::~Builder() {
  active = previous_;
}
Builder& Builder::current() {
  return *active;
}

std::uint32_t Builder::constant(double value) {
  // A constant's identity is its bits: found through the table of instructions, whose argument they are here.
  if (rewriting_.share) {
    const auto bits = std::bit_cast<std::uint64_t>(value);
    const Instruction probe{Prim::constant, 0, static_cast<std::uint32_t>(bits >> 32U),
                            static_cast<std::uint32_t>(bits)};
    for (std::size_t at = hash_of(probe);; ++at) {
      const std::uint32_t found = table_[at & (table_.size() - 1)];
      if (found == none) break;
      if (is_constant(found) && std::bit_cast<std::uint64_t>(constant_at(found)) == bits) return found;
    }
  }
  code_.constants.push_back(value);
  return append({Prim::constant, 0, static_cast<std::uint32_t>(code_.constants.size() - 1)});
}

std::uint32_t Builder::load(Port port, std::uint32_t index) {
  return append({Prim::load, static_cast<std::uint8_t>(port), index});
}

std::uint32_t Builder::emit(Prim prim, std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  return folded({prim, 0, a, b, c});
}

std::uint32_t Builder::call(Function function, std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  return folded({Prim::call, static_cast<std::uint8_t>(function), a, b, c});
}

void Builder::store(Port port, std::uint32_t index, std::uint32_t value) {
  code_.instructions.push_back({Prim::store, static_cast<std::uint8_t>(port), value, index});
}

std::uint32_t Builder::append(const Instruction& instruction) {
  Instruction i = instruction;
  if (commutes(i.prim) && i.a > i.b) std::swap(i.a, i.b);
  if (rewriting_.share) {
    const bool is_new_constant = i.prim == Prim::constant;
    std::uint64_t hash = hash_of(i);
    if (is_new_constant) {
      const auto bits = std::bit_cast<std::uint64_t>(code_.constants[i.a]);
      hash = hash_of(
          {Prim::constant, 0, static_cast<std::uint32_t>(bits >> 32U), static_cast<std::uint32_t>(bits)});
    }
    if (taken_ * 2 >= table_.size()) grow();
    std::size_t at = hash & (table_.size() - 1);
    for (; table_[at] != none; at = (at + 1) & (table_.size() - 1)) {
      if (!is_new_constant && (*this)[table_[at]] == i) return table_[at];
    }
    table_[at] = static_cast<std::uint32_t>(code_.instructions.size());
    ++taken_;
  }
  code_.instructions.push_back(i);
  return static_cast<std::uint32_t>(code_.instructions.size() - 1);
}

void Builder::grow() {
  std::vector<std::uint32_t> larger(table_.size() * 4, none);
  for (const std::uint32_t each : table_) {
    if (each == none) continue;
    Instruction i = (*this)[each];
    if (i.prim == Prim::constant) {
      const auto bits = std::bit_cast<std::uint64_t>(code_.constants[i.a]);
      i.a = static_cast<std::uint32_t>(bits >> 32U);
      i.b = static_cast<std::uint32_t>(bits);
    }
    std::size_t at = hash_of(i) & (larger.size() - 1);
    while (larger[at] != none) at = (at + 1) & (larger.size() - 1);
    larger[at] = each;
  }
  table_ = std::move(larger);
}

std::uint32_t Builder::folded(const Instruction& i) {
  if (!rewriting_.fold) return append(i);
  const int count = arguments_of(i);
  bool known = count > 0 && !(i.prim == Prim::call && i.function() == Function::custom);
  double at[3] = {0, 0, 0};
  for (int k = 0; k < count && known; ++k) {
    known = is_constant(argument(i, k));
    if (known) at[k] = constant_at(argument(i, k));
  }
  if (known) return constant(computed(i, at[0], at[1], at[2]));
  switch (i.prim) {
    case Prim::add:
    case Prim::sub:
    case Prim::neg:
      return folded_sum(i);
    case Prim::mul:
    case Prim::div:
      return folded_product(i);
    case Prim::keep:
    case Prim::select:
      return folded_choice(i);
    default:
      return append(i);
  }
}

std::uint32_t Builder::folded_sum(const Instruction& i) {
  const Instruction a = (*this)[i.a];
  const Instruction b = (*this)[i.b];
  if (i.prim == Prim::neg) {
    if (a.prim == Prim::neg) return a.a;
    if (a.prim == Prim::sub) return emit(Prim::sub, a.b, a.a);
    return append(i);
  }
  if (is(i.b, 0)) return i.a;
  if (i.prim == Prim::add) {
    if (is(i.a, 0)) return i.b;
    if (b.prim == Prim::neg) return emit(Prim::sub, i.a, b.a);
    if (a.prim == Prim::neg) return emit(Prim::sub, i.b, a.a);
  } else {
    if (is(i.a, 0)) return emit(Prim::neg, i.b);
    if (b.prim == Prim::neg) return emit(Prim::add, i.a, b.a);
  }
  return append(i);
}

std::uint32_t Builder::folded_product(const Instruction& i) {
  const Instruction a = (*this)[i.a];
  const Instruction b = (*this)[i.b];
  if (is(i.b, 1)) return i.a;
  if (is(i.b, -1)) return emit(Prim::neg, i.a);
  if (i.prim == Prim::mul) {
    if (is(i.a, 1)) return i.b;
    if (is(i.a, -1)) return emit(Prim::neg, i.b);
  } else if (is_constant(i.b)) {
    int exponent = 0;
    const double divisor = constant_at(i.b);
    // The reciprocal of a power of two is exact.
    if (std::abs(std::frexp(divisor, &exponent)) == 0.5 && std::abs(exponent) < 1000) {
      return emit(Prim::mul, i.a, constant(1 / divisor));
    }
  }
  // Signs travel outwards, until a sum or another sign takes them up.
  if (a.prim == Prim::neg) return emit(Prim::neg, emit(i.prim, a.a, i.b));
  if (b.prim == Prim::neg) return emit(Prim::neg, emit(i.prim, i.a, b.a));
  return append(i);
}

std::uint32_t Builder::folded_choice(const Instruction& i) {
  if (is_constant(i.a)) {
    const bool set = std::bit_cast<std::uint64_t>(constant_at(i.a)) != 0;
    if (set) return i.b;
    return i.prim == Prim::select ? i.c : constant(0);
  }
  if (i.prim == Prim::keep) return append(i);
  if (i.b == i.c) return i.b;
  const Instruction mask = (*this)[i.a];
  if (mask.prim == Prim::less && mask.a == i.b && mask.b == i.c) return append({Prim::min, 0, i.c, i.b});
  if (mask.prim == Prim::less && mask.a == i.c && mask.b == i.b) return append({Prim::max, 0, i.c, i.b});
  return append(i);
}

}  // namespace tare::ad::detail
