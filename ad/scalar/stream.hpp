// The Jacobian stream both kinds of recording write and the reverse sweep over it.
// One statement y = f(x₁ … xₖ) is k entries (∂y/∂xᵢ, index of xᵢ); y's own index is not stored, statements
// are numbered as they come. The first entry of a statement carries a flag inside its index, a second flag
// says that the statement also contains its predecessor with factor one (a running sum), which then needs no
// entry. A double costs 12 bytes an argument. Method: statement-level Jacobian taping (Hogan 2014, "Fast
// reverse-mode automatic differentiation using expression templates in C++"), with linear indices.
#pragma once

#include <cstddef>
#include <cstdint>

#include "ad/ops/op.hpp"

namespace tare::ad::detail {

inline constexpr std::uint32_t first_flag = 0x8000'0000U;
inline constexpr std::uint32_t chain_flag = 0x4000'0000U;
inline constexpr std::uint32_t index_mask = 0x3FFF'FFFFU;
/// Statements and inputs one recording can hold, whatever its memory.
inline constexpr std::uint32_t most_values = index_mask - 1;

template <class T>
struct Entry {
  T partial;
  std::uint32_t index;
};

#pragma pack(push, 4)
template <Machine T>
struct Entry<T> {
  T partial;
  std::uint32_t index;
};
#pragma pack(pop)

static_assert(sizeof(Entry<double>) == 12 && sizeof(Entry<float>) == 8);

/// Propagates adjoints from statement `lhs`, whose entries end at `end`, down to `begin`. A statement whose
/// adjoint is zero is skipped, so that an infinite partial nobody depends on cannot spoil the answer with
/// 0·∞.
template <class T, class A>
inline void sweep(const Entry<T>* begin, const Entry<T>* end, A* adjoint, std::uint32_t lhs) {
  if (end == begin) return;
  A current = adjoint[lhs];
  for (;;) {
    std::uint32_t tagged;
    if (current == A(0)) {
      do {
        tagged = (--end)->index;
      } while ((tagged & first_flag) == 0);
      current = adjoint[--lhs];
    } else {
      std::uint32_t to;
      A sum;
      do {
        --end;
        tagged = end->index;
        to = tagged & index_mask;
        const T partial = end->partial;  // by value: in a packed entry it may stand unaligned
        sum = adjoint[to] + partial * current;
        adjoint[to] = sum;
      } while ((tagged & first_flag) == 0);
      --lhs;
      if ((tagged & chain_flag) != 0) {
        current = adjoint[lhs] + current;
        adjoint[lhs] = current;
      } else if (to == lhs) {
        // The predecessor's adjoint was just written: taking it from the register spares the chain of store
        // and load that otherwise bounds long recurrences.
        current = sum;
      } else {
        current = adjoint[lhs];
      }
    }
    if (end == begin) return;
  }
}

}  // namespace tare::ad::detail
