// Passes over Code, each a function from code to code, and what executors ask about it: when a value is used
// next, and how many places hold all that are alive at once.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "ad/scalar/program/code.hpp"

namespace tare::ad::detail {

/// Without instructions that no store needs.
Code without_dead(Code code);

/// A product used by one sum alone becomes part of it.
Code contracted(Code code);

/// The sine and the cosine of the same value stand beside each other, the sine first.
Code paired(Code code);

inline constexpr std::uint32_t never = std::numeric_limits<std::uint32_t>::max();

/// Whether instruction i and the next are such a pair.
inline bool is_pair(const Code& code, std::size_t i) {
  if (i + 1 >= code.instructions.size()) return false;
  const Instruction& a = code.instructions[i];
  const Instruction& b = code.instructions[i + 1];
  return a.prim == Prim::call && b.prim == Prim::call && a.function() == Function::sin &&
         b.function() == Function::cos && a.a == b.a;
}

/// Places for the results of a code such that values alive at the same time have different ones.
struct Places {
  std::vector<std::uint32_t> place;  ///< per instruction; never for stores
  std::uint32_t count = 0;
};
Places assign_places(const Code& code);

/// For the k-th argument of instruction i, at 3·i + k, the next instruction after i that uses the same value;
/// first[i] is the first use of i's own result.
struct NextUses {
  std::vector<std::uint32_t> next;
  std::vector<std::uint32_t> first;
};
NextUses next_uses(const Code& code);

}  // namespace tare::ad::detail
