// Builder: writes Code one instruction at a time and, when asked to, never writes what it can know: constants
// are folded, a product by one vanishes, signs travel outwards, and an instruction that stands there already
// is shared. Expr is the number type that writes: the op table's rules, called with it, become instructions.
// Folding keeps IEEE results except the sign of zero.
#pragma once

#include <cmath>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "ad/scalar/program/code.hpp"

namespace tare::ad::detail {

struct Rewriting {
  bool fold = true;
  bool share = true;
};

class Builder {
 public:
  /// `expected` instructions fit without growing.
  Builder(Rewriting rewriting, std::size_t expected);
  ~Builder();
  Builder(const Builder&) = delete;
  Builder& operator=(const Builder&) = delete;

  std::uint32_t constant(double value);
  std::uint32_t load(Port port, std::uint32_t index);
  std::uint32_t emit(Prim prim, std::uint32_t a, std::uint32_t b = 0, std::uint32_t c = 0);
  std::uint32_t call(Function function, std::uint32_t a, std::uint32_t b = 0, std::uint32_t c = 0);
  void store(Port port, std::uint32_t index, std::uint32_t value);

  [[nodiscard]] const Instruction& operator[](std::uint32_t i) const { return code_.instructions[i]; }
  [[nodiscard]] bool is_constant(std::uint32_t i) const { return (*this)[i].prim == Prim::constant; }
  [[nodiscard]] double constant_at(std::uint32_t i) const { return code_.constants[(*this)[i].a]; }
  Code take() { return std::move(code_); }

  /// The builder Expr writes to on this thread.
  static Builder& current();

 private:
  std::uint32_t append(const Instruction& instruction);
  std::uint32_t folded(const Instruction& instruction);
  std::uint32_t folded_sum(const Instruction& instruction);
  std::uint32_t folded_product(const Instruction& instruction);
  std::uint32_t folded_choice(const Instruction& instruction);
  [[nodiscard]] bool is(std::uint32_t i, double value) const {
    return is_constant(i) && constant_at(i) == value;
  }

  /// An instruction and half of its hash: two instructions are compared only if those agree.
  struct Slot {
    std::uint32_t tag;
    std::uint32_t index;
  };
  /// The slot of an instruction that stands there already, or a free one for it.
  Slot& slot_of(const Instruction& instruction);

  // Known instructions stand near the place of their newest argument, so that the part of the table in use
  // stays in the cache however long the code gets. One that is not found within reach is written again.
  static constexpr std::size_t reach = 64;
  static constexpr unsigned constant_bits = 14;

  Rewriting rewriting_;
  Code code_;
  std::vector<Slot> table_;
  std::vector<std::uint32_t> constants_;  ///< the latest by hash
  Builder* previous_;
};

/// The condition of a select().
struct Mask {
  std::uint32_t id;
};

struct Expr {
  std::uint32_t id;

  static Expr of(std::uint32_t id) {
    Expr e(id, 0);
    return e;
  }
  template <class U>
    requires std::is_arithmetic_v<U>
  Expr(U value) : id(Builder::current().constant(static_cast<double>(value))) {}

 private:
  Expr(std::uint32_t i, int) : id(i) {}
};

inline Expr written(Prim prim, const Expr& a) {
  return Expr::of(Builder::current().emit(prim, a.id));
}
inline Expr written(Prim prim, const Expr& a, const Expr& b) {
  return Expr::of(Builder::current().emit(prim, a.id, b.id));
}
inline Mask compared(Prim prim, const Expr& a, const Expr& b) {
  return {Builder::current().emit(prim, a.id, b.id)};
}

inline Expr operator+(const Expr& a, const Expr& b) {
  return written(Prim::add, a, b);
}
inline Expr operator-(const Expr& a, const Expr& b) {
  return written(Prim::sub, a, b);
}
inline Expr operator*(const Expr& a, const Expr& b) {
  return written(Prim::mul, a, b);
}
inline Expr operator/(const Expr& a, const Expr& b) {
  return written(Prim::div, a, b);
}
inline Expr operator-(const Expr& a) {
  return written(Prim::neg, a);
}
inline Expr sqrt(const Expr& a) {
  return written(Prim::sqrt, a);
}
inline Expr abs(const Expr& a) {
  return written(Prim::abs, a);
}

#define TARE_AD_FUNCTION(name)                                      \
  inline Expr name(const Expr& a) {                                 \
    return Expr::of(Builder::current().call(Function::name, a.id)); \
  }
TARE_AD_LIBRARY_UNARY(TARE_AD_FUNCTION)
#undef TARE_AD_FUNCTION
#define TARE_AD_FUNCTION(name)                                            \
  inline Expr name(const Expr& a, const Expr& b) {                        \
    return Expr::of(Builder::current().call(Function::name, a.id, b.id)); \
  }
TARE_AD_LIBRARY_BINARY(TARE_AD_FUNCTION)
#undef TARE_AD_FUNCTION

inline Expr copysign(const Expr& size, const Expr& sign) {
  return Expr::of(Builder::current().call(Function::copysign, size.id, sign.id));
}

inline Mask operator<(const Expr& a, const Expr& b) {
  return compared(Prim::less, a, b);
}
inline Mask operator<=(const Expr& a, const Expr& b) {
  return compared(Prim::less_equal, a, b);
}
inline Mask operator>(const Expr& a, const Expr& b) {
  return compared(Prim::less, b, a);
}
inline Mask operator>=(const Expr& a, const Expr& b) {
  return compared(Prim::less_equal, b, a);
}
inline Mask operator==(const Expr& a, const Expr& b) {
  return compared(Prim::equal, a, b);
}
inline Mask operator!=(const Expr& a, const Expr& b) {
  return compared(Prim::not_equal, a, b);
}
inline Expr select(const Mask& mask, const Expr& a, const Expr& b) {
  return Expr::of(Builder::current().emit(Prim::select, mask.id, a.id, b.id));
}
/// a where the mask is set, else 0, even if a is NaN.
inline Expr keep(const Mask& mask, const Expr& a) {
  return Expr::of(Builder::current().emit(Prim::keep, mask.id, a.id));
}

}  // namespace tare::ad::detail
