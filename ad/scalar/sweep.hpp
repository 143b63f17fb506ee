// The reverse sweep over a Jacobian stream. What bounds it is the number of instructions an entry, how well
// branches are foreseen and, for long streams, memory; so the first entries of a statement are each handled
// by code of their own, and lines are asked for before they are needed. Sweeps of machine numbers stand in
// sweep.cpp, compiled once with fused multiply-add where the CPU has it and with branches kept off the
// boundaries at which Intel's CPUs of the Skylake kind lose them (a third of the time, by chance of placing).
#pragma once

#include <cstddef>
#include <cstdint>

#include "ad/scalar/stream.hpp"

namespace tare::ad::detail {

/// The sweep itself, to be compiled where it is called. A statement whose adjoint is zero is skipped, so that
/// an infinite partial nobody depends on cannot spoil the answer with 0·∞.
template <class T, class A>
[[gnu::always_inline]] inline void sweep_here(const Entry<T>* begin, const Entry<T>* end, A* adjoint,
                                              std::uint32_t lhs) {
  if (end == begin) return;
  A* at = adjoint + lhs;
  A current = *at;
  // The sign says whether an entry is its statement's first; all others carry the bare index.
  const auto tagged = [](const Entry<T>& entry) { return static_cast<std::int32_t>(entry.index); };
  const auto add = [&](const Entry<T>& entry) {
    A& to = adjoint[entry.index];
    to = to + T(entry.partial) * current;
  };
  while (end != begin) {
    __builtin_prefetch(reinterpret_cast<const std::byte*>(end) - bytes_ahead);
    if (current == A(0)) [[unlikely]] {
      do {
        --end;
      } while (tagged(*end) >= 0);
      current = *--at;
      continue;
    }
    if (tagged(end[-1]) < 0) {
      end -= 1;
    } else {
      add(end[-1]);
      if (tagged(end[-2]) < 0) {
        end -= 2;
      } else {
        add(end[-2]);
        if (tagged(end[-3]) < 0) {
          end -= 3;
        } else {
          add(end[-3]);
          end -= 4;
          // Two at a time: another place for what is foreseen of a branch.
          while (tagged(*end) >= 0) {
            add(*end);
            --end;
            if (tagged(*end) < 0) break;
            add(*end);
            --end;
          }
        }
      }
    }
    A& to = adjoint[end->index & index_mask];
    const A sum = to + T(end->partial) * current;
    to = sum;
    --at;
    if ((end->index & chain_flag) != 0) {
      current = *at + current;
      *at = current;
    } else if (&to == at) {
      // The predecessor's adjoint was just written: taking it from the register spares the chain of store
      // and load that otherwise bounds long recurrences.
      current = sum;
    } else {
      current = *at;
    }
  }
}

/// Propagates adjoints from statement `lhs`, whose entries end at `end`, down to `begin`.
template <class T, class A>
inline void sweep(const Entry<T>* begin, const Entry<T>* end, A* adjoint, std::uint32_t lhs) {
  sweep_here(begin, end, adjoint, lhs);
}
void sweep(const Entry<double>* begin, const Entry<double>* end, double* adjoint, std::uint32_t lhs);
void sweep(const Entry<float>* begin, const Entry<float>* end, float* adjoint, std::uint32_t lhs);

}  // namespace tare::ad::detail
