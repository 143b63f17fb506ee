// The Jacobian stream both kinds of recording write; sweep.hpp runs over it backwards.
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

/// How far a sweep asks for entries before it needs them: whoever holds a stream has so much memory in front
/// of it, or asking costs more than it saves.
inline constexpr std::size_t bytes_ahead = 768;

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

}  // namespace tare::ad::detail
