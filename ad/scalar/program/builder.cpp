#include "ad/scalar/program/builder.hpp"

#include <algorithm>
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
  return h;
}

bool commutes(Prim prim) {
  return prim == Prim::add || prim == Prim::mul || prim == Prim::equal || prim == Prim::not_equal;
}

}  // namespace

Builder::Builder(Rewriting rewriting, std::size_t expected)
    : rewriting_(rewriting), constants_(std::size_t{1} << constant_bits, none), previous_(active) {
  if (rewriting.share) table_.resize(2 * expected + reach, Slot{0, none});
  code_.instructions.reserve(expected);
  active = this;
}
Builder::~Builder() {
  active = previous_;
}
Builder& Builder::current() {
  return *active;
}

std::uint32_t Builder::constant(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  const auto next = static_cast<std::uint32_t>(code_.instructions.size());
  if (rewriting_.share) {
    std::uint32_t& known = constants_[bits * 0x9E3779B97F4A7C15U >> (64U - constant_bits)];
    if (known != none && std::bit_cast<std::uint64_t>(constant_at(known)) == bits) return known;
    known = next;
  }
  code_.constants.push_back(value);
  code_.instructions.push_back({Prim::constant, 0, static_cast<std::uint32_t>(code_.constants.size() - 1)});
  return next;
}

std::uint32_t Builder::load(Port port, std::uint32_t index) {
  code_.instructions.push_back({Prim::load, static_cast<std::uint8_t>(port), index});
  return static_cast<std::uint32_t>(code_.instructions.size() - 1);
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
  const auto next = static_cast<std::uint32_t>(code_.instructions.size());
  if (rewriting_.share) {
    Slot& slot = slot_of(i);
    if (slot.index != none) return slot.index;
    slot.index = next;
  }
  code_.instructions.push_back(i);
  return next;
}

Builder::Slot& Builder::slot_of(const Instruction& i) {
  std::uint32_t newest = 0;
  const int count = arguments_of(i);
  for (int k = 0; k < count; ++k) newest = std::max(newest, argument(i, k));
  const std::uint64_t hash = hash_of(i);
  const auto tag = static_cast<std::uint32_t>(hash >> 32U);
  const std::size_t first = 2 * std::size_t{newest} + (hash >> 29U & 7U);
  if (table_.size() < first + reach) table_.resize(2 * (first + reach), Slot{0, none});
  for (std::size_t at = first; at < first + reach; ++at) {
    Slot& slot = table_[at];
    if (slot.index == none) {
      slot.tag = tag;
      return slot;
    }
    if (slot.tag == tag && (*this)[slot.index] == i) return slot;
  }
  Slot& oldest = table_[first];
  oldest = {tag, none};
  return oldest;
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
