// Preaccumulation: a stretch of code with few inputs and outputs and much in between is recorded, its local
// Jacobian computed at once, and only that Jacobian kept. The tape shrinks from every statement inside to one
// statement per output. Where the Jacobian would be larger than what it replaces, the recording stays as it
// is. Limits: only the outputs named may be used afterwards; other values made inside would refer to what is
// gone. No inputs and no external functions may be registered inside.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ad/scalar/recorder.hpp"

namespace tare::ad {
namespace detail {

/// Reused by every preaccumulation on a thread.
template <class T>
struct PreaccumulationSpace {
  std::vector<Entry<T>> segment;
  std::vector<std::uint64_t>
      local_of;  ///< stamp above, local index below, for every value before the stretch
  std::vector<std::uint32_t> inputs;
  std::vector<T> adjoint;
  std::vector<Entry<T>> rows;
  std::vector<std::size_t> row_ends;
  std::uint64_t stamp = 0;

  std::uint32_t local(std::uint32_t index) {
    std::uint64_t& entry = local_of[index];
    if (entry >> 32U != stamp) {
      inputs.push_back(index);
      entry = stamp << 32U | inputs.size();
    }
    return static_cast<std::uint32_t>(entry);
  }
};

template <class T>
inline PreaccumulationSpace<T>& preaccumulation_space() {
  static thread_local PreaccumulationSpace<T> space;
  return space;
}

/// Copies the stretch with its own numbering: inputs first, then statements.
template <class T>
void copy_segment(PreaccumulationSpace<T>& space, std::span<const Entry<T>> from, std::uint32_t base) {
  space.segment.assign(from.begin(), from.end());
  space.inputs.clear();
  space.stamp = (space.stamp + 1) & 0xFFFF'FFFFU;
  if (space.local_of.size() <= base) space.local_of.resize(base + 1);
  // The first statement may continue a sum begun outside; inside that is an argument like any other.
  if ((space.segment.front().index & chain_flag) != 0) {
    space.segment.front().index &= ~(chain_flag | first_flag);
    space.segment.insert(space.segment.begin(), Entry<T>{T(1), base | first_flag});
  }
  for (const Entry<T>& entry : space.segment) {
    const std::uint32_t index = entry.index & index_mask;
    if (index <= base) space.local(index);
  }
  const auto shift = static_cast<std::uint32_t>(space.inputs.size());
  for (Entry<T>& entry : space.segment) {
    const std::uint32_t index = entry.index & index_mask;
    entry.index = (entry.index & ~index_mask) | (index <= base ? space.local(index) : index - base + shift);
  }
}

}  // namespace detail

/// Runs `body` and keeps of it only the Jacobian of `outputs`, which body must have assigned.
/// Returns whether the recording was replaced.
template <class T, class Body>
bool preaccumulate(Body&& body, std::span<Real<T>* const> outputs) {
  Recorder<T>* const recorder = detail::cursor<T>.owner;
  if (recorder == nullptr) {
    body();
    return false;
  }
  const auto start = recorder->position();
  const auto guests = recorder->guests();
  body();
  if (recorder->guests() != guests) {
    detail::throw_error("preaccumulate", "inputs or external functions were registered inside the scope");
  }
  const auto entries = recorder->entries().subspan(start.entries);
  if (entries.empty()) return false;

  auto& space = detail::preaccumulation_space<T>();
  detail::copy_segment<T>(space, entries, start.newest);
  const auto shift = static_cast<std::uint32_t>(space.inputs.size());
  const std::size_t values = shift + recorder->position().newest - start.newest;
  const detail::Entry<T>* const begin = space.segment.data();
  space.rows.clear();
  space.row_ends.clear();
  for (const Real<T>* output : outputs) {
    const std::uint32_t index = detail::index_of(output->id());
    if (output->active() && index > start.newest) {
      space.adjoint.assign(values + 1, T(0));
      const std::uint32_t lhs = index - start.newest + shift;
      space.adjoint[lhs] = T(1);
      detail::sweep(begin, begin + space.segment.size(), space.adjoint.data(),
                    static_cast<std::uint32_t>(values));
      for (std::uint32_t i = 0; i < shift; ++i) {
        if (space.adjoint[i + 1] == T(0)) continue;
        space.rows.push_back({space.adjoint[i + 1], space.inputs[i]});
      }
    }
    space.row_ends.push_back(space.rows.size());
  }
  if (space.rows.size() >= entries.size()) return false;

  recorder->rewind(start);
  std::size_t row = 0;
  for (std::size_t k = 0; k < outputs.size(); ++k) {
    Real<T>& output = *outputs[k];
    if (!output.active() || detail::index_of(output.id()) <= start.newest) continue;
    output = recorder->append(output.value(), std::span(space.rows).subspan(row, space.row_ends[k] - row));
    row = space.row_ends[k];
  }
  return true;
}
template <class T, class Body>
bool preaccumulate(Body&& body, Real<T>& output) {
  Real<T>* const outputs[] = {&output};
  return preaccumulate<T>(std::forward<Body>(body), outputs);
}

}  // namespace tare::ad
